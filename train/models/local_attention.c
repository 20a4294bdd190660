/*
 * train/models/local_attention.c - see the header.
 *
 * The blocks from the second on are batch elements of one causal attention with twice as many keys
 * as queries: query i of n stands at place i + n of its 2 n keys, so that it sees the whole block
 * before its own.  The first block, and the last where it is shorter, are attentions of their own.
 */
#include "train/models/local_attention.h"

#include "train/ops/slices.h"

/* Of x (B, L, D) the blocks 1 .. n_blocks, each behind the block before it: (B * n_blocks,
 * 2 * length, D). */
static struct gr_tensor *with_previous(struct gr_graph *g, struct gr_tensor *x, int64_t n_blocks,
                                       int64_t length)
{
    int64_t n = n_blocks * length;
    struct gr_tensor *both[] = {nn_slice_positions(g, x, 0, n, n_blocks),
                                nn_slice_positions(g, x, length, n, n_blocks)};

    return nn_join_positions(g, both, 2, x->dims[0] * n_blocks);
}

struct gr_tensor *mdl_local_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      int64_t block_length)
{
    int64_t B = q->dims[0], L = q->dims[1], n = block_length;
    int64_t later = L / n - 1, rest = L % n; /* whole blocks but the first, and what is left */
    struct nn_attention a = *how;
    struct gr_tensor *parts[3];
    int n_parts = 0;

    a.causal = true;
    a.q_per_key = 1;
    if (L < 2 * n)
        return nn_attention(g, q, k, v, &a);
    parts[n_parts++] =
        nn_attention(g, nn_slice_positions(g, q, 0, n, 1), nn_slice_positions(g, k, 0, n, 1),
                     nn_slice_positions(g, v, 0, n, 1), &a);
    parts[n_parts++] =
        nn_attention(g, nn_slice_positions(g, q, n, later * n, later),
                     with_previous(g, k, later, n), with_previous(g, v, later, n), &a);
    if (rest > 0)
        parts[n_parts++] = nn_attention(g, nn_slice_positions(g, q, L - rest, rest, 1),
                                        nn_slice_positions(g, k, L - rest - n, rest + n, 1),
                                        nn_slice_positions(g, v, L - rest - n, rest + n, 1), &a);
    return nn_join_positions(g, parts, n_parts, B);
}
