/*
 * train/device/device.h - all that the rest of train/ knows of hardware.
 *
 * A device has memory, queues of work (enum dev_queue) and a table of kernels (kernels.h).  Calls
 * may return before they are done; sync waits.  Devices: "reference" (one thread, plain C loops:
 * the specification of every kernel), "cpu" (the same on threads, with SIMD and OpenBLAS).
 */
#ifndef DEV_DEVICE_H
#define DEV_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"
#include "train/device/param_layout.h"
#include "train/device/types.h"

struct dev_kernels;
struct dev_event;
struct dev_recording;
struct dev_gemm_times;

/* Of all device memory: whole lines of every cache, and what accelerators coalesce. */
enum { DEV_ALIGN_BYTES = 256 };

/*
 * What is in a queue happens in the order of the calls; of two queues nothing is known but what
 * queue_wait says.  DEV_COMPUTE: kernels, and all of memory and copies that names no queue.
 * DEV_COPY_IN: what the next step will read.  DEV_EXCHANGE: between processes.
 */
enum dev_queue { DEV_COMPUTE, DEV_COPY_IN, DEV_EXCHANGE };
enum { DEV_N_QUEUES = 3 };

/* What is known of a device's own memory; limit_bytes 0: it is the host's, whose limits count. */
struct dev_memory {
    uint64_t used_bytes, limit_bytes;
};

/* What something takes, or may take, of the device's own memory and of the host's.  On a device of
 * the host's memory all is the host's: `device` is 0. */
struct dev_bytes {
    uint64_t device, host;
};

/* Products of matrices; the code that is written for shapes of 16-bit ones; convolutions. */
enum dev_library_use { DEV_LIBRARY_PRODUCTS, DEV_LIBRARY_FUNCTIONS, DEV_LIBRARY_CONVOLUTIONS };

struct dev {
    const char *name;                  /* "reference", "cpu", "cuda", "far" */
    const struct dev_kernels *kernels; /* every entry is set */
    struct t2_pool *pool;              /* of its kernels, where they run on the host's processor */
    struct t2_pool *host_pool;         /* dev_host_pool's own; NULL: not made, or not wanted */
    int host_threads;                  /* 0 = all CPUs allowed */
    /* To which factors of gemms are rounded, and as which a graph that is made then stores its
     * activations and their gradients: float32, bfloat16 or float16.  Sums, statistics and
     * parameters are float32. */
    enum dev_type precision;
    /* With float32: products may round their factors to TF32 (10 bits of fraction, sums in
     * float32); tf32_products: the device has such products, else it multiplies what it is given.
     */
    bool tf32, tf32_products;
    /* As what searches keep the weights of dense layers: float32, bfloat16 or int8, packed
     * (graph/packs.h; float32 where host_memory is set); activations are then float32. */
    enum dev_type weights;
    /* With a precision of 16 bits products read parameters that are rounded already: a second copy
     * of their values is kept (graph/params.h). */
    bool rounds_ahead;
    bool host_memory; /* device pointers may be read and written by the host */

    /* Memory: DEV_ALIGN_BYTES aligned, zeroed; NULL when short.  free(NULL) is nothing.  Both are
     * calls in DEV_COMPUTE: what is queued there still uses the memory, what is queued later may
     * get it again; other queues wait for events, before they use it and before it is freed. */
    void *(*alloc)(struct dev *d, size_t bytes);
    void (*free)(struct dev *d, void *p);
    struct dev_memory (*memory)(const struct dev *d);

    /* The host's memory that other queues copy from and to (page-locked, where that means
     * something): aligned to 64 bytes, NULL when short.  Free it when the copies have happened.
     * Any thread, also while another uses the device. */
    void *(*alloc_host)(struct dev *d, size_t bytes);
    void (*free_host)(struct dev *d, void *p);

