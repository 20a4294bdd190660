/*
 * train/dist/tree_sum.h - sums of long vectors over the shards of a batch, on all ranks.
 *
 * A rank brings the sums of the nodes that cover its shards (shard_tree.h).  The vector is cut into
 * buckets, and a bucket into a piece for each rank: every rank sends to rank r its nodes' piece r
 * (a reduce-scatter), which rank r adds up along the tree and sends to all (an all-gather).  While
 * one bucket is added up the next is on its way.  Where a rank has one shard a step moves 2 (R - 1)
 * / R vectors from each rank and as many to it, as few as can be.  What is added is the same for
 * any number of ranks, hosts, buckets and threads.
 */
#ifndef DIST_TREE_SUM_H
#define DIST_TREE_SUM_H

#include "base/pool.h"
#include "train/dist/dist.h"
#include "train/dist/shard_tree.h"

struct dist_tree_sum;

/* How numbers travel. */
enum dist_number {
    DIST_FLOAT32,
    /* Rounded to nearest, the sums once more.  All ranks have the same sums, which now depend on
     * who brings which nodes. */
    DIST_BFLOAT16
};

/* For vectors of n floats and batches of n_shards, of which this rank has those of
 * dist_tree_of_rank.  bucket_floats 0: 4 Mi, and fewer of shorter vectors.  dist and pool (NULL:
 * this thread alone adds) are borrowed. */
struct dist_tree_sum *dist_tree_sum_new(struct dist *dist, int n_shards, int64_t n,
                                        int64_t bucket_floats, enum dist_number number,
                                        struct t2_pool *pool);
void dist_tree_sum_free(struct dist_tree_sum *s); /* NULL is nothing */
/* What it keeps. */
uint64_t dist_tree_sum_bytes(const struct dist_tree_sum *s);

/*
 * Sums nodes (n_nodes of this rank, n), as dist_tree_cover has them, into sum (n), which may be one
 * of them; the others stay as they are.  That may be done beside the computing of the nodes, from
 * the end of the vector to its start.  `ready`: their floats from .. n - 1 are as they stay; goes
 * on without waiting, as far as that reaches and messages have come.  `end`: all of them are;
 * waits. Between `begin` and `end` what is ready is the sum's.  Ranks need not call `ready` alike.
 */
void dist_tree_sum_begin(struct dist_tree_sum *s, float *const *nodes, float *sum);
T2_MUST_CHECK enum t2_status dist_tree_sum_ready(struct dist_tree_sum *s, int64_t from,
                                                 struct t2_err *err);
T2_MUST_CHECK enum t2_status dist_tree_sum_end(struct dist_tree_sum *s, struct t2_err *err);
/* Of nodes that are there. */
T2_MUST_CHECK static inline enum t2_status dist_tree_sum_run(struct dist_tree_sum *s,
                                                             float *const *nodes, float *sum,
                                                             struct t2_err *err)
{
    dist_tree_sum_begin(s, nodes, sum);
    return dist_tree_sum_end(s, err);
}

#endif
