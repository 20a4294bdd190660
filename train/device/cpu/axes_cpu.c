/*
 * train/device/cpu/axes_cpu.c - values scaled, axes exchanged and averaged.
 *
 * Each kernel is cut along one axis of its output, so no two pieces add to one place; a mean is a
 * sum in ascending order divided once.
 */
#include "train/device/cpu/cpu_kernels.h"

struct axes {
    enum dev_type type;
    const void *x;
    int64_t A, B, D; /* of swap_axes; the mean is over B of (A,B,D) */
    bool accumulate;
    void *y;
};

enum { RANGE = 16384 }; /* elements of one piece of work */

static void scale_piece(void *arg, int64_t piece, int worker)
{
    const struct dev_scale_args *a = arg;
    int64_t end = (piece + 1) * RANGE < a->n ? (piece + 1) * RANGE : a->n;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t i = piece * RANGE, n; i < end; i += n) {
        const float *x;
        float *y;

        n = dev_cpu_block(a->type, i, end);
        x = dev_cpu_in(a->type, a->x, i, n, bx);
        y = dev_cpu_out(a->type, a->y, i, n, a->accumulate, by);
        for (int64_t c = 0; c < n; c++)
            y[c] = (a->accumulate ? y[c] : 0.0f) + a->scale * x[c];
        dev_cpu_done(a->type, y, n, a->y, i);
    }
}

void DEV_CPU(dev_cpu_scale)(struct dev *d, const struct dev_scale_args *a)
{
    struct dev_scale_args copy = *a;

    copy.scale = dev_scale_factor(a);
    dev_cpu_run(d, dev_cpu_div_up(a->n, RANGE), scale_piece, &copy);
}

static void swap_row(void *arg, int64_t b, int worker)
{
    const struct axes *s = arg;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t a = 0; a < s->A; a++)
        for (int64_t c = 0, n; c < s->D; c += n) {
            int64_t to = (b * s->A + a) * s->D + c;
            const float *x;
            float *y;

            n = dev_cpu_block(s->type, c, s->D);
            x = dev_cpu_in(s->type, s->x, (a * s->B + b) * s->D + c, n, bx);
            y = dev_cpu_out(s->type, s->y, to, n, s->accumulate, by);
            for (int64_t k = 0; k < n; k++)
                y[k] = s->accumulate ? y[k] + x[k] : x[k];
            dev_cpu_done(s->type, y, n, s->y, to);
        }
}

void DEV_CPU(dev_cpu_swap_axes)(struct dev *d, const struct dev_swap_axes_args *a)
{
    struct axes s = {a->type, a->x, a->A, a->B, a->D, a->accumulate, a->y};

    dev_cpu_run(d, a->B, swap_row, &s);
}

static void mean_element(void *arg, int64_t a, int worker)
{
    const struct axes *s = arg;
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t c = 0, n; c < s->D; c += n) {
        float *y;

        n = dev_cpu_block(s->type, c, s->D);
        y = dev_cpu_out(s->type, s->y, a * s->D + c, n, false, by);
        memset(y, 0, (size_t) n * sizeof *y);
        for (int64_t b = 0; b < s->B; b++) {
            const float *x = dev_cpu_in(s->type, s->x, (a * s->B + b) * s->D + c, n, bx);

            for (int64_t k = 0; k < n; k++)
                y[k] += x[k];
        }
        for (int64_t k = 0; k < n; k++)
            y[k] /= (float) s->B;
        dev_cpu_done(s->type, y, n, s->y, a * s->D + c);
    }
}

void DEV_CPU(dev_cpu_mean_axis)(struct dev *d, const struct dev_mean_axis_args *a)
{
    struct axes s = {a->type, a->x, a->B, a->L, a->D, false, a->y};

    dev_cpu_run(d, a->B, mean_element, &s);
}

static void mean_element_bwd(void *arg, int64_t a, int worker)
{
    const struct axes *s = arg;
    float by[DEV_CPU_BLOCK], bx[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t c = 0, n; c < s->D; c += n) {
        const float *dy;

        n = dev_cpu_block(s->type, c, s->D);
        dy = dev_cpu_in(s->type, s->x, a * s->D + c, n, by);
        for (int64_t b = 0; b < s->B; b++) {
            int64_t to = (a * s->B + b) * s->D + c;
            float *dx = dev_cpu_out(s->type, s->y, to, n, s->accumulate, bx);

            for (int64_t k = 0; k < n; k++)
                dx[k] = (s->accumulate ? dx[k] : 0.0f) + dy[k] / (float) s->B;
            dev_cpu_done(s->type, dx, n, s->y, to);
        }
    }
}

void DEV_CPU(dev_cpu_mean_axis_bwd)(struct dev *d, const struct dev_mean_axis_bwd_args *a)
{
    struct axes s = {a->type, a->dy, a->B, a->L, a->D, a->accumulate, a->dx};

    dev_cpu_run(d, a->B, mean_element_bwd, &s);
}
