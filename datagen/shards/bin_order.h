/*
 * datagen/shards/bin_order.h - the records of one bin in another order, whether the bin fits into
 * memory or not.
 *
 * A bin that does not fit is read in windows: the records that follow each other in the new order,
 * as many as fit, are fetched in the order they have on disk.
 */
#ifndef DG_BIN_ORDER_H
#define DG_BIN_ORDER_H

#include "base/mt19937.h"
#include "datagen/shards/shard_bins.h"

/* Zero-initialise; reusable; dg_order_release. */
struct dg_order {
    struct dg_bin bin;
    uint64_t *offsets; /* n + 1: where each frame begins, and the last ends */
    uint32_t *items;   /* n: which frame comes when; as in the bin at first */
    uint64_t n, capacity;
    uint64_t memory_bytes; /* of a window */
};

/* Takes a bin over and finds its frames; it is loaded when it has at most memory_bytes. */
T2_MUST_CHECK enum t2_status dg_order_open(struct dg_order *o, struct dg_bins *bins, size_t bin,
                                           uint64_t memory_bytes, struct t2_err *err);
/* As Python's random.shuffle. */
void dg_order_shuffle(struct dg_order *o, struct t2_mt *mt);

/* Calls visit for every frame in order; the slice is borrowed for the call.  T2_EIO for one that is
 * not, by its CRCs, what was written to the scratch file. */
typedef enum t2_status dg_order_visit(void *context, struct t2_slice frame, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_order_run(const struct dg_order *o, dg_order_visit *visit,
                                          void *context, struct t2_err *err);

/* The bin goes, the arrays stay. */
void dg_order_close(struct dg_order *o);
void dg_order_release(struct dg_order *o);

#endif
