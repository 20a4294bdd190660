/*
 * train/device/far/far.h - the device "far": the reference's kernels as if they were far away.
 *
 * It exists to find code that only works where device memory is the host's and calls are done when
 * they return.  Its memory cannot be touched by the host (far_memory.h); its queue runs late, on a
 * thread of its own, so an upload reads the host's bytes long after the call; memory that was freed
 * is poisoned; memory is counted against a limit of its own; a failure is seen by dev_check only.
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
    far_fn run;
    const char *what; /* of a kernel: its name, for messages */
    const char *node; /* of the graph */
    int node_index;
    enum dev_precision precision; /* of the device at the call */
    size_t bytes;                 /* of the arguments */
    max_align_t arguments[];
};

struct far_dev {
    struct dev dev;   /* first: a struct dev * of this device is a struct far_dev * */
    struct dev *near; /* the reference device that does the work */
    struct far_memory memory;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake, idle;
    struct far_call *first, **last; /* the queue */
    uint64_t n_queued, n_done;      /* calls since the device was opened */
    bool hurry, closing;            /* somebody waits: run; dev_close */
    int64_t fails_at;               /* T2_FAR_FAILS_AT: this kernel call fails; 0: none */
    int64_t n_kernels;
    struct t2_err error; /* the first failure; T2_OK: none */
};

/* Appends a call with a copy of its arguments, in which every device pointer is replaced by the
 * near one when the call runs. */
void dev_far_queue(struct far_dev *f, far_fn run, const char *what, const void *arguments,
                   size_t bytes);
/* Waits until everything that was queued is done. */
void dev_far_wait(struct far_dev *f);

extern const struct dev_kernels dev_far_kernels;

#endif
