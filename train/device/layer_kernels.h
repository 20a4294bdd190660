/*
 * train/device/layer_kernels.h - arguments of the kernels that most models are made of: products of
 * matrices, embedding, normalisation of layers; a part of kernels.h.
 */
#ifndef DEV_LAYER_KERNELS_H
#define DEV_LAYER_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/elementwise_kernels.h"
#include "train/device/step_block.h"
#include "train/device/types.h"

enum dev_activation { DEV_LINEAR, DEV_RELU };

/* C (M,N) = dropout(activation(op(A) op(B) + bias)) [+ C].  op(A) is (M,K): A is (M,K) with row
 * stride lda, or, with trans_a, (K,M).  bias (N) may be NULL.  dropout counts elements by
 * row * N + column.  With accumulate there is no bias, activation or dropout; with any of these
 * ldc == N.  On a device of another precision than float32 the elements of A and B are rounded to
 * it first. */
struct dev_gemm {
    bool trans_a, trans_b;
    int64_t M, N, K;
    enum dev_type type_a, type_b, type_c;
    const void *A, *B;
    int64_t lda, ldb, ldc;
    int32_t layout_b, layout_c; /* of a parameter, of its gradient (param_layout.h); else 0 */
    void *C;
    bool accumulate;
    const float *bias;
    enum dev_activation activation;
    struct dev_dropout dropout;
    float *scratch; /* dev_kernels.gemm_scratch_floats() */
};

/* out (cols) [+]= sum over rows of x (rows,cols), rows in ascending order by fixed blocks */
struct dev_col_sum_args {
    enum dev_type type; /* of x */
    const void *x;
    int64_t rows, cols;
    bool accumulate;
    float *out;
    float *scratch; /* col_sum_scratch_floats */
};

/*
 * Embedding of ids (B,L) with everything that is added to it, out (B,L,D):
 *   out[b,l] = dropout(e + extra + positions[p])
 *   e = scale * table[ids[b, l - shift]] where that id is not 0, else 0; 0 for l - shift < 0
 * shift is 0 or 1 (decoder input).  With parts > 0 the table is that many tables of part_rows rows,
 * one behind the other: an id at m is a row of number m mod parts, 0 like every other; one below 0
 * is none (pixels, whose channels take turns; labels).  extra (D) may be NULL; positions (rows,D)
 * may be NULL; p = first_position + l, or position_ids[b,l] when these are given; a row beyond
 * n_positions counts as zeros.
 */
struct dev_embed {
    int64_t B, L, D;
    const int32_t *ids;
    const float *table; /* (V,D) */
    float scale;
    int shift;
    int64_t parts, part_rows; /* 0: one table, and id 0 is none */
    const float *extra;
    const float *positions;
    int64_t n_positions, first_position;
    const struct dev_step *at_step; /* NULL, or first_position is its position */
    const int32_t *position_ids;
    struct dev_dropout dropout;
    enum dev_type type; /* of out and its gradient */
};

struct dev_embed_args {
    struct dev_embed of;
    void *out; /* (B,L,D) */
};

/* dtable (V,D): scale * dropout(dout) added to the rows of the ids (zeroed first without
 * accumulate); dextra (D) and dpositions (n_positions,D) likewise.  Each may be NULL. */
struct dev_embed_bwd_args {
    struct dev_embed of;
    const void *dout; /* (B,L,D) */
    int64_t V;
    float *dtable;
    bool accumulate_table;
    float *dextra;
    bool accumulate_extra;
    float *dpositions;
    bool accumulate_positions;
};

/* y = (x - mean) * rstd * scale + bias over rows of D.  With of_sum x is sum.out, which is computed
 * in the same pass, as kernel residual would: of the same type, (rows,D). */
struct dev_layer_norm_args {
    enum dev_type type; /* of x and y */
    bool of_sum;
    struct dev_residual_args sum;
    const void *x;             /* (rows,D) */
    const float *scale, *bias; /* (D) */
    int64_t rows, D;
    float eps;
    void *y;      /* (rows,D) */
    float *stats; /* (rows,2): mean, rstd */
};

/* dx [+]= the gradient of x.  With of_sum x is sum.x + dropout(sum.y), and its gradient, rounded to
 * the type, is what comes through y + sum.dout (what comes from elsewhere; NULL: nothing).  Then dx
 * is of sum.x, and sum.dy [+]= dropout of the gradient is of sum.y; each may be NULL. */
struct dev_layer_norm_bwd_args {
    enum dev_type type; /* of x, dy and dx */
    bool of_sum;
    struct dev_residual_bwd_args sum;
    const void *x;              /* (rows,D) */
    const float *scale, *stats; /* (D), (rows,2) */
    const void *dy;             /* (rows,D) */
    int64_t rows, D;
    void *dx; /* (rows,D) */
    bool accumulate_x;
    float *dscale; /* (D) */
    bool accumulate_scale;
    float *dbias; /* (D) */
    bool accumulate_bias;
    float *scratch; /* layer_norm_scratch_floats */
};

#endif
