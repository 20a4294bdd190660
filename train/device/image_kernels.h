/*
 * train/device/image_kernels.h - arguments of the kernels of image models beside convolutions:
 * batch normalisation, pooling, squeeze and excitation; a part of kernels.h.
 */
#ifndef DEV_IMAGE_KERNELS_H
#define DEV_IMAGE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/types.h"

/*
 * Batch normalisation of the C columns of x (rows,C), each over all rows:
 *   z = (x - mean) gamma / sqrt(variance + epsilon) + beta [+ residual],  y = z, or max(z, 0)
 */
struct dev_batch_norm {
    int64_t rows, C;
    enum dev_type type; /* of x, residual, y and their gradients */
    const void *x;
    const float *gamma, *beta, *mean, *variance; /* (C) */
    float epsilon;
    const void *residual; /* (rows,C) or NULL */
    bool relu;
};

/*
 * Where mean and variance (the population's) are those of x.  With dz = dy where a ReLU let z
 * through, else 0, and xhat = (x - mean) / sqrt(variance + epsilon):
 *   dbeta = sum of dz,  dgamma = sum of dz xhat,  dresidual = dz
 *   dx = gamma / sqrt(variance + epsilon) (dz - dbeta / rows - xhat dgamma / rows)
 */
struct dev_batch_norm_grads {
    const void *y; /* read with relu and residual only; without a residual z is computed again */
    const void *dy;
    void *dx;
    float *dgamma, *dbeta;
    void *dresidual; /* NULL when not wanted */
    bool accumulate_x, accumulate_gamma, accumulate_beta, accumulate_residual;
    float *scratch; /* dev_kernels.batch_norm_scratch_floats() */
};

/* Mean and population variance (C) of the columns of x (rows,C), by fixed blocks of rows; what a
 * column has in common does not cancel. */
struct dev_batch_moments_args {
    enum dev_type type; /* of x */
    const void *x;
    int64_t rows, C;
    float *mean, *variance;
    float *scratch; /* batch_norm_scratch_floats */
};

struct dev_batch_norm_args {
    struct dev_batch_norm of;
    void *y; /* (rows,C) */
};

struct dev_batch_norm_bwd_args {
    struct dev_batch_norm of;
    struct dev_batch_norm_grads g;
};

/* Windows of images x (B,H,W,C) that lie in a grid of Ho x Wo, stride apart: window (r, q) covers
 * rows r stride - top + i and columns q stride - left + j, 0 <= i, j < size, of which those outside
 * of the image do not count; each has one inside.  Tap (i, j) is number i size + j. */
struct dev_pool {
    int64_t B, H, W, C, Ho, Wo;
    int64_t size, stride, top, left;
    enum dev_type type; /* of x, y and their gradients */
};

/* y (B,Ho,Wo,C), the largest of x (B,H,W,C) in each window (NaN where there is one); argmax,
 * likewise, says which tap: the first of equal ones; NULL when not wanted. */
struct dev_max_pool_args {
    struct dev_pool of;
    const void *x;
    void *y;
    int32_t *argmax;
};

/* dx (B,H,W,C) [+]= dy (B,Ho,Wo,C) at the argmax */
struct dev_max_pool_bwd_args {
    struct dev_pool of;
    const void *dy;
    const int32_t *argmax;
    bool accumulate;
    void *dx;
};

/* y (B,Ho,Wo,C): the mean of each window of x (B,H,W,C) */
struct dev_avg_pool_args {
    struct dev_pool of;
    const void *x;
    void *y;
};

struct dev_avg_pool_bwd_args {
    struct dev_pool of;
    const void *dy;
    bool accumulate;
    void *dx;
};

/* y = x * s(gate): x, y (B,P,C), gate (B,C).  s is the sigmoid, or with `slope` (0: none) the hard
 * one, slope min(max(gate + 3, 0), 6). */
struct dev_excite {
    int64_t B, P, C;
    float slope;
    enum dev_type type; /* of all */
    const void *x, *gate;
    void *y; /* forward */
    const void *dy;
    bool accumulate_dx, accumulate_dgate;
    void *dx, *dgate;
};

#endif
