/*
 * train/device/device.h - all that the rest of train/ knows of hardware.
 *
 * A device has memory, one in-order queue of work and a table of kernels (kernels.h).  Kernel calls
 * may return before they are done; dev_sync waits.  Devices: "reference" (one thread, plain C
 * loops: the specification of every kernel), "cpu" (the same on the pool, with SIMD and OpenBLAS).
 */
#ifndef DEV_DEVICE_H
#define DEV_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pool.h"

struct dev_kernels;
struct dev_event;
struct dev_gemm_times;

/* Of all device memory: whole lines of every cache, and what accelerators coalesce. */
enum { DEV_ALIGN_BYTES = 256 };

/* Precision of the factors of gemms; sums, and all that is kept, are float32. */
enum dev_precision { DEV_FLOAT32, DEV_BFLOAT16 };

/* What is known of a device's own memory; limit_bytes 0: it is the host's, whose limits count. */
struct dev_memory {
    uint64_t used_bytes, limit_bytes;
};

struct dev {
    const char *name;                  /* "reference", "cpu", "far" */
    const struct dev_kernels *kernels; /* every entry is set */
    /* The host's threads, for what the host does beside the device; the kernels of the cpu device
     * run on them, too.  NULL: the calling thread alone. */
    struct t2_pool *pool;
    enum dev_precision precision;
    bool host_memory; /* device pointers may be read and written by the host */

    /* Memory: DEV_ALIGN_BYTES aligned, zeroed; NULL when short.  free(NULL) is nothing; what is
     * queued still uses the memory, what is queued later may get it again. */
    void *(*alloc)(struct dev *d, size_t bytes);
    void (*free)(struct dev *d, void *p);
    struct dev_memory (*memory)(const struct dev *d);

    /* Copies, in the order of the queue; 0 bytes are allowed.  upload reads the host's bytes when
     * the queue gets there: they stay as they are until sync, or an event behind it, has passed.
     * upload_now has read them when it returns.  download waits until they are there. */
    void (*upload)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*upload_now)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*download)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*copy)(struct dev *d, void *to, const void *from, size_t bytes);
    void (*zero)(struct dev *d, void *p, size_t bytes);
    void (*sync)(struct dev *d);

    /* Events are places in the queue, for timing without a sync between kernels.  event_record
     * marks the place behind what was queued so far, event_wait returns when the queue has come
     * there, event_seconds is the time between two places that it has passed. */
    struct dev_event *(*event_new)(struct dev *d);
    void (*event_free)(struct dev *d, struct dev_event *e); /* NULL is nothing */
    void (*event_record)(struct dev *d, struct dev_event *e);
    void (*event_wait)(struct dev *d, struct dev_event *e);
    double (*event_seconds)(struct dev *d, const struct dev_event *from,
                            const struct dev_event *to);

    /* The first failure since the device was opened: T2_EDEVICE, with the device, the kernel and
     * the graph's node; nothing behind it has a meaning.  Never waits: dev_check is asked once per
     * step. */
    enum t2_status (*check)(struct dev *d, struct t2_err *err);
    const char *node; /* whose kernels are queued now: the graph says so, for messages */
    int node_index;

    struct dev_gemm_times *gemm_times; /* gemm_times.h; NULL: not counted */
    void (*release)(struct dev *d);
    /* What a user should know: "cpu avx512, 2 threads, OpenBLAS 0.3.21 (SkylakeX)". */
    const char *(*describe)(const struct dev *d);
    /* What the libraries behind its kernels will keep for themselves with this precision on this
     * processor, beyond the little that a thread always has; NULL: nothing. */
    uint64_t (*library_bytes)(const struct dev *d);
};

/* name: "cpu", "reference" ("cuda" when built in).  num_threads 0 = all CPUs allowed. */
T2_MUST_CHECK enum t2_status dev_open(const char *name, int num_threads, struct dev **d,
                                      struct t2_err *err);
void dev_close(struct dev *d); /* waits; NULL is nothing */

/* T2_OK, or the device's failure. */
T2_MUST_CHECK enum t2_status dev_check(struct dev *d, struct t2_err *err);

/* "float32" or "bfloat16" (also "bf16"), before the first graph is built.  T2_EUSAGE for others. */
T2_MUST_CHECK enum t2_status dev_set_precision(struct dev *d, const char *name, struct t2_err *err);
const char *dev_precision_name(const struct dev *d);

#endif
