/*
 * train/device/rules/adafactor_rule.h - Adafactor (train/optim/adafactor.c), a variable at a time.
 *
 * A matrix keeps the mean squares of its rows (vr) and columns (vc) instead of all squares, R + C
 * floats instead of R * C; with more than two dimensions the leading ones count matrices.
 *
 *   scale = rate max(RMS(x), 1e-3), or rate without BY_SCALE
 *   g2    = g^2 + 1e-30
 *   vr    = rho vr + (1-rho) mean of rows of g2;  vc = ... of columns;  or v = rho v + (1-rho) g2
 *   u     = g rsqrt(vr / mean(vr)) rsqrt(vc);  or g rsqrt(v)
 *   u    /= max(1, RMS(u) / threshold)
 *   m     = b1 m + (1-b1) scale u;  x -= m;  without b1  x -= scale u
 *
 * For devices that compute on the host.  The update is computed twice, for its mean square and to
 * be applied, instead of being stored.  Every variable needs norms of its own; sums are double, in
 * order.
 */
#ifndef DEV_RULES_ADAFACTOR_RULE_H
#define DEV_RULES_ADAFACTOR_RULE_H

#include <math.h>
#include <string.h>

#include "train/device/rules/rule.h"

/* Settings; the number RHO. */
enum { DEV_ADAFACTOR_BETA1, DEV_ADAFACTOR_THRESHOLD, DEV_ADAFACTOR_BY_SCALE };
enum { DEV_ADAFACTOR_RHO };

/* A variable as matrices of rows x cols, with its slots and scratch memory. */
struct dev_adafactor_view {
    bool factored;
    int64_t matrices, rows, cols;
    const float *g;
    float scale; /* of g */
    float *x;
    float *vr, *vc, *v;               /* slots (matrices,rows), (matrices,cols); v: all */
    float *m;                         /* slot, NULL without beta1 */
    float *row_factors, *col_factors; /* (matrices,rows), (matrices,cols) */
    double *col_sums;                 /* (cols) */
};

static inline struct dev_adafactor_view dev_adafactor_view_of(
    const struct dev_adafactor *a, const struct dev_adafactor_variable *v)
{
    return (struct dev_adafactor_view){.factored = v->factored,
                                       .matrices = v->matrices,
                                       .rows = v->rows,
                                       .cols = v->cols,
                                       .g = a->of.grads + v->offset,
                                       .scale = a->of.step->scale,
                                       .x = a->of.values + v->offset,
                                       .vr = a->slots + v->vr,
                                       .vc = a->slots + v->vc,
                                       .v = a->slots + v->v,
                                       .m = v->m < 0 ? NULL : a->slots + v->m,
                                       .row_factors = a->factors + v->factors,
                                       .col_factors =
                                           a->factors + v->factors + v->matrices * v->rows,
                                       .col_sums = a->col_sums + v->col_sums};
}

static inline float dev_adafactor_square(float g)
{
    return g * g + 1e-30F;
}

/* New vr (rows) and vc (cols) of matrix k, and from them the factors of its rows and columns, whose
 * product replaces 1 / sqrt(v): one pass over the gradient, row by row.  Returns `squares` with
 * those of the values added; such a sum waits for its last addition, so two at once take the time
 * of one. */
