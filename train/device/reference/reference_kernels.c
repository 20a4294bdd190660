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
#include "train/device/devices.h"
#include "train/device/dropout_bits.h"
#include "train/device/gemm_times.h"
#include "train/device/kernels.h"
#include "train/device/reference/reference_floats.h"
#include "train/device/reference/reference_kernels.h"
#include "train/device/step.h"

/* A factor of a gemm as a device of this precision multiplies it. */
static float factor_of(const struct dev *d, float x)
{
    return dev_round(d->precision, x);
}

static double element(enum dev_type type, const void *p, int64_t i)
{
    return (double) dev_get(type, p, i);
}

static void put(enum dev_type type, void *p, int64_t i, float x, bool accumulate)
{
    dev_put(type, p, i, accumulate ? dev_get(type, p, i) + x : x);
}

/* struct dev_gemm, element by element. */
static void multiply(const struct dev *d, const struct dev_gemm *a)
{
    for (int64_t i = 0; i < a->M; i++)
        for (int64_t j = 0; j < a->N; j++) {
            double sum = 0.0;
            float value;

            for (int64_t k = 0; k < a->K; k++) {
                float x = dev_get(a->type_a, a->A, a->trans_a ? k * a->lda + i : i * a->lda + k);
                float y = dev_get(a->type_b, a->B, a->trans_b ? j * a->ldb + k : k * a->ldb + j);

                sum += (double) factor_of(d, x) * (double) factor_of(d, y);
            }
            if (a->bias)
                sum += (double) a->bias[j];
            if (a->activation == DEV_RELU && sum < 0.0)
                sum = 0.0;
            value = (float) sum * dev_dropout_factor(&a->dropout, (uint64_t) (i * a->N + j));
            if (a->accumulate)
                value += dev_get(a->type_c, a->C, i * a->ldc + j);
            dev_put(a->type_c, a->C, i * a->ldc + j, value);
        }
}

void dev_reference_col_sum(struct dev *d, const struct dev_col_sum_args *a)
{
    (void) d, (void) a->scratch;
    for (int64_t j = 0; j < a->cols; j++) {
        double sum = a->accumulate ? (double) a->out[j] : 0.0;

        for (int64_t i = 0; i < a->rows; i++)
            sum += (double) dev_get(a->type, a->x, i * a->cols + j);
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

int64_t dev_reference_gemm_scratch(const struct dev *d, const struct dev_gemm *a)
{
    (void) d, (void) a;
    return 0;
}

void dev_reference_relu_bwd(struct dev *d, const struct dev_relu_bwd_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        float y = dev_get(a->type, a->y, i);
        bool passes = y > 0.0f && !(a->most > 0.0f && y >= a->most);

        dev_put(a->type, a->dx, i, passes ? dev_get(a->type, a->dy, i) * a->scale : 0.0f);
    }
}

void dev_reference_dropout(struct dev *d, const struct dev_dropout_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        float value = dev_get(a->type, a->x, i) * dev_dropout_factor(&a->dropout, (uint64_t) i);

        put(a->type, a->y, i, value, a->accumulate);
    }
}

void dev_reference_residual(struct dev *d, const struct dev_residual_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c++) {
            int64_t i = r * a->cols + c;
            float x = dev_get(a->type, a->x, i);
            float add = dev_get(a->type, a->y, i) * dev_dropout_factor(&a->dropout, (uint64_t) i);

            dev_put(a->type, a->out, i, a->row_ids && a->row_ids[r] == 0 ? x : x + add);
        }
}

void dev_reference_residual_bwd(struct dev *d, const struct dev_residual_bwd_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->cols; c++) {
            int64_t i = r * a->cols + c;
            float value =
                dev_get(a->type, a->dout, i) * dev_dropout_factor(&a->dropout, (uint64_t) i);

            if (a->row_ids && a->row_ids[r] == 0)
                value = 0.0f;
            put(a->type, a->dy, i, value, a->accumulate);
        }
}

void dev_reference_copy(struct dev *d, const struct dev_copy_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        put(a->type, a->y, i, dev_get(a->type, a->x, i), a->accumulate);
}

void dev_reference_convert(struct dev *d, const struct dev_convert_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        put(a->type_y, a->y, i, dev_get(a->type_x, a->x, i), a->accumulate);
}

