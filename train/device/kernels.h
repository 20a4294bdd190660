/*
 * train/device/kernels.h - the table of kernels that every device provides.
 *
 * All pointers are device memory.  Matrices are row-major.  A `bool accumulate` says whether a
 * result is added to what the output holds (true) or replaces it.  Nothing may alias unless said.
 * Every kernel has its plain form in device/reference/, which is its specification; the parity test
 * (tests/ops/test_kernels.c) compares each device with it.
 */
#ifndef DEV_KERNELS_H
#define DEV_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/device.h"

/*
 * What changes from one step to the next, in device memory: kernels read it there when they run, so
 * the calls of a step are the same calls in every step, and can be recorded once and replayed.
 */
struct dev_step {
    uint32_t dropout_key[2];
    uint32_t dropout_step[2]; /* low, high: the layout of t2_rng_init */
    float grad_scale;         /* of the loss: multiplier / number of targets */
    int32_t position;         /* decoding: index of the current target */
};

/*
 * A dropout mask: element i of site `site` in step `step` of a run with `key` is kept when its 16
 * random bits are not below `threshold`; kept values are multiplied by `scale` = 1 / (1 - rate).
 * threshold 0 keeps everything.  The bits come from Philox (see dropout_bits.h), so a backward pass
 * draws the mask again instead of storing it.
 */
struct dev_dropout {
    const struct dev_step *step; /* key and step; NULL where nothing is dropped */
    uint32_t site;
    uint32_t threshold; /* round(rate * 65536) */
    float scale;
    /* A mask over (rows, shared_cols) of which shared_rows consecutive rows (the positions of a
     * sequence) share one: there element (r, c) is number
     * r / shared_rows * round_up(shared_cols, 128) + c.  0: every element has its own. */
    int64_t shared_rows, shared_cols;
};

enum dev_activation { DEV_LINEAR, DEV_RELU };

/* C (M,N) = dropout(activation(op(A) op(B) + bias)) [+ C].  op(A) is (M,K): A is (M,K) with row
 * stride lda, or, with trans_a, (K,M).  bias (N) may be NULL.  dropout counts elements by
 * row * N + column.  With accumulate there is no bias, activation or dropout; with any of these
 * ldc == N.  On a device of precision DEV_BFLOAT16 the elements of A and B are rounded to bfloat16
 * first. */
struct dev_gemm {
    bool trans_a, trans_b;
    int64_t M, N, K;
    const float *A, *B;
    int64_t lda, ldb, ldc;
    float *C;
    bool accumulate;
    const float *bias;
    enum dev_activation activation;
    struct dev_dropout dropout;
    float *scratch; /* dev_kernels.gemm_scratch_floats() */
};

/*
 * Embedding of ids (B,L) with everything that is added to it, out (B,L,D):
 *   out[b,l] = dropout(e + extra + positions[p])
 *   e = scale * table[ids[b, l - shift]] where that id is not 0, else 0; 0 for l - shift < 0
 * shift is 0 or 1 (decoder input).  extra (D) may be NULL; positions (rows,D) may be NULL;
 * p = first_position + l, or position_ids[b,l] when these are given; a row beyond n_positions
 * counts as zeros.
 */
struct dev_embed {
    int64_t B, L, D;
    const int32_t *ids;
    const float *table; /* (V,D) */
    float scale;
    int shift;
    const float *extra;
    const float *positions;
    int64_t n_positions, first_position;
    const struct dev_step *at_step; /* NULL, or first_position is its position */
    const int32_t *position_ids;
    struct dev_dropout dropout;
};

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
 * key_ids, k_segments and k_levels (beam search; 1 in training).
 */
struct dev_attention {
    int64_t B, H, Lq, Lk, Dk, Dv;
    int64_t k_rows;
    const struct dev_step *at_step; /* NULL, or Lk is its position + 1, at most what Lk says */
    int64_t q_per_key;
    const float *q, *k, *v;
    const int32_t *key_ids;                 /* (B / q_per_key, Lk) */
    const int32_t *q_segments, *k_segments; /* (B, Lq), (B / q_per_key, Lk); both or none */
    const int32_t *q_levels, *k_levels;     /* likewise */
    bool causal;
    bool proximity;
    int64_t hard_k;
    float scale;
    struct dev_relative relative;
    struct dev_dropout dropout;
    /* one mask for all batch elements, for all heads, for all queries */
    bool dropout_same_batch, dropout_same_heads, dropout_same_queries;
    float *out;
};

