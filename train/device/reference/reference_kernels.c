/*
 * train/device/reference/reference_kernels.c - the kernels as plain loops: the specification of all
 * the others.
 *
 * One thread, no SIMD, no library; sums in double.  Written to be read.  The device "reference"
 * runs a whole model on these (slowly), which is how a wrong fast kernel is found.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/bfloat16.h"
#include "train/device/devices.h"
#include "train/device/dropout_bits.h"
#include "train/device/gemm_times.h"
#include "train/device/kernels.h"
#include "train/device/reference/reference_kernels.h"

/* A factor of a gemm as a device of this precision multiplies it. */
static float factor_of(const struct dev *d, float x)
{
    return d->precision == DEV_BFLOAT16 ? dev_from_bfloat16(dev_bfloat16(x)) : x;
}

/* struct dev_gemm, element by element. */
static void multiply(const struct dev *d, const struct dev_gemm *a)
{
    for (int64_t i = 0; i < a->M; i++)
        for (int64_t j = 0; j < a->N; j++) {
            double sum = 0.0;
            float value;

            for (int64_t k = 0; k < a->K; k++) {
                float x = a->trans_a ? a->A[k * a->lda + i] : a->A[i * a->lda + k];
                float y = a->trans_b ? a->B[j * a->ldb + k] : a->B[k * a->ldb + j];
                sum += (double) factor_of(d, x) * (double) factor_of(d, y);
            }
            if (a->bias)
                sum += (double) a->bias[j];
            if (a->activation == DEV_RELU && sum < 0.0)
                sum = 0.0;
            value = (float) sum * dev_dropout_factor(&a->dropout, (uint64_t) (i * a->N + j));
            if (a->accumulate)
                value += a->C[i * a->ldc + j];
            a->C[i * a->ldc + j] = value;
        }
}

static void col_sum(struct dev *d, const float *x, int64_t rows, int64_t cols, bool accumulate,
                    float *out, float *scratch)
{
    (void) d, (void) scratch;
    for (int64_t j = 0; j < cols; j++) {
        double sum = accumulate ? (double) out[j] : 0.0;

        for (int64_t i = 0; i < rows; i++)
            sum += (double) x[i * cols + j];
        out[j] = (float) sum;
    }
}

static int64_t no_scratch(int64_t rows, int64_t cols)
{
    (void) rows, (void) cols;
    return 0;
}

static void gemm(struct dev *d, const struct dev_gemm *a)
{
    dev_gemm_begins(d);
    multiply(d, a);
    dev_gemm_ends(d, a);
}

static int64_t no_gemm_scratch(const struct dev *d, int64_t M, int64_t N, int64_t K)
{
    (void) d, (void) M, (void) N, (void) K;
    return 0;
}

static void relu_bwd(struct dev *d, const float *y, const float *dy, int64_t n, float scale,
                     float *dx)
{
    (void) d;
    for (int64_t i = 0; i < n; i++)
        dx[i] = y[i] > 0.0f ? dy[i] * scale : 0.0f;
}

static void dropout(struct dev *d, const float *x, int64_t n, const struct dev_dropout *drop,
                    bool accumulate, float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; i++) {
        float value = x[i] * dev_dropout_factor(drop, (uint64_t) i);

        y[i] = accumulate ? y[i] + value : value;
    }
}

static void residual(struct dev *d, const float *x, const float *y, const int32_t *row_ids,
                     int64_t rows, int64_t cols, const struct dev_dropout *drop, float *out)
{
    (void) d;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            int64_t i = r * cols + c;
            float add = y[i] * dev_dropout_factor(drop, (uint64_t) i);

            out[i] = row_ids && row_ids[r] == 0 ? x[i] : x[i] + add;
        }
}

static void residual_bwd(struct dev *d, const float *dout, const int32_t *row_ids, int64_t rows,
                         int64_t cols, const struct dev_dropout *drop, bool accumulate, float *dy)
{
    (void) d;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            int64_t i = r * cols + c;
            float value = dout[i] * dev_dropout_factor(drop, (uint64_t) i);

            if (row_ids && row_ids[r] == 0)
                value = 0.0f;
            dy[i] = accumulate ? dy[i] + value : value;
        }
}

