/*
 * train/device/reference/batch_norm_reference.c - batch normalisation of x (rows,C) in plain loops,
 * sums in double.
 *
 * Formulas: struct dev_batch_norm and struct dev_batch_norm_grads. Mean and variance are two
 * passes; what the moving averages take of them is decided in train/ops/batch_norm.c.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_batch_moments(struct dev *d, const struct dev_batch_moments_args *a)
{
    (void) d, (void) a->scratch;
    for (int64_t c = 0; c < a->C; c++) {
        double sum = 0.0, squares = 0.0, middle;

        for (int64_t r = 0; r < a->rows; r++)
            sum += (double) dev_get(a->type, a->x, r * a->C + c);
        middle = sum / (double) a->rows;
        for (int64_t r = 0; r < a->rows; r++) {
            double t = (double) dev_get(a->type, a->x, r * a->C + c) - middle;

            squares += t * t;
        }
        a->mean[c] = (float) middle;
        a->variance[c] = (float) (squares / (double) a->rows);
    }
}

int64_t dev_reference_batch_norm_scratch(int64_t rows, int64_t C)
{
    (void) rows, (void) C;
    return 0;
}

static double reciprocal(const struct dev_batch_norm *a, int64_t c)
{
    return 1.0 / sqrt((double) a->variance[c] + (double) a->epsilon);
}

/* The result before residual and ReLU. */
static double normalised(const struct dev_batch_norm *a, int64_t i, int64_t c)
{
    return ((double) dev_get(a->type, a->x, i) - (double) a->mean[c]) * reciprocal(a, c) *
               (double) a->gamma[c] +
           (double) a->beta[c];
}

void dev_reference_batch_norm(struct dev *d, const struct dev_batch_norm_args *args)
{
    const struct dev_batch_norm *a = &args->of;

    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t c = 0; c < a->C; c++) {
            int64_t i = r * a->C + c;
            double v = normalised(a, i, c) +
                       (a->residual ? (double) dev_get(a->type, a->residual, i) : 0.0);

            dev_put(a->type, args->y, i, (float) (a->relu && v < 0.0 ? 0.0 : v));
        }
}

/* dz: dy where the ReLU let z through.  z is computed again unless a residual was added to it. */
static double before_relu(const struct dev_batch_norm *a, const struct dev_batch_norm_grads *g,
                          int64_t i, int64_t c)
{
    bool passes =
        !a->relu || (a->residual ? dev_get(a->type, g->y, i) > 0.0f : normalised(a, i, c) > 0.0);

    return passes ? (double) dev_get(a->type, g->dy, i) : 0.0;
}

static void put(enum dev_type type, void *to, int64_t i, double value, bool accumulate)
{
    dev_put(type, to, i, (float) (accumulate ? (double) dev_get(type, to, i) + value : value));
}

void dev_reference_batch_norm_bwd(struct dev *d, const struct dev_batch_norm_bwd_args *args)
{
    const struct dev_batch_norm *a = &args->of;
    const struct dev_batch_norm_grads *g = &args->g;

    (void) d;
    for (int64_t c = 0; c < a->C; c++) {
        double rstd = reciprocal(a, c), sum = 0.0, product = 0.0;

        for (int64_t i = c; i < a->rows * a->C; i += a->C) {
            double dz = before_relu(a, g, i, c);

            sum += dz;
            product += dz * ((double) dev_get(a->type, a->x, i) - (double) a->mean[c]) * rstd;
        }
        for (int64_t i = c; g->dx && i < a->rows * a->C; i += a->C) {
            double xhat = ((double) dev_get(a->type, a->x, i) - (double) a->mean[c]) * rstd;
            double rest = (sum + xhat * product) / (double) a->rows;

            put(a->type, g->dx, i, (before_relu(a, g, i, c) - rest) * rstd * (double) a->gamma[c],
                g->accumulate_x);
        }
        for (int64_t i = c; g->dresidual && i < a->rows * a->C; i += a->C)
            put(a->type, g->dresidual, i, before_relu(a, g, i, c), g->accumulate_residual);
        put(DEV_FLOAT32, g->dgamma, c, product, g->accumulate_gamma);
        put(DEV_FLOAT32, g->dbeta, c, sum, g->accumulate_beta);
    }
}

void dev_reference_blend(struct dev *d, const struct dev_blend_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = a->keep * a->y[i] + a->take * a->x[i];
}