struct dev_attention_grads {
    const float *dout;
    float *dq, *dk, *dv; /* each NULL when not wanted */
    bool accumulate_q, accumulate_k, accumulate_v;
    float *drelative_k, *drelative_v; /* of the tables; wanted where the table is there */
    bool accumulate_relative_k, accumulate_relative_v;
};

/*
 * Softmax cross-entropy with label smoothing over logits = x table^T, x (N,D), table (V,D), with
 * the softmax table used in tiles, so no (N,V) tensor is held.  Rows whose label is 0 do not count.
 * Spec t2t-trainer.md §3.8: conf = 1 - smoothing on the label, low = smoothing / (V - 1) elsewhere;
 * loss = cross-entropy - norm, norm = -(conf ln conf + (V-1) low ln(low + 1e-20)).
 * grad_scale multiplies the gradients (1 / number of counting labels, times the loss multiplier).
 */
struct dev_xent {
    int64_t N, D, V;
    const float *x, *table;
    const int32_t *labels;
    float smoothing;
    const struct dev_step *step; /* grad_scale multiplies the gradients; NULL without */
    float *dx;                   /* (N,D); NULL: no gradients at all */
    float *dtable;               /* (V,D) */
    bool accumulate_x, accumulate_table;
    /* (N,4): loss (0 where the label is 0), 1 when the largest logit is the label's and 1/2 when it
     * is one of the five largest (of equals the first ones), log p(label), weight. */
    float *row_stats;
    float *scratch; /* dev_kernels.xent_scratch_floats() */
};

/*
 * What the taps of a convolution along positions read, side by side, so that a gemm with the
 * weights (taps*D, N) computes it: out (B,L,taps*D), out[b,l, t*D + c] = scale * x[b, at + l +
 * offset(t), c],  offset(0) = 0, offset(t) = first + t and 0 outside of the rows at' = 0 .. at + L
 * - 1 or where row_ids[b, at'] == 0 (row_ids NULL: nowhere; at is 0 then).  Tap 0 is not shifted,
 * as in the original (tpu_conv1d).  x (B,x_rows,D); in training x_rows is L and at 0, in decoding x
 * is a cache and L is 1.
 */
struct dev_unfold {
    int64_t B, L, D, taps, first;
    int64_t x_rows, at;
    const struct dev_step *at_step; /* NULL, or `at` is its position */
    float scale;
    const int32_t *row_ids;
    const float *x;
};

/* Convolution of each channel along positions, padded on the left: y (B,L,C),
 *   y[b,l,c] = sum over t of x[b, l - (taps - 1) + t, c] w[t,c], w (taps,C). */
struct dev_depthwise {
    int64_t B, L, C, taps;
    const float *x, *w;
};

/* Softmax cross-entropy of given logits (N,V) as in struct dev_xent, but every row counts, also
 * label 0.  uniform: smoothing as tf.losses.softmax_cross_entropy has it, smoothing / V everywhere
 * and the rest on the label, and nothing is subtracted.  With other_labels row r has the loss of
 * its label weights[r] times and that of its other one 1 - weights[r] times (images mixed of two).
 */
struct dev_class_xent {
    int64_t N, V;
    const float *logits;
    const int32_t *labels;
    const int32_t *other_labels; /* (N), or NULL */
    const float *weights;        /* (N) with other_labels */
    float smoothing;
    bool uniform;
    const struct dev_step *step; /* grad_scale */
    float *dlogits;              /* (N,V); NULL: no gradient */
    bool accumulate;
    float *row_stats; /* (N,4) as in struct dev_xent; but for the loss they are of `labels` */
};

/*
 * Convolution of images x (B,H,W,C) with w (kh,kw,C,N), y (B,Ho,Wo,N):
 *   y[b,i,j,n] = activation(bias[n] + sum over u, v, c of
 *                x[b, i*stride + u*dilation - top, j*stride + v*dilation - left, c] w[u,v,c,n])
 * with zeros outside of x.  depthwise: w is (kh,kw,C,N/C), channel c gives the outputs n with
 * n / (N/C) = c and takes part in no other.  bias (N) may be NULL.  On a device of precision
 * DEV_BFLOAT16 the factors (elements of x, w and dy) are rounded to bfloat16 first, but for
 * depthwise.
 */
struct dev_conv2d {
    int64_t B, H, W, C;
    int64_t kh, kw;
    int64_t Ho, Wo, N;
    int64_t stride, dilation;
    /* rows and columns of zeros before the first of x; behind the last one as many as are read */
    int64_t top, left;
    bool depthwise;
    const float *x, *w, *bias;
    enum dev_activation activation;
    float *scratch; /* dev_kernels.conv2d_scratch_floats() */
};