static void copy(struct dev *d, const float *x, int64_t n, bool accumulate, float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; i++)
        y[i] = accumulate ? y[i] + x[i] : x[i];
}

/* Row (D) of the position table for (b,l), NULL when beyond it or when there is none. */
static const float *position_row(const struct dev_embed *a, int64_t b, int64_t l)
{
    int64_t p = a->position_ids ? a->position_ids[b * a->L + l] : a->first_position + l;

    return a->positions && p < a->n_positions ? a->positions + p * a->D : NULL;
}

/* The id whose embedding stands at (b,l); 0 = none. */
static int32_t id_at(const struct dev_embed *a, int64_t b, int64_t l)
{
    return l < a->shift ? 0 : a->ids[b * a->L + l - a->shift];
}

static void embed(struct dev *d, const struct dev_embed *a, float *out)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++) {
            const float *position = position_row(a, b, l);
            int32_t id = id_at(a, b, l);

            for (int64_t c = 0; c < a->D; c++) {
                int64_t i = (b * a->L + l) * a->D + c;
                float value = id ? a->table[id * a->D + c] * a->scale : 0.0f;

                if (a->extra)
                    value += a->extra[c];
                if (position)
                    value += position[c];
                out[i] = value * dev_dropout_factor(&a->dropout, (uint64_t) i);
            }
        }
}

static void embed_bwd(struct dev *d, const struct dev_embed *a, const float *dout, int64_t V,
                      float *dtable, bool accumulate_table, float *dextra, bool accumulate_extra,
                      float *dpositions, bool accumulate_positions)
{
    (void) d;
    if (dtable && !accumulate_table)
        memset(dtable, 0, (size_t) (V * a->D) * sizeof *dtable);
    if (dextra && !accumulate_extra)
        memset(dextra, 0, (size_t) a->D * sizeof *dextra);
    if (dpositions && !accumulate_positions)
        memset(dpositions, 0, (size_t) (a->n_positions * a->D) * sizeof *dpositions);
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++) {
            const float *position = position_row(a, b, l);
            int32_t id = id_at(a, b, l);

            for (int64_t c = 0; c < a->D; c++) {
                int64_t i = (b * a->L + l) * a->D + c;
                float value = dout[i] * dev_dropout_factor(&a->dropout, (uint64_t) i);

                if (dtable && id)
                    dtable[id * a->D + c] += value * a->scale;
                if (dextra)
                    dextra[c] += value;
                if (dpositions && position)
                    dpositions[(position - a->positions) + c] += value;
            }
        }
}

static void layer_norm(struct dev *d, const float *x, const float *scale, const float *bias,
                       int64_t rows, int64_t D, float eps, float *y, float *stats)
{
    (void) d;
    for (int64_t r = 0; r < rows; r++) {
        double mean = 0.0, variance = 0.0, rstd;

        for (int64_t c = 0; c < D; c++)
            mean += (double) x[r * D + c];
        mean /= (double) D;
        for (int64_t c = 0; c < D; c++)
            variance += ((double) x[r * D + c] - mean) * ((double) x[r * D + c] - mean);
        rstd = 1.0 / sqrt(variance / (double) D + (double) eps);
        for (int64_t c = 0; c < D; c++)
            y[r * D + c] = (float) (((double) x[r * D + c] - mean) * rstd * (double) scale[c] +
                                    (double) bias[c]);
        stats[2 * r] = (float) mean;
        stats[2 * r + 1] = (float) rstd;
    }
}