/* Row (D) of the position table for (b,l), NULL when beyond it or when there is none. */
static const float *position_row(const struct dev_embed *a, int64_t b, int64_t l)
{
    int64_t p = dev_embed_position(a, b, l);

    return a->positions && p < a->n_positions ? a->positions + p * a->D : NULL;
}

void dev_reference_embed(struct dev *d, const struct dev_embed_args *args)
{
    const struct dev_embed *a = &args->of;

    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++) {
            const float *position = position_row(a, b, l);
            int64_t row = dev_embed_row(a, b, l);

            for (int64_t c = 0; c < a->D; c++) {
                int64_t i = (b * a->L + l) * a->D + c;
                float value = row >= 0 ? a->table[row * a->D + c] * a->scale : 0.0f;

                if (a->extra)
                    value += a->extra[c];
                if (position)
                    value += position[c];
                dev_put(a->type, args->out, i,
                        value * dev_dropout_factor(&a->dropout, (uint64_t) i));
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
            int64_t row = dev_embed_row(a, b, l);

            for (int64_t c = 0; c < a->D; c++) {
                int64_t i = (b * a->L + l) * a->D + c;
                float value =
                    dev_get(a->type, args->dout, i) * dev_dropout_factor(&a->dropout, (uint64_t) i);

                if (args->dtable && row >= 0)
                    args->dtable[row * a->D + c] += value * a->scale;
                if (args->dextra)
                    args->dextra[c] += value;
                if (args->dpositions && position)
                    args->dpositions[(position - a->positions) + c] += value;
            }
        }
}

void dev_reference_layer_norm(struct dev *d, const struct dev_layer_norm_args *a)
{
    if (a->of_sum)
        dev_reference_residual(d, &a->sum);
    for (int64_t r = 0; r < a->rows; r++) {
        double mean = 0.0, variance = 0.0, rstd;

        for (int64_t c = 0; c < a->D; c++)
            mean += element(a->type, a->x, r * a->D + c);
        mean /= (double) a->D;
        for (int64_t c = 0; c < a->D; c++) {
            double apart = element(a->type, a->x, r * a->D + c) - mean;

            variance += apart * apart;
        }
        rstd = 1.0 / sqrt(variance / (double) a->D + (double) a->eps);
        for (int64_t c = 0; c < a->D; c++)
            dev_put(a->type, a->y, r * a->D + c,
                    (float) ((element(a->type, a->x, r * a->D + c) - mean) * rstd *
                                 (double) a->scale[c] +
                             (double) a->bias[c]));
        a->stats[2 * r] = (float) mean;
        a->stats[2 * r + 1] = (float) rstd;
    }
}

/* Element i of row r: its gradient through the norm goes, with what comes from elsewhere, to both
 * parts of the sum. */