/*
 * Losses of each value of x (N,D) against a target t in targets (N,D), summed over a row and
 * multiplied by `weight`:
 *   DEV_SIGMOID  cross-entropy of sigmoid(x): max(x, 0) - x t + log(1 + exp(-|x|))
 *   DEV_SQUARES  (x - t)^2
 */
enum dev_pointwise { DEV_SIGMOID, DEV_SQUARES };

struct dev_pointwise_loss {
    enum dev_pointwise kind;
    int64_t N, D;
    const float *x, *targets;
    float weight;
    const struct dev_step *step; /* grad_scale */
    float *dx;                   /* (N,D); NULL: no gradient */
    bool accumulate;
    /* (N,4): loss; 1 when each value is on its target's side (of 0 and of 1/2; DEV_SQUARES: 0); 0;
     * 1 */
    float *row_stats;
};

/* Windows of images x (B,H,W,C) that lie in a grid of Ho x Wo, stride apart: window (r, q) covers
 * rows r stride - top + i and columns q stride - left + j, 0 <= i, j < size, of which those outside
 * of the image do not count; each has one inside.  Tap (i, j) is number i size + j. */
struct dev_pool {
    int64_t B, H, W, C, Ho, Wo;
    int64_t size, stride, top, left;
};

/* GELU's constants, in its form with tanh (Hendrycks and Gimpel 2016): sqrt(2/pi), and the
 * cube's. */
#define GELU_SLOPE 0.7978845608028654F
#define GELU_CUBE 0.044715F

/* The three gemms of a convolution: y, dx and dw. */
enum dev_conv2d_pass { DEV_CONV2D_FORWARD, DEV_CONV2D_DATA, DEV_CONV2D_WEIGHTS };

/* y = x * sigmoid(gate): x, y (B,P,C), gate (B,C). */
struct dev_excite {
    int64_t B, P, C;
    const float *x, *gate;
    float *y; /* forward */
    const float *dy;
    bool accumulate_dx, accumulate_dgate;
    float *dx, *dgate;
};

/*
 * Batch normalisation of the C columns of x (rows,C), each over all rows:
 *   z = (x - mean) gamma / sqrt(variance + epsilon) + beta [+ residual],  y = z, or max(z, 0)
 */
struct dev_batch_norm {
    int64_t rows, C;
    const float *x;
    const float *gamma, *beta, *mean, *variance; /* (C) */
    float epsilon;
    const float *residual; /* (rows,C) or NULL */
    bool relu;
};

/*
 * Where mean and variance (the population's) are those of x.  With dz = dy where a ReLU let z
 * through, else 0, and xhat = (x - mean) / sqrt(variance + epsilon):
 *   dbeta = sum of dz,  dgamma = sum of dz xhat,  dresidual = dz
 *   dx = gamma / sqrt(variance + epsilon) (dz - dbeta / rows - xhat dgamma / rows)
 */
struct dev_batch_norm_grads {
    const float *y; /* read with relu and residual only; without a residual z is computed again */
    const float *dy;
    float *dx, *dgamma, *dbeta;
    float *dresidual; /* NULL when not wanted */
    bool accumulate_x, accumulate_gamma, accumulate_beta, accumulate_residual;
    float *scratch; /* dev_kernels.batch_norm_scratch_floats() */
};

/*
 * The weights of w (rows,cols) that targeted dropout applies to (common_layers.weight_targeting and
 * unit_targeting): those of each column whose |w| is not above number nth of them, from 0 and
 * ascending, so nth + 1 and their equals; with `columns` all of the columns whose norm is not above
 * number nth of the norms.  factors (rows,cols): dropout's for the targeted ones, 1 for the others.
 */
struct dev_targeted {
    int64_t rows, cols, nth;
    bool columns;
    const float *w;
    struct dev_dropout dropout;
    float *factors;
    float *scratch; /* rows + 2 cols */
};

/* ---- arguments of the kernels that have no struct of their own above ---- */

/* out (cols) [+]= sum over rows of x (rows,cols), rows in ascending order by fixed blocks */
struct dev_col_sum_args {
    const float *x;
    int64_t rows, cols;
    bool accumulate;
    float *out;
    float *scratch; /* col_sum_scratch_floats */
};

/* dx = y > 0 ? dy * scale : 0; in place allowed (dx == dy).  The backward of dropout(relu(x)): y is
 * the result, scale the dropout's. */
