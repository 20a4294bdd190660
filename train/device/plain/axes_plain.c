/*
 * train/device/plain/axes_plain.c - values scaled and cut, axes exchanged and averaged in plain loops.
 */
#include "train/device/plain/plain_kernels.h"

void dev_plain_scale(struct dev *d, const float *x, int64_t n, float scale, bool accumulate,
                     float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; ++i)
        y[i] = (accumulate ? y[i] : 0.0f) + scale * x[i];
}

void dev_plain_swap_axes(struct dev *d, const float *x, int64_t A, int64_t B, int64_t D,
                         bool accumulate, float *y)
{
    (void) d;
    for (int64_t a = 0; a < A; ++a)
        for (int64_t b = 0; b < B; ++b)
            for (int64_t c = 0; c < D; ++c) {
                float *to = &y[(b * A + a) * D + c];
                float value = x[(a * B + b) * D + c];

                *to = accumulate ? *to + value : value;
            }
}

void dev_plain_mean_axis(struct dev *d, const float *x, int64_t B, int64_t L, int64_t D, float *y)
{
    (void) d;
    for (int64_t b = 0; b < B; ++b)
        for (int64_t c = 0; c < D; ++c) {
            double sum = 0.0;

            for (int64_t l = 0; l < L; ++l)
                sum += (double) x[(b * L + l) * D + c];
            y[b * D + c] = (float) (sum / (double) L);
        }
}

void dev_plain_mean_axis_bwd(struct dev *d, const float *dy, int64_t B, int64_t L, int64_t D,
                             bool accumulate, float *dx)
{
    (void) d;
    for (int64_t b = 0; b < B; ++b)
        for (int64_t l = 0; l < L; ++l)
            for (int64_t c = 0; c < D; ++c) {
                float *to = &dx[(b * L + l) * D + c];
                float value = dy[b * D + c] / (float) L;

                *to = accumulate ? *to + value : value;
            }
}

void dev_plain_relu(struct dev *d, const float *x, int64_t n, float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; ++i)
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

void dev_plain_scale_rows(struct dev *d, const float *x, int64_t rows, int64_t cols,
                          const float *factors, bool accumulate, float *y)
{
    (void) d;
    for (int64_t i = 0; i < rows * cols; ++i)
        y[i] = (accumulate ? y[i] : 0.0f) + factors[i / cols] * x[i];
}
