/*
 * train/device/readback.h - small results of a step on their way to the host, which need not wait
 * for them: they are copied behind the step and taken in its order, a step or two later.
 */
#ifndef DEV_READBACK_H
#define DEV_READBACK_H

#include "train/device/device.h"

/* So many may be asked for and not taken. */
enum { DEV_READBACKS = 2 };

struct dev_readback {
    struct dev *dev; /* borrowed */
    size_t bytes;
    char *host; /* (DEV_READBACKS, stride) of alloc_host */
    size_t stride;
    struct dev_event *there[DEV_READBACKS];
    uint64_t n_asked, n_taken;
};

/* For records of so many bytes.  A zeroed one may be closed. */
T2_MUST_CHECK enum t2_status dev_readback_open(struct dev_readback *r, struct dev *dev,
                                               size_t bytes, struct t2_err *err);
void dev_readback_close(struct dev_readback *r);
/* Copies what `from` (device memory) holds when DEV_COMPUTE has come here. */
void dev_readback_ask(struct dev_readback *r, const void *from);
/* The oldest that was asked for and not taken; waits for it.  Valid until as many as DEV_READBACKS
 * were asked for since. */
const void *dev_readback_take(struct dev_readback *r);

#endif