struct dev_relu_bwd_args {
    const float *y, *dy;
    int64_t n;
    float scale;
    float *dx;
};

/* y [+]= dropout(x) over n elements; in place allowed; also its own backward. */
struct dev_dropout_args {
    const float *x;
    int64_t n;
    struct dev_dropout dropout;
    bool accumulate;
    float *y;
};

/* out = x + dropout(y), all (rows,cols); rows whose row_ids is 0 take nothing of y (row_ids may be
 * NULL). */
struct dev_residual_args {
    const float *x, *y;
    const int32_t *row_ids; /* (rows) */
    int64_t rows, cols;
    struct dev_dropout dropout;
    float *out;
};

/* dy [+]= dropout(dout), both (rows,cols); rows whose row_ids is 0 are zero */
struct dev_residual_bwd_args {
    const float *dout;
    const int32_t *row_ids; /* (rows) */
    int64_t rows, cols;
    struct dev_dropout dropout;
    bool accumulate;
    float *dy;
};

/* y [+]= x over n elements */
struct dev_copy_args {
    const float *x;
    int64_t n;
    bool accumulate;
    float *y;
};

struct dev_embed_args {
    struct dev_embed of;
    float *out; /* (B,L,D) */
};

/* dtable (V,D): scale * dropout(dout) added to the rows of the ids (zeroed first without
 * accumulate); dextra (D) and dpositions (n_positions,D) likewise.  Each may be NULL. */
struct dev_embed_bwd_args {
    struct dev_embed of;
    const float *dout; /* (B,L,D) */
    int64_t V;
    float *dtable;
    bool accumulate_table;
    float *dextra;
    bool accumulate_extra;
    float *dpositions;
    bool accumulate_positions;
};

/* y = (x - mean) * rstd * scale + bias over rows of D */
struct dev_layer_norm_args {
    const float *x;            /* (rows,D) */
    const float *scale, *bias; /* (D) */
    int64_t rows, D;
    float eps;
    float *y;     /* (rows,D) */
    float *stats; /* (rows,2): mean, rstd */
};

