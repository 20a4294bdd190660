/*
 * train/device/reference/pooling_reference.c - maxima and means over windows in plain loops.
 */
#include "train/device/reference/reference_kernels.h"

/* Element of x that tap (i, j) of window (b, r, q) sees in channel c; -1 beyond the image. */
static int64_t seen(const struct dev_pool *a, int64_t window, int64_t i, int64_t j, int64_t c)
{
    int64_t q = window % a->Wo, r = window / a->Wo % a->Ho, b = window / (a->Wo * a->Ho);
    int64_t row = r * a->stride - a->top + i, column = q * a->stride - a->left + j;

    if (row < 0 || row >= a->H || column < 0 || column >= a->W)
        return -1;
    return ((b * a->H + row) * a->W + column) * a->C + c;
}

void dev_reference_max_pool(struct dev *d, const struct dev_max_pool_args *args)
{
    const struct dev_pool *a = &args->of;

    (void) d;
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++) {
        int64_t best = -1, tap = -1;

        for (int64_t t = 0; t < a->size * a->size; t++) {
            int64_t at = seen(a, k / a->C, t / a->size, t % a->size, k % a->C);

            if (at >= 0 &&
                (best < 0 || args->x[at] > args->x[best] || args->x[at] != args->x[at])) {
                best = at;
                tap = t;
            }
        }
        args->y[k] = args->x[best];
        if (args->argmax)
            args->argmax[k] = (int32_t) tap;
    }
}

static void clear(const struct dev_pool *a, float *dx)
{
    for (int64_t i = 0; i < a->B * a->H * a->W * a->C; i++)
        dx[i] = 0.0f;
}

void dev_reference_max_pool_bwd(struct dev *d, const struct dev_max_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;

    (void) d;
    if (!args->accumulate)
        clear(a, args->dx);
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++)
        args->dx[seen(a, k / a->C, args->argmax[k] / a->size, args->argmax[k] % a->size,
                      k % a->C)] += args->dy[k];
}

/* Taps of a window inside of the image, which an average is divided by. */
static int64_t count(const struct dev_pool *a, int64_t window)
{
    int64_t n = 0;

    for (int64_t t = 0; t < a->size * a->size; t++)
        n += seen(a, window, t / a->size, t % a->size, 0) >= 0;
    return n;
}

void dev_reference_avg_pool(struct dev *d, const struct dev_avg_pool_args *args)
{
    const struct dev_pool *a = &args->of;

    (void) d;
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++) {
        double sum = 0.0;

        for (int64_t t = 0; t < a->size * a->size; t++) {
            int64_t at = seen(a, k / a->C, t / a->size, t % a->size, k % a->C);

            sum += at >= 0 ? (double) args->x[at] : 0.0;
        }
        args->y[k] = (float) (sum / (double) count(a, k / a->C));
    }
}

void dev_reference_avg_pool_bwd(struct dev *d, const struct dev_avg_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;

    (void) d;
    if (!args->accumulate)
        clear(a, args->dx);
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++)
        for (int64_t t = 0; t < a->size * a->size; t++) {
            int64_t at = seen(a, k / a->C, t / a->size, t % a->size, k % a->C);

            if (at >= 0)
                args->dx[at] += args->dy[k] / (float) count(a, k / a->C);
        }
}