    /* Copies, in DEV_COMPUTE; 0 bytes are allowed.  upload reads the host's bytes when the queue
     * gets there: they stay as they are until sync, or an event behind it, has passed.  upload_now
     * has read them when it returns.  download waits until they are there. */
    void (*upload)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*upload_now)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*download)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*copy)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*zero)(struct dev *d, void *p, size_t bytes);
    /* Copies in any queue, from and to memory of alloc_host.  upload_on reads it when the queue
     * gets there, download_on has written it when an event behind it has passed. */
    void (*upload_on)(struct dev *d, enum dev_queue queue, void *to, const void *from,
                      size_t bytes);
    void (*download_on)(struct dev *d, enum dev_queue queue, void *to, const void *from,
                        size_t bytes);
    void (*sync)(struct dev *d); /* waits for all queues */

    /* Events are places in queues.  event_record marks the place behind what was queued so far,
     * event_wait returns when the queue has come there, event_seconds is the time between two
     * places that were passed.  What is queued behind queue_wait happens when the place that the
     * event marks at this call is passed.  An event that was never recorded is passed. */
    struct dev_event *(*event_new)(struct dev *d);
    void (*event_free)(struct dev *d, struct dev_event *e); /* NULL is nothing */
    void (*event_record)(struct dev *d, enum dev_queue queue, struct dev_event *e);
    void (*event_wait)(struct dev *d, struct dev_event *e);
    void (*queue_wait)(struct dev *d, enum dev_queue queue, const struct dev_event *e);
    double (*event_seconds)(struct dev *d, const struct dev_event *from,
                            const struct dev_event *to);

    /* For an exchange between devices of several processes, without the hosts.  native_queue: what
     * the device's own library takes for a queue (a stream of CUDA); sum_on, in that queue: to[i] =
     * x[i] + y[i], or x[i] where y is NULL; `to` may be x or y.  Both NULL: there is none. */
    void *(*native_queue)(struct dev *d, enum dev_queue queue);
    void (*sum_on)(struct dev *d, enum dev_queue queue, const float *x, const float *y, int64_t n,
                   float *to);

    /* Calls that are made again and again with the same arguments.  Kernels, copies and zeroing
     * in DEV_COMPUTE between record_begin and record_end are kept, not done; each replay puts them
     * into the queue once, so what changes from one to the next lies in device memory (struct
     * dev_step). Addresses and the host's settings are those of the recording.  All four are NULL
     * where a call costs nothing.  recording_free(NULL) is nothing; what is queued of it still
     * happens. */
    int recordings_left; /* how many more graphs may keep: they take memory that no plan has */
    void (*record_begin)(struct dev *d);
    struct dev_recording *(*record_end)(struct dev *d); /* the caller's; NULL: could not be kept */
    void (*replay)(struct dev *d, const struct dev_recording *r);
    void (*recording_free)(struct dev *d, struct dev_recording *r);

    /* The layout in which the device keeps a parameter that is used so; 0: that of checkpoints.
     * Asked before there is memory.  NULL, with the two below: all are as checkpoints have them. */
    int32_t (*param_layout)(const struct dev *d, enum dev_param_use use, int rank,
                            const int64_t *dims);
    /* Copies elements at .. at + n - 1, in the order of checkpoints, of one that is laid, or of
     * what is laid like it; `values`: its first element in device memory.  In DEV_COMPUTE; as
     * upload_now and download. */
    void (*upload_param)(struct dev *d, const struct dev_laid *p, float *values, int64_t at,
                         const float *from, int64_t n);
    void (*download_param)(struct dev *d, const struct dev_laid *p, const float *values, int64_t at,
                           float *to, int64_t n);

    /* The first failure since the device was opened: T2_EDEVICE, with the device, the kernel and
     * the graph's node; nothing behind it has a meaning.  Never waits: dev_check is asked once per
     * step. */
    enum t2_status (*check)(struct dev *d, struct t2_err *err);
    const char *node; /* whose kernels are queued now: the graph says so, for messages */
    int node_index;

    struct dev_gemm_times *gemm_times; /* gemm_times.h; NULL: not counted */
    void (*release)(struct dev *d);
    /* What a user should know: "cpu avx512, 2 threads, oneDNN 2.6.3". */
    const char *(*describe)(const struct dev *d);
    /* What the libraries behind its kernels will keep for themselves once they are used, with this
     * precision on this processor, beyond the little that a thread always has; NULL: not known. */
    uint64_t (*library_bytes)(const struct dev *d, enum dev_library_use use);
};

/* name: "cpu"; "cuda", "cuda:1", ... (T2_EUNSUPPORTED where there is none or the build is without);
 * "auto", a CUDA device where there is one, else the cpu; "reference".  num_threads: of kernels
 * that run on the host's processor, and of the host; 0 = all CPUs allowed. */
T2_MUST_CHECK enum t2_status dev_open(const char *name, int num_threads, struct dev **d,
                                      struct t2_err *err);
/* Of several processes on this machine the nth, from 0: where there is one CUDA device for each,
 * "cuda" and "auto" are its own; with fewer they are shared in turn. */
T2_MUST_CHECK enum t2_status dev_open_nth(const char *name, int nth, int num_threads,
                                          struct dev **d, struct t2_err *err);
void dev_close(struct dev *d); /* waits; NULL is nothing */

/*
 * The host's threads, for what the host does beside the device: images, initial values, the
 * vocabulary of a search.  NULL: the calling thread alone.  They are as many as dev_open was told,
 * or dev_set_host_threads after it (0 = all CPUs allowed); where the kernels of the cpu device have
 * as many they are the same, as these are done when their calls return.
 */
struct t2_pool *dev_host_pool(struct dev *d);
void dev_set_host_threads(struct dev *d, int n);
int dev_host_threads(const struct dev *d); /* at least 1 */

/* Adds what lies in device memory, wherever that is, and what lies in the host's. */
void dev_bytes_add(const struct dev *d, struct dev_bytes *b, uint64_t device, uint64_t host);
bool dev_bytes_fit(const struct dev_bytes *needed, const struct dev_bytes *limit);
/* What is left of the device's own memory; 0 where it has none. */
uint64_t dev_memory_left(const struct dev *d);

/* T2_ENOMEM where alloc gave NULL for so many bytes of `what`: names a device with memory of its
 * own, and how much of that is used; advice: what to do about it, or NULL. */
enum t2_status dev_fail_memory(const struct dev *d, uint64_t bytes, const char *what,
                               const char *advice, struct t2_err *err);

/* T2_OK, or the device's failure. */
T2_MUST_CHECK enum t2_status dev_check(struct dev *d, struct t2_err *err);

/* "float32", "tf32", "bfloat16" (also "bf16") or "float16" (also "fp16"), before the first graph is
 * built.  T2_EUSAGE for others. */
T2_MUST_CHECK enum t2_status dev_set_precision(struct dev *d, const char *name, struct t2_err *err);
const char *dev_precision_name(const struct dev *d);
/* The same for what only decodes; "bfloat16" and "int8" are `weights` then. */
T2_MUST_CHECK enum t2_status dev_set_decoding_precision(struct dev *d, const char *name,
                                                        struct t2_err *err);

#endif