static void layer_norm_bwd(struct dev *d, const float *x, const float *scale, const float *stats,
                           const float *dy, int64_t rows, int64_t D, float *dx, bool accumulate_x,
                           float *dscale, bool accumulate_scale, float *dbias, bool accumulate_bias,
                           float *scratch)
{
    (void) d, (void) scratch;
    if (!accumulate_scale)
        memset(dscale, 0, (size_t) D * sizeof *dscale);
    if (!accumulate_bias)
        memset(dbias, 0, (size_t) D * sizeof *dbias);
    for (int64_t c = 0; c < D; c++) {
        double ds = 0.0, db = 0.0;

        for (int64_t r = 0; r < rows; r++) {
            double xhat =
                ((double) x[r * D + c] - (double) stats[2 * r]) * (double) stats[2 * r + 1];

            ds += (double) dy[r * D + c] * xhat;
            db += (double) dy[r * D + c];
        }
        dscale[c] += (float) ds;
        dbias[c] += (float) db;
    }
    /* dx = rstd * (g - mean(g) - xhat * mean(g * xhat)), g = dy * scale */
    for (int64_t r = 0; r < rows; r++) {
        double mean = (double) stats[2 * r], rstd = (double) stats[2 * r + 1];
        double g_mean = 0.0, gx_mean = 0.0;

        for (int64_t c = 0; c < D; c++) {
            double g = (double) dy[r * D + c] * (double) scale[c];

            g_mean += g;
            gx_mean += g * ((double) x[r * D + c] - mean) * rstd;
        }
        g_mean /= (double) D;
        gx_mean /= (double) D;
        for (int64_t c = 0; c < D; c++) {
            double g = (double) dy[r * D + c] * (double) scale[c];
            double xhat = ((double) x[r * D + c] - mean) * rstd;
            float value = (float) (rstd * (g - g_mean - xhat * gx_mean));

            dx[r * D + c] = accumulate_x ? dx[r * D + c] + value : value;
        }
    }
}

/* ---- loss ---- */

static void xent(struct dev *d, const struct dev_xent *a)
{
    double conf = 1.0 - (double) a->smoothing;
    double low = (double) a->smoothing / (double) (a->V - 1);
    double norm = -(conf * log(conf) + (double) (a->V - 1) * low * log(low + 1e-20));
    double *logits = t2_alloc((size_t) a->V, sizeof *logits);

    if (a->dx && !a->accumulate_table)
        memset(a->dtable, 0, (size_t) (a->V * a->D) * sizeof *a->dtable);
    for (int64_t r = 0; r < a->N; r++) {
        const float *x = a->x + r * a->D;
        float *stats = a->row_stats + 4 * r;
        int32_t label = a->labels[r];
        double largest = -HUGE_VAL, sum = 0.0, lse, total = 0.0;
        int64_t best = 0, ahead = 0;

        memset(stats, 0, 4 * sizeof *stats);
        if (a->dx && !a->accumulate_x)
            memset(a->dx + r * a->D, 0, (size_t) a->D * sizeof *a->dx);
        if (label == 0)
            continue;
        for (int64_t v = 0; v < a->V; v++) {
            logits[v] = 0.0;
            for (int64_t c = 0; c < a->D; c++)
                logits[v] +=
                    (double) factor_of(d, x[c]) * (double) factor_of(d, a->table[v * a->D + c]);
            if (logits[v] > largest) {
                largest = logits[v];
                best = v;
            }
            total += logits[v];
        }
        for (int64_t v = 0; v < a->V; v++)
            ahead += logits[v] > logits[label] || (v < label && logits[v] == logits[label]);
        for (int64_t v = 0; v < a->V; v++)
            sum += exp(logits[v] - largest);
        lse = largest + log(sum);
        stats[0] = (float) (conf * (lse - logits[label]) +
                            low * ((double) (a->V - 1) * lse - (total - logits[label])) - norm);
        stats[1] = best == label ? 1.0f : ahead < 5 ? 0.5f : 0.0f;
        stats[2] = (float) (logits[label] - lse);
        stats[3] = 1.0f;
        for (int64_t v = 0; a->dx && v < a->V; v++) {
            double dlogit =
                (exp(logits[v] - lse) - (v == label ? conf : low)) * (double) a->grad_scale;

            if (d->precision == DEV_BFLOAT16)
                dlogit = (double) factor_of(d, (float) dlogit);

            for (int64_t c = 0; c < a->D; c++) {
                float row = factor_of(d, a->table[v * a->D + c]);

                a->dx[r * a->D + c] += (float) (dlogit * (double) row);
                a->dtable[v * a->D + c] += (float) (dlogit * (double) factor_of(d, x[c]));
            }
        }
    }
    t2_free(logits);
}

