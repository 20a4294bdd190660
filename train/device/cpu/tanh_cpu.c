/*
 * train/device/cpu/tanh_cpu.c - the hyperbolic tangent on the pool: pieces of a fixed number of
 * elements, whatever the number of threads, each by itself.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"

enum { PIECE = 4096 };

static void forward(void *arg, int64_t piece, int worker)
{
    const struct dev_tanh_args *a = arg;
    int64_t end = (piece + 1) * PIECE < a->n ? (piece + 1) * PIECE : a->n;

    (void) worker;
    for (int64_t i = piece * PIECE; i < end; i++)
        a->y[i] = tanhf(a->x[i]);
}

void DEV_CPU(dev_cpu_tanh)(struct dev *d, const struct dev_tanh_args *a)
{
    struct dev_tanh_args copy = *a;

    dev_cpu_run(d, dev_cpu_div_up(a->n, PIECE), forward, &copy);
}

static void backward(void *arg, int64_t piece, int worker)
{
    const struct dev_tanh_bwd_args *a = arg;
    int64_t end = (piece + 1) * PIECE < a->n ? (piece + 1) * PIECE : a->n;

    (void) worker;
    for (int64_t i = piece * PIECE; i < end; i++)
        a->dx[i] = (a->accumulate ? a->dx[i] : 0.0f) + a->dy[i] * (1.0f - a->y[i] * a->y[i]);
}

void DEV_CPU(dev_cpu_tanh_bwd)(struct dev *d, const struct dev_tanh_bwd_args *a)
{
    struct dev_tanh_bwd_args copy = *a;

    dev_cpu_run(d, dev_cpu_div_up(a->n, PIECE), backward, &copy);
}
