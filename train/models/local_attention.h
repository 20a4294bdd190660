/*
 * train/models/local_attention.h - self-attention within reach: blocks of sequences and of images.
 *
 * tensor2tensor/layers/common_attention.py, Parmar et al. 2018.  All take q, k (B, L, heads * Dk)
 * and v (B, L, heads * Dv) and give (B, L, heads * Dv); `how` has heads and scale.
 */
#ifndef MDL_LOCAL_ATTENTION_H
#define MDL_LOCAL_ATTENTION_H

#include "train/ops/attention.h"

/*
 * masked_local_attention_1d, and masked_relative_local_attention_1d where `how` has a table of
 * DEV_RELATIVE_LEFT: the sequence lies in blocks of block_length, the last may be shorter; a query
 * sees the keys of its own block up to itself and all of the block before.  A sequence shorter than
 * two blocks is one block.
 */
struct gr_tensor *mdl_local_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      int64_t block_length);

/* What a query sees beside its own block. */
struct mdl_reach {
    int64_t block; /* positions of a block; of two dimensions its rows and columns */
    int64_t query[2], flange[2];
    int64_t memory, gap, n_memories; /* of dilated attention: memories of so many positions */
    int64_t width;                   /* positions on both sides */
};

/* masked_within_block_local_attention_1d: the own block up to the query. */
struct gr_tensor *mdl_block_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      const struct mdl_reach *reach);

/* masked_dilated_self_attention_1d: the same, and to the left n_memories times, in front of the
 * block or of the memory before, a gap of positions that nothing sees and `memory` positions that
 * all queries of the block see. */
struct gr_tensor *mdl_dilated_attention(struct gr_graph *g, struct gr_tensor *q,
                                        struct gr_tensor *k, struct gr_tensor *v,
                                        const struct nn_attention *how,
                                        const struct mdl_reach *reach);

/* local_attention_1d: the own block and `width` positions on both sides, nothing masked. */
struct gr_tensor *mdl_wide_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                     struct gr_tensor *v, const struct nn_attention *how,
                                     const struct mdl_reach *reach);

/*
 * masked_local_attention_2d: L positions are `height` rows; blocks of query[0] x query[1].  A query
 * sees its block up to itself, row by row, flange[1] columns to the left of the block, and the
 * flange[0] rows above it from flange[1] columns to the left to as many to the right.  Blocks
 * beyond the edge are filled up with zeros, which a query of the same block sees.
 */
struct gr_tensor *mdl_local_attention_2d(struct gr_graph *g, struct gr_tensor *q,
                                         struct gr_tensor *k, struct gr_tensor *v,
                                         const struct nn_attention *how,
                                         const struct mdl_reach *reach, int64_t height);

/* right_shift_blockwise: within each block of query[0] x query[1] positions x (B, L, D) moves by
 * one position, row by row; the first becomes 0. */
struct gr_tensor *mdl_shift_blocks(struct gr_graph *g, struct gr_tensor *x, const int64_t query[2],
                                   int64_t height);

#endif
