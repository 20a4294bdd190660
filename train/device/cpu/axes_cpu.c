/*
 * train/device/cpu/axes_cpu.c - values scaled, axes exchanged and averaged.
 *
 * Each kernel is cut along one axis of its output, so no two pieces add to one place; a mean is a
 * sum in ascending order divided once.
 */
#include "train/device/cpu/cpu_kernels.h"

struct axes {
    const float *x;
    int64_t A, B, D; /* of swap_axes; the mean is over B of (A,B,D) */
    bool accumulate;
    float *y;
};

/* For a vector or so: on the calling thread. */
void DEV_CPU(dev_cpu_scale)(struct dev *d, const struct dev_scale_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n; i++)
        a->y[i] = (a->accumulate ? a->y[i] : 0.0f) + a->scale * a->x[i];
}

static void swap_row(void *arg, int64_t b, int worker)
{
    const struct axes *s = arg;

    (void) worker;
    for (int64_t a = 0; a < s->A; a++) {
        const float *x = s->x + (a * s->B + b) * s->D;
        float *y = s->y + (b * s->A + a) * s->D;

        for (int64_t c = 0; c < s->D; c++)
            y[c] = s->accumulate ? y[c] + x[c] : x[c];
    }
}

void DEV_CPU(dev_cpu_swap_axes)(struct dev *d, const struct dev_swap_axes_args *a)
{
    struct axes s = {a->x, a->A, a->B, a->D, a->accumulate, a->y};

    dev_cpu_run(d, a->B, swap_row, &s);
}

static void mean_element(void *arg, int64_t a, int worker)
{
    const struct axes *s = arg;
    float *y = s->y + a * s->D;

    (void) worker;
    memset(y, 0, (size_t) s->D * sizeof *y);
    for (int64_t b = 0; b < s->B; b++)
        for (int64_t c = 0; c < s->D; c++)
            y[c] += s->x[(a * s->B + b) * s->D + c];
    for (int64_t c = 0; c < s->D; c++)
        y[c] /= (float) s->B;
}

void DEV_CPU(dev_cpu_mean_axis)(struct dev *d, const struct dev_mean_axis_args *a)
{
    struct axes s = {a->x, a->B, a->L, a->D, false, a->y};

    dev_cpu_run(d, a->B, mean_element, &s);
}

static void mean_element_bwd(void *arg, int64_t a, int worker)
{
    const struct axes *s = arg;
    const float *dy = s->x + a * s->D;

    (void) worker;
    for (int64_t b = 0; b < s->B; b++) {
        float *dx = s->y + (a * s->B + b) * s->D;

        for (int64_t c = 0; c < s->D; c++)
            dx[c] = (s->accumulate ? dx[c] : 0.0f) + dy[c] / (float) s->B;
    }
}

void DEV_CPU(dev_cpu_mean_axis_bwd)(struct dev *d, const struct dev_mean_axis_bwd_args *a)
{
    struct axes s = {a->dy, a->B, a->L, a->D, a->accumulate, a->dx};

    dev_cpu_run(d, a->B, mean_element_bwd, &s);
}
