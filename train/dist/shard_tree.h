/*
 * train/dist/shard_tree.h - the order in which the sums over the shards of a batch are made.
 *
 * A batch is cut into n shards whatever the number of ranks, and what is summed over them is summed
 * along a binary tree over the shards: of n > 1 the left side are the first 2^k, the largest power
 * of two below n.  So the bits follow from n alone.  A rank has consecutive shards, sums what lies
 * in its part of the tree, and the nodes that are left are summed where they meet.
 */
#ifndef DIST_SHARD_TREE_H
#define DIST_SHARD_TREE_H

#include <stdbool.h>

/* Shards first .. end - 1. */
struct dist_span {
    int first, end;
};

/* Where a node of two shards or more is cut: its sides are first .. middle - 1 and the rest. */
int dist_tree_middle(struct dist_span node);
/* Is this the span of a node of the tree over n shards? */
bool dist_tree_has(int n, struct dist_span span);
/* The consecutive shards of a rank: [rank * n / size, (rank + 1) * n / size), which may be none. */
struct dist_span dist_tree_of_rank(int n, int rank, int size);
/* The nodes that cover the shards, as few as there can be, in order; nodes == NULL only counts. */
int dist_tree_cover(int n, struct dist_span shards, struct dist_span *nodes);

#endif
