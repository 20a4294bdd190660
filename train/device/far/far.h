/*
 * train/device/far/far.h - the device "far": the reference's kernels as if they were far away.
 *
 * It exists to find code that only works where device memory is the host's and calls are done when
 * they return.  Its memory cannot be touched by the host (far_memory.h); its queues run late, on a
 * thread of its own and in an order that is drawn (far_queue.c), so an upload reads the host's
 * bytes long after the call, and fails when they are not what they were; memory that was freed is
 * poisoned; memory is counted against a limit of its own; a failure is seen by dev_check only.
 * Results are the reference's, bit for bit.
 */
#ifndef DEV_FAR_H
#define DEV_FAR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/device/device.h"
#include "train/device/far/far_memory.h"
#include "train/device/kernels.h"

struct far_dev;

/* Does what a call asked for, on the queue's thread; arguments holds near pointers. */
typedef void (*far_fn)(struct far_dev *f, void *arguments);

/* A call that waits for its turn; its arguments lie behind it. */
struct far_call {
    struct far_call *next;
    enum dev_queue after_queue; /* which has done `after` calls when it runs; queue_wait */
    uint64_t after;
    far_fn run;
    const char *what; /* of a kernel: its name, for messages */
    const char *node; /* of the graph */
    int node_index;
    enum dev_type precision; /* of the device at the call */
    size_t bytes;            /* of the arguments */
    max_align_t arguments[];
};

/* Calls in their order; near pointers are found anew at each replay. */
struct dev_recording {
    struct far_call *first, **last;
};

struct far_queue {
    struct far_call *first, **last;
    uint64_t n_queued, n_done; /* calls since the device was opened */
    uint64_t wanted;           /* of n_done: somebody waits for it */
};

struct far_dev {
    struct dev dev;   /* first: a struct dev * of this device is a struct far_dev * */
    struct dev *near; /* the reference device that does the work */
    struct dev_kernels near_kernels; /* its kernels where parameters have layouts */
    struct far_memory memory;
    struct far_host_piece *host; /* of alloc_host */
    pthread_t thread;
    pthread_mutex_t mutex; /* guards the queues, both kinds of memory and the error */
    pthread_cond_t wake, idle;
    struct far_queue queues[DEV_N_QUEUES];
    enum dev_queue running;          /* the queue that was drawn last, */
    uint64_t stays;                  /* which runs so many calls before another is drawn */
    uint64_t seed, n_drawn;          /* of the order */
    struct dev_recording *recording; /* takes the calls, between record_begin and record_end */
    bool closing;                    /* dev_close */
    int64_t fails_at;                /* T2_FAR_FAILS_AT: this kernel call fails; 0: none */
    int64_t n_kernels;
    int64_t alloc_fails_at; /* T2_FAR_ALLOC_FAILS_AT: the memory is short for this one; 0: none */
    int64_t n_allocs;
    struct t2_err error; /* the first failure; T2_OK: none */
};

/* ---- far_queue.c ---- */

/* T2_EDEVICE when there is no thread for the queues. */
T2_MUST_CHECK enum t2_status dev_far_queues_start(struct far_dev *f, struct t2_err *err);
/* Runs what was queued, and ends the thread. */
void dev_far_queues_stop(struct far_dev *f);

/* A call with a copy of its arguments, in which every device pointer is replaced by the near one
 * when the call runs. */
struct far_call *dev_far_call(far_fn run, const char *what, const void *arguments, size_t bytes);
/* Takes ownership of it. */
void dev_far_put(struct far_dev *f, enum dev_queue queue, struct far_call *c);
/* Both, for DEV_COMPUTE or the recording, with the device's settings. */
void dev_far_queue(struct far_dev *f, far_fn run, const char *what, const void *arguments,
                   size_t bytes);
/* Waits until a queue has done n calls; until all have done everything. */
void dev_far_wait_for(struct far_dev *f, enum dev_queue queue, uint64_t n);
void dev_far_wait(struct far_dev *f);
/* Keeps the failure if it is the first. */
void dev_far_fail(struct far_dev *f, const struct t2_err *e);

/* ---- far_layouts.c ---- */

/* From now on weights lie in an order of the device's own. */
void dev_far_set_layouts(struct far_dev *f);

/* ---- far_host.c: the host's memory that queues copy from and to ---- */

/* A piece stays when it is freed, poisoned, until nothing is queued: a copy that comes later finds
 * other bytes. */
struct far_host_piece {
    struct far_host_piece *next;
    char *memory;
    size_t bytes;
    bool freed;
};

void *dev_far_alloc_host(struct dev *d, size_t bytes);
void dev_far_free_host(struct dev *d, void *p);
/* Are these bytes of one piece that is not freed?  The mutex is held. */
bool dev_far_is_host(const struct far_dev *f, const void *p, size_t bytes);
/* Gives back pieces that are freed, or all; nothing is queued. */
void dev_far_host_release(struct far_dev *f, bool all);

extern const struct dev_kernels dev_far_kernels;

#endif
