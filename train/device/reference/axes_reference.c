/*
 * train/device/reference/axes_reference.c - values scaled and cut, axes exchanged and averaged in
 * plain loops.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_scale(struct dev *d, const struct dev_scale_args *a)
{
    const float factor = dev_scale_factor(a);

    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        dev_put(a->type, a->y, i,
                (a->accumulate ? dev_get(a->type, a->y, i) : 0.0f) +
                    factor * dev_get(a->type, a->x, i));
}

static void put(enum dev_type type, void *p, int64_t i, float x, bool accumulate)
{
    dev_put(type, p, i, accumulate ? dev_get(type, p, i) + x : x);
}

void dev_reference_swap_axes(struct dev *d, const struct dev_swap_axes_args *args)
{
    (void) d;
    for (int64_t a = 0; a < args->A; a++)
        for (int64_t b = 0; b < args->B; b++)
            for (int64_t c = 0; c < args->D; c++) {
                float value = dev_get(args->type, args->x, (a * args->B + b) * args->D + c);

                put(args->type, args->y, (b * args->A + a) * args->D + c, value, args->accumulate);
            }
}

void dev_reference_mean_axis(struct dev *d, const struct dev_mean_axis_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t c = 0; c < a->D; c++) {
            double sum = 0.0;

            for (int64_t l = 0; l < a->L; l++)
                sum += (double) dev_get(a->type, a->x, (b * a->L + l) * a->D + c);
            dev_put(a->type, a->y, b * a->D + c, (float) (sum / (double) a->L));
        }
}

void dev_reference_mean_axis_bwd(struct dev *d, const struct dev_mean_axis_bwd_args *a)
{
    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++)
            for (int64_t c = 0; c < a->D; c++) {
                float value = dev_get(a->type, a->dy, b * a->D + c) / (float) a->L;

                put(a->type, a->dx, (b * a->L + l) * a->D + c, value, a->accumulate);
            }
}

void dev_reference_relu(struct dev *d, const struct dev_relu_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        float x = dev_get(a->type, a->x, i);

        x = a->most > 0.0f && x > a->most ? a->most : x;
        dev_put(a->type, a->y, i, x < 0.0f ? 0.0f : x);
    }
}

/* 1/2 (1 + tanh(u)) = 1 / (1 + e^-2u), u = sqrt(2/pi) (x + 0.044715 x^3): GELU is x times this. */
static double gate(double x)
{
    return 1.0 / (1.0 + exp(-2.0 * (double) GELU_SLOPE * (x + (double) GELU_CUBE * x * x * x)));
}

void dev_reference_gelu(struct dev *d, const struct dev_gelu_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        double x = (double) dev_get(a->type, a->x, i);

        dev_put(a->type, a->y, i, (float) (x * gate(x)));
    }
}

/* d/dx (x s) = s + x s (1 - s) 2 u'. */
void dev_reference_gelu_bwd(struct dev *d, const struct dev_gelu_bwd_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++) {
        double v = (double) dev_get(a->type, a->x, i), s = gate(v);
        double inner = 2.0 * (double) GELU_SLOPE * (1.0 + 3.0 * (double) GELU_CUBE * v * v);
        double value = (double) dev_get(a->type, a->dy, i) * (s + v * s * (1.0 - s) * inner);

        dev_put(a->type, a->dx, i,
                (float) (a->accumulate ? (double) dev_get(a->type, a->dx, i) + value : value));
    }
}

void dev_reference_scale_rows(struct dev *d, const struct dev_scale_rows_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->rows * a->cols; i++)
        dev_put(a->type, a->y, i,
                (a->accumulate ? dev_get(a->type, a->y, i) : 0.0f) +
                    a->factors[i / a->cols] * dev_get(a->type, a->x, i));
}
