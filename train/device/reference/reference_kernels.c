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
#include "train/device/step.h"

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

void dev_reference_col_sum(struct dev *d, const struct dev_col_sum_args *a)
{
    (void) d, (void) a->scratch;
    for (int64_t j = 0; j < a->cols; j++) {
        double sum = a->accumulate ? (double) a->out[j] : 0.0;

        for (int64_t i = 0; i < a->rows; i++)
            sum += (double) a->x[i * a->cols + j];
        a->out[j] = (float) sum;
    }
}

int64_t dev_reference_col_sum_scratch(int64_t rows, int64_t cols)
{
    (void) rows, (void) cols;
    return 0;
}

void dev_reference_set_step(struct dev *d, const struct dev_set_step_args *a)
{
    (void) d;
    *a->to = a->value;
}

void dev_reference_gemm(struct dev *d, const struct dev_gemm *a)
{
    dev_gemm_begins(d);
    multiply(d, a);
    dev_gemm_ends(d, a);
}

int64_t dev_reference_layer_norm_scratch(int64_t rows, int64_t D)
{
    (void) rows, (void) D;
    return 0;
}

int64_t dev_reference_gemm_scratch(const struct dev *d, int64_t M, int64_t N, int64_t K)
{
    (void) d, (void) M, (void) N, (void) K;
    return 0;
}

void dev_reference_relu_bwd(struct dev *d, const struct dev_relu_bwd_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->dx[i] = a->y[i] > 0.0f ? a->dy[i] * a->scale : 0.0f;
}

void dev_reference_dropout(struct dev *d, const struct dev_dropout_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        float value = a->x[i] * dev_dropout_factor((&a->dropout), (uint64_t) i);

        a->y[i] = a->accumulate ? a->y[i] + value : value;
    }
}

void dev_reference_residual(struct dev *d, const struct dev_residual_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c++) {
            int64_t i = r * a->cols + c;
            float add = a->y[i] * dev_dropout_factor((&a->dropout), (uint64_t) i);

            a->out[i] = a->row_ids && a->row_ids[r] == 0 ? a->x[i] : a->x[i] + add;
        }
}

void dev_reference_residual_bwd(struct dev *d, const struct dev_residual_bwd_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c++) {
            int64_t i = r * a->cols + c;
            float value = a->dout[i] * dev_dropout_factor((&a->dropout), (uint64_t) i);

            if (a->row_ids && a->row_ids[r] == 0)
                value = 0.0f;
            a->dy[i] = a->accumulate ? a->dy[i] + value : value;
        }
}

void dev_reference_copy(struct dev *d, const struct dev_copy_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = a->accumulate ? a->y[i] + a->x[i] : a->x[i];
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

void dev_reference_embed(struct dev *d, const struct dev_embed_args *args)
{
    const struct dev_embed now = dev_embed_now(&args->of), *a = &now;

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
                args->out[i] = value * dev_dropout_factor(&a->dropout, (uint64_t) i);
            }
        }
}

void dev_reference_embed_bwd(struct dev *d, const struct dev_embed_bwd_args *args)
{
    const struct dev_embed *a = &args->of;

    (void) d;
    if (args->dtable && !args->accumulate_table)
        memset(args->dtable, 0, (size_t) (args->V * a->D) * sizeof *args->dtable);
    if (args->dextra && !args->accumulate_extra)
        memset(args->dextra, 0, (size_t) a->D * sizeof *args->dextra);
    if (args->dpositions && !args->accumulate_positions)
        memset(args->dpositions, 0, (size_t) (a->n_positions * a->D) * sizeof *args->dpositions);
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++) {
            const float *position = position_row(a, b, l);
            int32_t id = id_at(a, b, l);

            for (int64_t c = 0; c < a->D; c++) {
                int64_t i = (b * a->L + l) * a->D + c;
                float value = args->dout[i] * dev_dropout_factor(&a->dropout, (uint64_t) i);

                if (args->dtable && id)
                    args->dtable[id * a->D + c] += value * a->scale;
                if (args->dextra)
                    args->dextra[c] += value;
                if (args->dpositions && position)
                    args->dpositions[(position - a->positions) + c] += value;
            }
        }
}

