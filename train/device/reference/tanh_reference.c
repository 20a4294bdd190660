/*
 * train/device/reference/tanh_reference.c - the hyperbolic tangent in plain loops.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_tanh(struct dev *d, const struct dev_tanh_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = (float) tanh((double) a->x[i]);
}

void dev_reference_tanh_bwd(struct dev *d, const struct dev_tanh_bwd_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        double y = (double) a->y[i], value = (double) a->dy[i] * (1.0 - y * y);

        a->dx[i] = (float) (a->accumulate ? (double) a->dx[i] + value : value);
    }
}
