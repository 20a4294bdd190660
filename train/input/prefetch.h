/*
 * train/input/prefetch.h - a thread that prepares batches ahead, in order, into a bounded queue.
 */
#ifndef IN_PREFETCH_H
#define IN_PREFETCH_H

#include <stdint.h>

#include "base/err.h"
#include "train/input/batch_item.h"

/* Called on the thread, one at a time.  T2_EOF or a failure ends the thread. */
typedef enum t2_status (*in_produce_fn)(void *context, struct in_item *item, struct t2_err *err);

struct in_prefetch;

/* Starts the thread, which keeps n_ahead batches ready besides the one that the reader holds, in
 * n_ahead + 1 items.  memory (of the items) is borrowed for the life of *p. */
T2_MUST_CHECK enum t2_status in_prefetch_new(int n_ahead, const struct in_memory *memory,
                                             in_produce_fn produce, void *context,
                                             struct in_prefetch **p, struct t2_err *err);
/* Stops the thread. */
void in_prefetch_free(struct in_prefetch *p);

/* The next item in order, borrowed until the following call.  What ended the thread is returned
 * after all items before it, and again on every later call.  Adds the time waited to *wait_s. */
T2_MUST_CHECK enum t2_status in_prefetch_next(struct in_prefetch *p, const struct in_item **item,
                                              double *wait_s, struct t2_err *err);

/* The item that the next call will give, when it is there already, else NULL: the caller may look
 * at it and write into its batch.  It stays until the call after that one. */
struct in_item *in_prefetch_peek(struct in_prefetch *p);

#endif
