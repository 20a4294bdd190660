/*
 * train/device/reference/conv_reference.c - convolutions along positions in plain loops (struct
 * dev_unfold, struct dev_depthwise).
 */
#include <string.h>

#include "train/device/reference/reference_floats.h"
#include "train/device/reference/reference_kernels.h"
#include "train/device/step.h"

/* The row of x that tap t of position (b,l) reads; negative where it reads zeros. */
static int64_t row_read(const struct dev_unfold *a, int64_t b, int64_t l, int64_t t)
{
    int64_t row = a->at + l + (t ? a->first + t : 0);

    if (row < 0 || row >= a->at + a->L || (a->row_ids && a->row_ids[b * a->L + row] == 0))
        return -1;
    return dev_cache_element(a->cache_index, a->x_rows, b, b, row) * a->x_rows + row;
}

void dev_reference_unfold(struct dev *d, const struct dev_unfold_args *args)
{
    (void) d;
    for (int64_t b = 0; b < args->of.B; b++) {
        const struct dev_unfold now = dev_unfold_now(&args->of, b), *a = &now;

        for (int64_t l = 0; l < a->L; l++)
            for (int64_t t = 0; t < a->taps; t++) {
                int64_t row = row_read(a, b, l, t);

                for (int64_t c = 0; c < a->D; c++)
                    dev_put(a->type, args->out, ((b * a->L + l) * a->taps + t) * a->D + c,
                            row < 0 ? 0.0f : dev_get(a->type, a->x, row * a->D + c) * a->scale);
            }
    }
}

void dev_reference_unfold_bwd(struct dev *d, const struct dev_unfold_bwd_args *args)
{
    const struct dev_unfold *a = &args->of;
    int64_t n = a->B * a->L * a->D;
    float *dx = dev_floats_open(a->type, args->dx, n);

    (void) d;
    if (!args->accumulate)
        memset(dx, 0, (size_t) n * sizeof *dx);
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++)
            for (int64_t t = 0; t < a->taps; t++) {
                int64_t row = row_read(a, b, l, t);

                for (int64_t c = 0; row >= 0 && c < a->D; c++)
                    dx[row * a->D + c] +=
                        dev_get(a->type, args->dout, ((b * a->L + l) * a->taps + t) * a->D + c) *
                        a->scale;
            }
    dev_floats_close(a->type, dx, n, args->dx);
}

void dev_reference_depthwise(struct dev *d, const struct dev_depthwise_args *args)
{
    const struct dev_depthwise *a = &args->of;

    (void) d;
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t l = 0; l < a->L; l++)
            for (int64_t c = 0; c < a->C; c++) {
                double sum = 0.0;

                for (int64_t t = 0; t < a->taps; t++) {
                    int64_t row = l - (a->taps - 1) + t;

                    if (row >= 0)
                        sum += (double) dev_get(a->type, a->x, (b * a->L + row) * a->C + c) *
                               (double) a->w[t * a->C + c];
                }
                dev_put(a->type, args->y, (b * a->L + l) * a->C + c, (float) sum);
            }
}

void dev_reference_depthwise_bwd(struct dev *d, const struct dev_depthwise_bwd_args *args)
{
    const struct dev_depthwise *a = &args->of;

    (void) d;
    for (int64_t c = 0; c < a->C; c++) {
        for (int64_t b = 0; b < a->B; b++)
            for (int64_t row = 0; row < a->L; row++) {
                int64_t i = (b * a->L + row) * a->C + c;
                double sum = args->accumulate_x ? (double) dev_get(a->type, args->dx, i) : 0.0;

                for (int64_t t = 0; t < a->taps; t++) {
                    int64_t l = row + (a->taps - 1) - t;

                    if (l < a->L)
                        sum += (double) dev_get(a->type, args->dy, (b * a->L + l) * a->C + c) *
                               (double) a->w[t * a->C + c];
                }
                dev_put(a->type, args->dx, i, (float) sum);
            }
        for (int64_t t = 0; t < a->taps; t++) {
            double sum = args->accumulate_w ? (double) args->dw[t * a->C + c] : 0.0;

            for (int64_t b = 0; b < a->B; b++)
                for (int64_t l = a->taps - 1 - t; l < a->L; l++)
                    sum += (double) dev_get(a->type, args->dy, (b * a->L + l) * a->C + c) *
                           (double) dev_get(a->type, a->x,
                                            (b * a->L + l - (a->taps - 1) + t) * a->C + c);
            args->dw[t * a->C + c] = (float) sum;
        }
    }
}
