/*
 * train/device/reference/pointwise_loss_reference.c - losses of each value in plain loops (struct
 * dev_pointwise_loss).
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

/* The cross-entropy of a sigmoid as tf.nn.sigmoid_cross_entropy_with_logits has it: no exponential
 * of a positive number. */
static double loss_of(enum dev_pointwise kind, double x, double t)
{
    return kind == DEV_SQUARES ? (x - t) * (x - t) : fmax(x, 0.0) - x * t + log1p(exp(-fabs(x)));
}

static double slope_of(enum dev_pointwise kind, double x, double t)
{
    return kind == DEV_SQUARES ? 2.0 * (x - t) : 1.0 / (1.0 + exp(-x)) - t;
}

void dev_reference_pointwise_loss(struct dev *d, const struct dev_pointwise_loss *a)
{
    (void) d;
    for (int64_t r = 0; r < a->N; r++) {
        float *stats = a->row_stats + 4 * r;
        double sum = 0.0;
        bool hit = a->kind == DEV_SIGMOID;

        for (int64_t i = r * a->D; i < (r + 1) * a->D; i++) {
            double x = (double) a->x[i], t = (double) a->targets[i];

            /* not fmax alone, which drops NaN */
            sum += x != x ? x : loss_of(a->kind, x, t);
            hit = hit && (x > 0.0) == (t > 0.5);
        }
        stats[0] = (float) ((double) a->weight * sum);
        stats[1] = hit ? 1.0f : 0.0f;
        stats[2] = 0.0f;
        stats[3] = 1.0f;
        for (int64_t i = r * a->D; a->dx && i < (r + 1) * a->D; i++) {
            double slope = slope_of(a->kind, (double) a->x[i], (double) a->targets[i]);
            float g = (float) (slope * (double) a->weight * (double) a->step->grad_scale);

            a->dx[i] = a->accumulate ? a->dx[i] + g : g;
        }
    }
}