static int64_t xent_scratch(const struct dev *d, int64_t N, int64_t D, int64_t V)
{
    (void) d, (void) N, (void) D, (void) V;
    return 0;
}

/* ---- decoding ---- */

static void cache_put(struct dev *d, const float *x, int64_t B, int64_t D, int64_t cache_rows,
                      int64_t row, float *cache)
{
    (void) d;
    for (int64_t b = 0; b < B; b++)
        memcpy(cache + (b * cache_rows + row) * D, x + b * D, (size_t) D * sizeof *x);
}

static void cache_gather(struct dev *d, const float *from, const int32_t *index, int64_t B,
                         int64_t D, int64_t cache_rows, int64_t rows, float *to)
{
    (void) d;
    for (int64_t b = 0; b < B; b++)
        memcpy(to + b * cache_rows * D, from + index[b] * cache_rows * D,
               (size_t) (rows * D) * sizeof *from);
}

const struct dev_kernels dev_reference_kernels = {
    .gemm = gemm,
    .gemm_scratch_floats = no_gemm_scratch,
    .col_sum = col_sum,
    .col_sum_scratch_floats = no_scratch,
    .relu_bwd = relu_bwd,
    .dropout = dropout,
    .residual = residual,
    .residual_bwd = residual_bwd,
    .copy = copy,
    .embed = embed,
    .embed_bwd = embed_bwd,
    .layer_norm = layer_norm,
    .layer_norm_bwd = layer_norm_bwd,
    .layer_norm_scratch_floats = no_scratch,
    .attention = dev_reference_attention,
    .attention_bwd = dev_reference_attention_bwd,
    .attention_scratch_floats = dev_reference_attention_scratch,
    .xent = xent,
    .xent_scratch_floats = xent_scratch,
    .unfold = dev_reference_unfold,
    .unfold_bwd = dev_reference_unfold_bwd,
    .depthwise = dev_reference_depthwise,
    .depthwise_bwd = dev_reference_depthwise_bwd,
    .scale = dev_reference_scale,
    .swap_axes = dev_reference_swap_axes,
    .mean_axis = dev_reference_mean_axis,
    .mean_axis_bwd = dev_reference_mean_axis_bwd,
    .copy_columns = dev_reference_copy_columns,
    .shift_pixels = dev_reference_shift_pixels,
    .mirror_pixels = dev_reference_mirror_pixels,
    .excite = dev_reference_excite,
    .excite_bwd = dev_reference_excite_bwd,
    .targeted = dev_reference_targeted,
    .class_xent = dev_reference_class_xent,
    .batch_moments = dev_reference_batch_moments,
    .batch_norm = dev_reference_batch_norm,
    .batch_norm_bwd = dev_reference_batch_norm_bwd,
    .batch_norm_scratch_floats = dev_reference_batch_norm_scratch,
    .pointwise_loss = dev_reference_pointwise_loss,
    .max_pool = dev_reference_max_pool,
    .max_pool_bwd = dev_reference_max_pool_bwd,
    .avg_pool = dev_reference_avg_pool,
    .avg_pool_bwd = dev_reference_avg_pool_bwd,
    .relu = dev_reference_relu,
    .gelu = dev_reference_gelu,
    .gelu_bwd = dev_reference_gelu_bwd,
    .scale_rows = dev_reference_scale_rows,
    .blend = dev_reference_blend,
    .conv2d = dev_reference_conv2d,
    .conv2d_bwd_data = dev_reference_conv2d_bwd_data,
    .conv2d_bwd_weights = dev_reference_conv2d_bwd_weights,
    .conv2d_scratch_floats = dev_reference_conv2d_scratch,
    .cache_put = cache_put,
    .cache_gather = cache_gather,
};
