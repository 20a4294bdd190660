/*
 * train/models/local_attention.h - self-attention within reach: blocks of one-dimensional
 * sequences.
 *
 * tensor2tensor/layers/common_attention.py (masked_local_attention_1d), Parmar et al. 2018.
 */
#ifndef MDL_LOCAL_ATTENTION_H
#define MDL_LOCAL_ATTENTION_H

#include "train/ops/attention.h"

/*
 * q, k (B, L, heads * Dk), v (B, L, heads * Dv) -> (B, L, heads * Dv): the sequence lies in blocks
 * of block_length, the last may be shorter; a query sees the keys of its own block up to itself and
 * all of the block before.  A sequence shorter than two blocks is one block.  `how` has heads and
 * scale.
 */
struct gr_tensor *mdl_local_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                                      struct gr_tensor *v, const struct nn_attention *how,
                                      int64_t block_length);

#endif