static inline double dev_adafactor_factor(const struct dev_adafactor_view *w, float rho, int64_t k,
                                          double squares)
{
    const float *g = w->g + k * w->rows * w->cols, scale = w->scale;
    const float *x = w->x + k * w->rows * w->cols;
    float *vr = w->vr + k * w->rows, *vc = w->vc + k * w->cols;
    float *row_factors = w->row_factors + k * w->rows, *col_factors = w->col_factors + k * w->cols;
    double *restrict col_sums = w->col_sums, total = 0.0;
    float mean;

    memset(col_sums, 0, (size_t) w->cols * sizeof *col_sums);
    for (int64_t r = 0; r < w->rows; r++) {
        const float *restrict row = g + r * w->cols, *restrict values = x + r * w->cols;
        double sum = 0.0;

        for (int64_t c = 0; c < w->cols; c++) {
            double g2 = (double) dev_adafactor_square(row[c] * scale);

            sum += g2;
            col_sums[c] += g2;
            squares += (double) values[c] * (double) values[c];
        }
        vr[r] = rho * vr[r] + (1.0F - rho) * (float) (sum / (double) w->cols);
        total += (double) vr[r];
    }
    mean = (float) (total / (double) w->rows);
    for (int64_t r = 0; r < w->rows; r++)
        row_factors[r] = 1.0F / sqrtf(vr[r] / mean);
    for (int64_t c = 0; c < w->cols; c++) {
        vc[c] = rho * vc[c] + (1.0F - rho) * (float) (col_sums[c] / (double) w->rows);
        col_factors[c] = 1.0F / sqrtf(vc[c]);
    }
    return squares;
}

/* All squares; otherwise as dev_adafactor_factor. */
static inline double dev_adafactor_squares(const struct dev_adafactor_view *w, float rho, int64_t n)
{
    double squares = 0.0;

    for (int64_t i = 0; i < n; i++) {
        w->v[i] = rho * w->v[i] + (1.0F - rho) * dev_adafactor_square(w->g[i] * w->scale);
        squares += (double) w->x[i] * (double) w->x[i];
    }
    return squares;
}

/* The update of row r of all matrices laid one below the other, before clipping. */
static inline float dev_adafactor_unscaled(const struct dev_adafactor_view *w, int64_t r, int64_t c)
{
    int64_t i = r * w->cols + c;

    if (w->factored)
        return w->g[i] * w->scale * w->row_factors[r] * w->col_factors[r / w->rows * w->cols + c];
    return w->g[i] * w->scale / sqrtf(w->v[i]);
}

static inline double dev_adafactor_update_mean_square(const struct dev_adafactor_view *w)
{
    int64_t rows = w->matrices * w->rows;
    double sum = 0.0;

    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < w->cols; c++) {
            double u = (double) dev_adafactor_unscaled(w, r, c);

            sum += u * u;
        }
    }
    return sum / (double) (rows * w->cols);
}

static inline void dev_adafactor_apply(const struct dev_adafactor_view *w, float clip, float rate,
                                       float beta1)
{
    int64_t rows = w->matrices * w->rows;

    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < w->cols; c++) {
            int64_t i = r * w->cols + c;
            float step = rate * (dev_adafactor_unscaled(w, r, c) / clip);

            if (w->m)
                step = w->m[i] = beta1 * w->m[i] + (1.0F - beta1) * step;
            w->x[i] -= step;
        }
    }
}

static inline void dev_adafactor_variable_update(const struct dev_adafactor *a, int64_t i)
{
    const struct dev_adafactor_view w = dev_adafactor_view_of(a, &a->variables[i]);
    const float *settings = a->of.settings;
    const float rho = a->of.step->numbers[DEV_ADAFACTOR_RHO];
    int64_t n = w.matrices * w.rows * w.cols;
    float rate = a->of.step->rate, clip;
    double squares = 0.0;

    if (!a->of.step->finite)
        return;
    if (w.factored) {
        for (int64_t k = 0; k < w.matrices; k++)
            squares = dev_adafactor_factor(&w, rho, k, squares);
    } else {
        squares = dev_adafactor_squares(&w, rho, n);
    }
    if (settings[DEV_ADAFACTOR_BY_SCALE] != 0.0F)
        rate *= fmaxf((float) sqrt(squares / (double) n), 1e-3F);
    clip = fmaxf(1.0F, (float) sqrt(dev_adafactor_update_mean_square(&w)) /
                           settings[DEV_ADAFACTOR_THRESHOLD]);
    dev_adafactor_apply(&w, clip, rate, settings[DEV_ADAFACTOR_BETA1]);
}

#endif
