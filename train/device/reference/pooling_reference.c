/*
 * train/device/reference/pooling_reference.c - maxima and means over windows in plain loops.
 */
#include "train/device/reference/reference_floats.h"
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
        float largest = 0.0f;

        for (int64_t t = 0; t < a->size * a->size; t++) {
            int64_t at = seen(a, k / a->C, t / a->size, t % a->size, k % a->C);

            float x = at >= 0 ? dev_get(a->type, args->x, at) : 0.0f;

            if (at >= 0 && (best < 0 || x > largest || x != x)) {
                best = at;
                tap = t;
                largest = x;
            }
        }
        dev_put(a->type, args->y, k, largest);
        if (args->argmax)
            args->argmax[k] = (int32_t) tap;
    }
}

static int64_t of_x(const struct dev_pool *a)
{
    return a->B * a->H * a->W * a->C;
}

/* dx as floats, 0 unless it is added to. */
static float *open_dx(const struct dev_pool *a, void *dx, bool accumulate)
{
    float *x = dev_floats_open(a->type, dx, of_x(a));

    for (int64_t i = 0; !accumulate && i < of_x(a); i++)
        x[i] = 0.0f;
    return x;
}

void dev_reference_max_pool_bwd(struct dev *d, const struct dev_max_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;
    float *dx = open_dx(a, args->dx, args->accumulate);

    (void) d;
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++)
        dx[seen(a, k / a->C, args->argmax[k] / a->size, args->argmax[k] % a->size, k % a->C)] +=
            dev_get(a->type, args->dy, k);
    dev_floats_close(a->type, dx, of_x(a), args->dx);
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

            sum += at >= 0 ? (double) dev_get(a->type, args->x, at) : 0.0;
        }
        dev_put(a->type, args->y, k, (float) (sum / (double) count(a, k / a->C)));
    }
}

void dev_reference_avg_pool_bwd(struct dev *d, const struct dev_avg_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;
    float *dx = open_dx(a, args->dx, args->accumulate);

    (void) d;
    for (int64_t k = 0; k < a->B * a->Ho * a->Wo * a->C; k++)
        for (int64_t t = 0; t < a->size * a->size; t++) {
            int64_t at = seen(a, k / a->C, t / a->size, t % a->size, k % a->C);

            if (at >= 0)
                dx[at] += dev_get(a->type, args->dy, k) / (float) count(a, k / a->C);
        }
    dev_floats_close(a->type, dx, of_x(a), args->dx);
}