void dev_reference_layer_norm(struct dev *d, const struct dev_layer_norm_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        double mean = 0.0, variance = 0.0, rstd;

        for (int64_t c = 0; c < a->D; c++)
            mean += (double) a->x[r * a->D + c];
        mean /= (double) a->D;
        for (int64_t c = 0; c < a->D; c++)
            variance += ((double) a->x[r * a->D + c] - mean) * ((double) a->x[r * a->D + c] - mean);
        rstd = 1.0 / sqrt(variance / (double) a->D + (double) a->eps);
        for (int64_t c = 0; c < a->D; c++)
            a->y[r * a->D + c] =
                (float) (((double) a->x[r * a->D + c] - mean) * rstd * (double) a->scale[c] +
                         (double) a->bias[c]);
        a->stats[2 * r] = (float) mean;
        a->stats[2 * r + 1] = (float) rstd;
    }
}

void dev_reference_layer_norm_bwd(struct dev *d, const struct dev_layer_norm_bwd_args *a)
{
    (void) d, (void) a->scratch;
    if (!a->accumulate_scale)
        memset(a->dscale, 0, (size_t) a->D * sizeof *a->dscale);
    if (!a->accumulate_bias)
        memset(a->dbias, 0, (size_t) a->D * sizeof *a->dbias);
    for (int64_t c = 0; c < a->D; c++) {
        double ds = 0.0, db = 0.0;

        for (int64_t r = 0; r < a->rows; r++) {
            double xhat = ((double) a->x[r * a->D + c] - (double) a->stats[2 * r]) *
                          (double) a->stats[2 * r + 1];

            ds += (double) a->dy[r * a->D + c] * xhat;
            db += (double) a->dy[r * a->D + c];
        }
        a->dscale[c] += (float) ds;
        a->dbias[c] += (float) db;
    }
    /* dx = rstd * (g - mean(g) - xhat * mean(g * xhat)), g = dy * scale */
    for (int64_t r = 0; r < a->rows; r++) {
        double mean = (double) a->stats[2 * r], rstd = (double) a->stats[2 * r + 1];
        double g_mean = 0.0, gx_mean = 0.0;

        for (int64_t c = 0; c < a->D; c++) {
            double g = (double) a->dy[r * a->D + c] * (double) a->scale[c];

            g_mean += g;
            gx_mean += g * ((double) a->x[r * a->D + c] - mean) * rstd;
        }
        g_mean /= (double) a->D;
        gx_mean /= (double) a->D;
        for (int64_t c = 0; c < a->D; c++) {
            double g = (double) a->dy[r * a->D + c] * (double) a->scale[c];
            double xhat = ((double) a->x[r * a->D + c] - mean) * rstd;
            float value = (float) (rstd * (g - g_mean - xhat * gx_mean));

            a->dx[r * a->D + c] = a->accumulate_x ? a->dx[r * a->D + c] + value : value;
        }
    }
}

/* ---- loss ---- */

void dev_reference_xent(struct dev *d, const struct dev_xent *a)
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
                (exp(logits[v] - lse) - (v == label ? conf : low)) * (double) a->step->grad_scale;

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

int64_t dev_reference_xent_scratch(const struct dev *d, int64_t N, int64_t D, int64_t V)
{
    (void) d, (void) N, (void) D, (void) V;
    return 0;
}

/* ---- decoding ---- */

void dev_reference_cache_put(struct dev *d, const struct dev_cache_put_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        memcpy(a->cache + (b * a->cache_rows + a->at_step->position) * a->D, a->x + b * a->D,
               (size_t) a->D * sizeof *a->x);
}

void dev_reference_cache_gather(struct dev *d, const struct dev_cache_gather_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        memcpy(a->to + b * a->cache_rows * a->D, a->from + a->index[b] * a->cache_rows * a->D,
               (size_t) (a->rows * a->D) * sizeof *a->from);
}

const struct dev_kernels dev_reference_kernels = {
#define KERNEL(name, args) .name = dev_reference_##name,
#define SCRATCH(name, parameters) .name##_scratch_floats = dev_reference_##name##_scratch,
#include "train/device/kernels.def"
};
