/*
 * train/device/cpu/draw_cpu.c - random numbers of a step for rows and ids, so few that the
 * reference kernels are good enough; and noise, a piece of work for some numbers.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/draw_bits.h"
#include "train/device/reference/reference_kernels.h"

enum { PIECE = 4096 }; /* elements */

void DEV_CPU(dev_cpu_draw_keep)(struct dev *d, const struct dev_draw_keep_args *a)
{
    dev_reference_draw_keep(d, a);
}

void DEV_CPU(dev_cpu_draw_share)(struct dev *d, const struct dev_draw_share_args *a)
{
    dev_reference_draw_share(d, a);
}

void DEV_CPU(dev_cpu_drop_ids)(struct dev *d, const struct dev_drop_ids_args *a)
{
    dev_reference_drop_ids(d, a);
}

/* Nearly all of its time is in the logarithm and the cosine of each number. */
static void normal_piece(void *arg, int64_t piece, int worker)
{
    const struct dev_add_normal_args *a = arg;
    int64_t end = dev_cpu_least((piece + 1) * PIECE, a->rows * a->cols);

    (void) worker;
    for (int64_t at = piece * PIECE, n; at < end; at += n) {
        float bx[DEV_CPU_BLOCK], bs[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];
        const float *x, *s;
        float *y;

        n = dev_cpu_block(a->type, at, end);
        x = a->x ? dev_cpu_in(a->type, a->x, at, n, bx) : NULL;
        s = dev_cpu_in(a->type, a->s, at, n, bs);
        y = dev_cpu_out(a->type, a->y, at, n, a->accumulate, by);
        for (int64_t i = 0; i < n; i++) {
            float sum = (x ? x[i] : 0.0f) + s[i] * dev_normal_of(a, at + i);

            y[i] = a->accumulate ? y[i] + sum : sum;
        }
        dev_cpu_done(a->type, y, n, a->y, at);
    }
}

void DEV_CPU(dev_cpu_add_normal)(struct dev *d, const struct dev_add_normal_args *a)
{
    struct dev_add_normal_args copy = *a;

    dev_cpu_run(d, (a->rows * a->cols + PIECE - 1) / PIECE, normal_piece, &copy);
}
