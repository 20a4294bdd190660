/*
 * train/device/reference/axes_reference.c - values scaled and cut, axes exchanged and averaged in
 * plain loops.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_scale(struct dev *d, const float *x, int64_t n, float scale, bool accumulate,
                         float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; i++)
        y[i] = (accumulate ? y[i] : 0.0f) + scale * x[i];
}

void dev_reference_swap_axes(struct dev *d, const float *x, int64_t A, int64_t B, int64_t D,
                             bool accumulate, float *y)
{
    (void) d;
    for (int64_t a = 0; a < A; a++)
        for (int64_t b = 0; b < B; b++)
            for (int64_t c = 0; c < D; c++) {
                float *to = &y[(b * A + a) * D + c];
                float value = x[(a * B + b) * D + c];

                *to = accumulate ? *to + value : value;
            }
}

void dev_reference_mean_axis(struct dev *d, const float *x, int64_t B, int64_t L, int64_t D,
                             float *y)
{
    (void) d;
    for (int64_t b = 0; b < B; b++)
        for (int64_t c = 0; c < D; c++) {
            double sum = 0.0;

            for (int64_t l = 0; l < L; l++)
                sum += (double) x[(b * L + l) * D + c];
            y[b * D + c] = (float) (sum / (double) L);
        }
}

void dev_reference_mean_axis_bwd(struct dev *d, const float *dy, int64_t B, int64_t L, int64_t D,
                                 bool accumulate, float *dx)
{
    (void) d;
    for (int64_t b = 0; b < B; b++)
        for (int64_t l = 0; l < L; l++)
            for (int64_t c = 0; c < D; c++) {
                float *to = &dx[(b * L + l) * D + c];
                float value = dy[b * D + c] / (float) L;

                *to = accumulate ? *to + value : value;
            }
}

void dev_reference_relu(struct dev *d, const float *x, int64_t n, float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] < 0.0f ? 0.0f : x[i];
}

/* 1/2 (1 + tanh(u)) = 1 / (1 + e^-2u), u = sqrt(2/pi) (x + 0.044715 x^3): GELU is x times this. */
static double gate(double x)
{
    return 1.0 / (1.0 + exp(-2.0 * (double) GELU_SLOPE * (x + (double) GELU_CUBE * x * x * x)));
}

void dev_reference_gelu(struct dev *d, const float *x, int64_t n, float *y)
{
    (void) d;
    for (int64_t i = 0; i < n; i++)
        y[i] = (float) ((double) x[i] * gate((double) x[i]));
}

/* d/dx (x s) = s + x s (1 - s) 2 u'. */
void dev_reference_gelu_bwd(struct dev *d, const float *x, const float *dy, int64_t n,
                            bool accumulate, float *dx)
{
    (void) d;
    for (int64_t i = 0; i < n; i++) {
        double v = (double) x[i], s = gate(v);
        double inner = 2.0 * (double) GELU_SLOPE * (1.0 + 3.0 * (double) GELU_CUBE * v * v);
        double value = (double) dy[i] * (s + v * s * (1.0 - s) * inner);

        dx[i] = (float) (accumulate ? (double) dx[i] + value : value);
    }
}

void dev_reference_scale_rows(struct dev *d, const float *x, int64_t rows, int64_t cols,
                              const float *factors, bool accumulate, float *y)
{
    (void) d;
    for (int64_t i = 0; i < rows * cols; i++)
        y[i] = (accumulate ? y[i] : 0.0f) + factors[i / cols] * x[i];
}
