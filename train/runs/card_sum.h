/*
 * train/runs/card_sum.h - sums of gradients over ranks that have a card each (dist/cards.h).
 *
 * What dist/tree_sum.h does in the hosts' memory, in the cards': the vector is cut into buckets, a
 * bucket into a piece for each rank; every rank sends to rank r its nodes' piece r, which rank r
 * adds up along the tree of the shards and sends to all.  So the bits are those of tree_sum, and of
 * one rank, whatever the number of cards.  All of it is work in DEV_EXCHANGE, behind events of
 * DEV_COMPUTE: the host waits for nothing, and the backward pass goes on meanwhile.
 */
#ifndef TR_CARD_SUM_H
#define TR_CARD_SUM_H

#include "train/device/device.h"
#include "train/dist/cards.h"
#include "train/dist/shard_tree.h"

struct tr_card_sum;

/* For vectors of n floats in memory of `dev` and batches of n_shards.  All ranks call it: where
 * they cannot be connected (T2_EUNSUPPORTED), all are told so.  dist and dev are borrowed. */
T2_MUST_CHECK enum t2_status tr_card_sum_new(struct dist *dist, struct dev *dev, int n_shards,
                                             int64_t n, struct tr_card_sum **s, struct t2_err *err);
void tr_card_sum_free(struct tr_card_sum *s);              /* NULL is nothing */
const char *tr_card_sum_name(const struct tr_card_sum *s); /* "NCCL 2.27.3" */
int64_t tr_card_sum_bucket(const struct tr_card_sum *s);   /* floats */
/* What it has in device memory, which place allocates. */
uint64_t tr_card_sum_bytes(const struct tr_card_sum *s);
T2_MUST_CHECK enum t2_status tr_card_sum_place(struct tr_card_sum *s, struct t2_err *err);

/*
 * Sums nodes (of this rank, n floats each, as dist_tree_cover has them) into `sum`, which is the
 * last of them, or beside them where there is none; the others do not stay as they are.  `ready`:
 * what computes their floats from .. n - 1 has been queued in DEV_COMPUTE.  `end`: all has; what is
 * queued there from then on comes behind the sum.
 */
void tr_card_sum_begin(struct tr_card_sum *s, float *const *nodes, float *sum);
T2_MUST_CHECK enum t2_status tr_card_sum_ready(struct tr_card_sum *s, int64_t from,
                                               struct t2_err *err);
T2_MUST_CHECK enum t2_status tr_card_sum_end(struct tr_card_sum *s, struct t2_err *err);

/* Of the bytes at `values`, in device memory, rank r has those at[r] .. at[r] + bytes[r] - 1: all
 * get all.  Likewise queued. */
T2_MUST_CHECK enum t2_status tr_card_sum_gather(struct tr_card_sum *s, void *values,
                                                const size_t *at, const size_t *bytes,
                                                struct t2_err *err);

#endif