static void sum_bwd(const struct dev_layer_norm_bwd_args *a, int64_t r, int64_t i, float gradient)
{
    const struct dev_residual_bwd_args *sum = &a->sum;
    float factor = dev_dropout_factor(&sum->dropout, (uint64_t) i);
    uint32_t stored;

    if (sum->dout)
        gradient += dev_get(a->type, sum->dout, i);
    dev_put(a->type, &stored, 0, gradient);
    gradient = dev_get(a->type, &stored, 0);
    if (a->dx)
        put(a->type, a->dx, i, gradient, a->accumulate_x);
    if (sum->dy)
        put(a->type, sum->dy, i, sum->row_ids && sum->row_ids[r] == 0 ? 0.0f : gradient * factor,
            sum->accumulate);
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
            double xhat = (element(a->type, a->x, r * a->D + c) - (double) a->stats[2 * r]) *
                          (double) a->stats[2 * r + 1];

            ds += element(a->type, a->dy, r * a->D + c) * xhat;
            db += element(a->type, a->dy, r * a->D + c);
        }
        a->dscale[c] += (float) ds;
        a->dbias[c] += (float) db;
    }
    /* dx = rstd * (g - mean(g) - xhat * mean(g * xhat)), g = dy * scale */
    for (int64_t r = 0; r < a->rows; r++) {
        double mean = (double) a->stats[2 * r], rstd = (double) a->stats[2 * r + 1];
        double g_mean = 0.0, gx_mean = 0.0;

        for (int64_t c = 0; c < a->D; c++) {
            double g = element(a->type, a->dy, r * a->D + c) * (double) a->scale[c];

            g_mean += g;
            gx_mean += g * (element(a->type, a->x, r * a->D + c) - mean) * rstd;
        }
        g_mean /= (double) a->D;
        gx_mean /= (double) a->D;
        for (int64_t c = 0; c < a->D; c++) {
            double g = element(a->type, a->dy, r * a->D + c) * (double) a->scale[c];
            double xhat = (element(a->type, a->x, r * a->D + c) - mean) * rstd;
            float gradient = (float) (rstd * (g - g_mean - xhat * gx_mean));

            if (a->of_sum)
                sum_bwd(a, r, r * a->D + c, gradient);
            else
                put(a->type, a->dx, r * a->D + c, gradient, a->accumulate_x);
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
    float *copy, *dx = dev_floats_open(a->type, a->dx, a->N * a->D);
    const float *all_x = dev_floats_read(a->type, a->x, a->N * a->D, &copy);

    if (a->dx && !a->accumulate_table)
        memset(a->dtable, 0, (size_t) (a->V * a->D) * sizeof *a->dtable);
    for (int64_t r = 0; r < a->N; r++) {
        const float *x = all_x + r * a->D;
        float *stats = a->row_stats + 4 * r;
        int32_t label = a->labels[r];
        double largest = -HUGE_VAL, sum = 0.0, lse, total = 0.0;
        double weight = a->weights ? (double) a->weights[r] : 1.0;
        int64_t best = 0, ahead = 0;

        memset(stats, 0, 4 * sizeof *stats);
        if (a->dx && !a->accumulate_x)
            memset(dx + r * a->D, 0, (size_t) a->D * sizeof *dx);
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
        stats[0] =
            (float) (weight * (conf * (lse - logits[label]) +
                               low * ((double) (a->V - 1) * lse - (total - logits[label])) - norm));
        stats[1] = best == label ? 1.0f : ahead < 5 ? 0.5f : 0.0f;
        stats[2] = (float) (logits[label] - lse);
        stats[3] = 1.0f;
        for (int64_t v = 0; a->dx && v < a->V; v++) {
            double dlogit = (exp(logits[v] - lse) - (v == label ? conf : low)) * weight *
                            (double) a->step->grad_scale;

            if (d->precision != DEV_FLOAT32)
                dlogit = (double) factor_of(d, (float) dlogit);

            for (int64_t c = 0; c < a->D; c++) {
                float row = factor_of(d, a->table[v * a->D + c]);

                dx[r * a->D + c] += (float) (dlogit * (double) row);
                a->dtable[v * a->D + c] += (float) (dlogit * (double) factor_of(d, x[c]));
            }
        }
    }
    dev_floats_close(a->type, dx, a->N * a->D, a->dx);
    t2_free(copy);
    t2_free(logits);
}

int64_t dev_reference_xent_scratch(const struct dev *d, const struct dev_xent *a)
{
    (void) d, (void) a;
    return 0;
}

/* ---- decoding ---- */

void dev_reference_cache_put(struct dev *d, const struct dev_cache_put_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        memcpy(dev_element(a->type, a->cache,
                           (b * a->cache_rows + dev_position_of(a->at_step, b)) * a->D),
               dev_element_in(a->type, a->x, b * a->D), (size_t) a->D * dev_type_bytes(a->type));
}

void dev_reference_cache_index(struct dev *d, const struct dev_cache_index_args *a)
{
    int64_t turn = a->at_step->position % 2, n = a->B * a->cache_rows;
    const int32_t *from = a->tables + (1 - turn) * n;
    int32_t *to = a->tables + turn * n;

    (void) d;
    for (int64_t b = 0; b < a->B; b++) {
        int64_t before = dev_position_of(a->at_step, b) * a->step_rows;

        for (int64_t r = 0; r < before + a->step_rows; r++)
            to[b * a->cache_rows + r] =
                r < before ? from[a->origins[b] * a->cache_rows + r] : (int32_t) b;
    }
}

const struct dev_kernels dev_reference_kernels = {
#define KERNEL(name, args) .name = dev_reference_##name,
#define SCRATCH(name, parameters) .name##_scratch_floats = dev_reference_##name##_scratch,
#include "train/device/kernels.def"
};
