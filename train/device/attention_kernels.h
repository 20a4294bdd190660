/*
 * train/device/attention_kernels.h - arguments of the kernels of attention; a part of kernels.h.
 */
#ifndef DEV_ATTENTION_KERNELS_H
#define DEV_ATTENTION_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

/*
 * Learned vectors for relative positions in self-attention; query i stands at p = i + Lk - Lq.
 *   DEV_RELATIVE_CLIPPED (dot_product_relative): rows = 2 R + 1, the row of key j is
 *     clip(j - p, -R, R) + R.
 *   DEV_RELATIVE_LEFT (dot_product_relative_v2): row rows - 1 - (p - j) for keys at or left of the
 *     query, none where that is negative.  Right of it the original's shifted matrix shows what it
 *     was not made for: key j > p + 1 sees query i + 1 at row rows - Lk + j - p - 2, key p + 1
 *     nothing.
 * Where (i', r) is the query and row of (i, j):
 *   logit_ij += scale * q_i' . k_r,  out_i' += dropout(w_ij) v_r
 */
enum dev_relative_kind { DEV_RELATIVE_NONE, DEV_RELATIVE_CLIPPED, DEV_RELATIVE_LEFT };

struct dev_relative {
    enum dev_relative_kind kind;
    int64_t rows;
    bool per_head;      /* each head has its own tables */
    const float *k, *v; /* ([H,] rows, Dk), ([H,] rows, Dv); v may be NULL */
};

/*
 * Attention of H heads.  q (B,Lq,H*Dk), k (B,Lk,H*Dk), v (B,Lk,H*Dv), out (B,Lq,H*Dv):
 *   w = softmax_j(scale * q_i . k_j + bias_ij), out_i = sum_j dropout(w_ij) v_j
 * bias is -1e9 (in place of the logit, which it absorbs in float32 as in the original) where
 * key_ids[b,j] == 0 (key_ids NULL: nowhere), with `causal` (Lk >= Lq then) where j > i + Lk - Lq,
 * and with levels where k_levels[b,j] > q_levels[b,i].  Where k_segments[b,j] != q_segments[b,i]
 * another -1e9 is added.  `proximity` subtracts log(1 + |i + Lk - Lq - j|) from the logits.  With
 * hard_k > 0 the hard_k-th largest distinct value of each row of weights is subtracted from it (no
 * gradient goes through it), what is below 0 becomes 0, and the rest is divided by max(sum, 1e-6).
 * The backward pass computes the weights again.  k and v have room for k_rows >= Lk rows per batch
 * element (a cache being filled); q_per_key consecutive batch elements of q share one of k, v,
 * key_ids, k_segments and k_levels (beam search; 1 in training).  With cache_index, key and value j
 * of element b are row j of element cache_index[b,j] (q_per_key is 1 then).
 */
struct dev_attention {
    int64_t B, H, Lq, Lk, Dk, Dv;
    int64_t k_rows;
    const struct dev_step *at_step; /* NULL, or Lk is its (position + 1) step_keys */
    int64_t step_keys;              /* that a position of at_step has; 0 is one */
    int64_t q_per_key;
    enum dev_type type; /* of q, k, v, out and their gradients */
    const void *q, *k, *v;
    const int32_t *cache_index;             /* NULL, or (2, B, k_rows): the table of at_step */
    const int32_t *key_ids;                 /* (B / q_per_key, Lk); with step_keys k_rows of each */
    const int32_t *q_segments, *k_segments; /* (B, Lq), and as key_ids; both or none */
    const int32_t *q_levels, *k_levels;     /* likewise */
    bool causal;
    bool proximity;
    int64_t hard_k;
    float scale;
    struct dev_relative relative;
    struct dev_dropout dropout;
    /* one mask for all batch elements, for all heads, for all queries */
    bool dropout_same_batch, dropout_same_heads, dropout_same_queries;
    const struct dev_live *live; /* of B; NULL: all */
    void *out;
};

/* From one element's ids of keys to the next one's. */
static inline int64_t dev_attention_ids_rows(const struct dev_attention *a)
{
    return a->step_keys ? a->k_rows : a->Lk;
}

struct dev_attention_grads {
    const void *dout;
    void *dq, *dk, *dv; /* each NULL when not wanted */
    bool accumulate_q, accumulate_k, accumulate_v;
    float *drelative_k, *drelative_v; /* of the tables; wanted where the table is there */
    bool accumulate_relative_k, accumulate_relative_v;
};

struct dev_attention_args {
    struct dev_attention of;
    float *scratch; /* attention_scratch_floats, forward */
};

struct dev_attention_bwd_args {
    struct dev_attention of;
    struct dev_attention_grads g;
    float *scratch; /* attention_scratch_floats, backward */
};

#endif