struct dev_layer_norm_bwd_args {
    const float *x, *scale, *stats, *dy; /* (rows,D), (D), (rows,2), (rows,D) */
    int64_t rows, D;
    float *dx; /* (rows,D) */
    bool accumulate_x;
    float *dscale; /* (D) */
    bool accumulate_scale;
    float *dbias; /* (D) */
    bool accumulate_bias;
    float *scratch; /* layer_norm_scratch_floats */
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

struct dev_unfold_args {
    struct dev_unfold of;
    float *out; /* (B,L,taps*D) */
};

struct dev_unfold_bwd_args {
    struct dev_unfold of;
    const float *dout; /* (B,L,taps*D) */
    bool accumulate;
    float *dx; /* (B,L,D) */
};

struct dev_depthwise_args {
    struct dev_depthwise of;
    float *y; /* (B,L,C) */
};

/* Sums over rows in their order. */
struct dev_depthwise_bwd_args {
    struct dev_depthwise of;
    const float *dy; /* (B,L,C) */
    float *dx;       /* (B,L,C) */
    bool accumulate_x;
    float *dw; /* (taps,C) */
    bool accumulate_w;
};

/* y [+]= scale * x over n elements */
struct dev_scale_args {
    const float *x;
    int64_t n;
    float scale;
    bool accumulate;
    float *y;
};

/* y (B,A,D) [+]= x (A,B,D); its own backward with A and B exchanged */
struct dev_swap_axes_args {
    const float *x;
    int64_t A, B, D;
    bool accumulate;
    float *y;
};

/* y (B,D) = mean over L of x (B,L,D) */
struct dev_mean_axis_args {
    const float *x;
    int64_t B, L, D;
    float *y;
};

/* dx (B,L,D) [+]= dy (B,D) / L */
struct dev_mean_axis_bwd_args {
    const float *dy;
    int64_t B, L, D;
    bool accumulate;
    float *dx;
};

/* y [+]= x for rows of cols values, a stride from one row to the next */
struct dev_copy_columns_args {
    const float *x;
    int64_t rows, cols, x_stride;
    bool accumulate;
    float *y;
    int64_t y_stride;
};

/* x, y (B,H,W,C) of dims: y[b,i,j] [+]= x[b,i+rows,j+columns], 0 beyond the edge */
struct dev_shift_pixels_args {
    const float *x;
    int64_t dims[4];
    int64_t rows, columns;
    bool accumulate;
    float *y;
};

/* x, y (B,H,W,C) of dims: y[b,i,j] = x[b,i,W-1-j] */
struct dev_mirror_pixels_args {
    const float *x;
    int64_t dims[4];
    float *y;
};

/* Mean and population variance (C) of the columns of x (rows,C), by fixed blocks of rows; what a
 * column has in common does not cancel. */
struct dev_batch_moments_args {
    const float *x;
    int64_t rows, C;
    float *mean, *variance;
    float *scratch; /* batch_norm_scratch_floats */
};

struct dev_batch_norm_args {
    struct dev_batch_norm of;
    float *y; /* (rows,C) */
};

struct dev_batch_norm_bwd_args {
    struct dev_batch_norm of;
    struct dev_batch_norm_grads g;
};

/* y (B,Ho,Wo,C), the largest of x (B,H,W,C) in each window (NaN where there is one); argmax,
 * likewise, says which tap: the first of equal ones; NULL when not wanted. */
struct dev_max_pool_args {
    struct dev_pool of;
    const float *x;
    float *y;
    int32_t *argmax;
};

/* dx (B,H,W,C) [+]= dy (B,Ho,Wo,C) at the argmax */
struct dev_max_pool_bwd_args {
    struct dev_pool of;
    const float *dy;
    const int32_t *argmax;
    bool accumulate;
    float *dx;
};

/* y (B,Ho,Wo,C): the mean of each window of x (B,H,W,C) */
struct dev_avg_pool_args {
    struct dev_pool of;
    const float *x;
    float *y;
};

struct dev_avg_pool_bwd_args {
    struct dev_pool of;
    const float *dy;
    bool accumulate;
    float *dx;
};

/* y = max(x, 0); NaN stays */
struct dev_relu_args {
    const float *x;
    int64_t n;
    float *y;
};

/* y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
struct dev_gelu_args {
    const float *x;
    int64_t n;
    float *y;
};

/* dx [+]= dy times gelu's derivative at x */
struct dev_gelu_bwd_args {
    const float *x, *dy;
    int64_t n;
    bool accumulate;
    float *dx;
};

/* y (rows,cols) [+]= factors[row] * x */
struct dev_scale_rows_args {
    const float *x;
    int64_t rows, cols;
    const float *factors; /* (rows) */
    bool accumulate;
    float *y;
};

/* y = keep * y + take * x over n elements */
struct dev_blend_args {
    const float *x;
    int64_t n;
    float keep, take;
    float *y;
};

struct dev_conv2d_args {
    struct dev_conv2d of;
    float *y; /* (B,Ho,Wo,N) */
};

/* From dy (B,Ho,Wo,N), the gradient before the activation; x, bias and activation are not used. */
struct dev_conv2d_bwd_data_args {
    struct dev_conv2d of;
    const float *dy;
    bool accumulate;
    float *dx; /* (B,H,W,C) */
};

/* Likewise; w, bias and activation are not used. */
struct dev_conv2d_bwd_weights_args {
    struct dev_conv2d of;
    const float *dy;
    bool accumulate;
    float *dw; /* as w */
};

/* cache (B,cache_rows,D)[b, row] = x (B,D)[b], row = at_step->position */
struct dev_cache_put_args {
    const float *x;
    int64_t B, D, cache_rows;
    const struct dev_step *at_step;
    float *cache;
};

/* to[b] = from[index[b]] for the first `rows` rows of (B,cache_rows,D) */
struct dev_cache_gather_args {
    const float *from;
    const int32_t *index; /* (B) */
    int64_t B, D, cache_rows, rows;
    float *to;
};

/* *to = value: what the runs of a graph that follow read. */
struct dev_set_step_args {
    struct dev_step value;
    struct dev_step *to;
};

/* ---- the table ---- */

/* kernels.def has a line for every kernel, in its order here and everywhere: the table, the
 * prototypes of each device and the list of the tests are made of it. */
struct dev_kernels {
#define KERNEL(name, args) void (*name)(struct dev * d, const struct args *a);
#define SCRATCH(name, parameters) int64_t(*name##_scratch_floats) parameters;
#include "train/device/kernels.def"
};

extern const struct dev_kernels dev_reference_kernels;

/* The dropout of a rate; keyed when the graph runs.  T2T: every kept value is divided by 1 -
 * rate. */
static inline uint32_t dev_dropout_threshold(double rate)
{
    return rate <= 0.0 ? 0 : (uint32_t) (rate * 65536.0 + 0.5);
}

#endif
