/*
 * train/dist/shard_tree.c - the tree over the shards of a batch.
 */
#include "train/dist/shard_tree.h"

#include <stddef.h>
#include <stdint.h>

int dist_tree_middle(struct dist_span node)
{
    int half = 1;

    while (2 * half < node.end - node.first)
        half *= 2;
    return node.first + half;
}

bool dist_tree_has(int n, struct dist_span span)
{
    struct dist_span node = {0, n};

    while (node.first < span.first || node.end > span.end) {
        int middle = node.end - node.first > 1 ? dist_tree_middle(node) : node.end;

        if (span.first >= middle && middle < node.end)
            node.first = middle;
        else if (span.end <= middle && middle < node.end)
            node.end = middle;
        else
            return false;
    }
    return node.first == span.first && node.end == span.end;
}

struct dist_span dist_tree_of_rank(int n, int rank, int size)
{
    return (struct dist_span){(int) ((int64_t) rank * n / size),
                              (int) (((int64_t) rank + 1) * n / size)};
}

int dist_tree_cover(int n, struct dist_span shards, struct dist_span *nodes)
{
    int n_nodes = 0;

    for (int first = shards.first; first < shards.end; n_nodes++) {
        int end = shards.end;

        while (!dist_tree_has(n, (struct dist_span){first, end}))
            end--;
        if (nodes)
            nodes[n_nodes] = (struct dist_span){first, end};
        first = end;
    }
    return n_nodes;
}
