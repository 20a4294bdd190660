/*
 * train/device/reference/windows_reference.c - windows of images cut out and put back, in plain
 * loops.
 */
#include "train/device/reference/reference_kernels.h"

static void put(enum dev_type type, void *p, int64_t i, float x, bool accumulate)
{
    dev_put(type, p, i, accumulate ? dev_get(type, p, i) + x : x);
}

/* The pixel of x that is number k of window (r, q), or -1. */
static int64_t pixel_of(const struct dev_windows *of, int64_t r, int64_t q, int64_t k)
{
    int64_t i = r * of->step[0] + of->first[0] + k / of->size[1];
    int64_t j = q * of->step[1] + of->first[1] + k % of->size[1];

    return i >= 0 && i < of->H && j >= 0 && j < of->W ? i * of->W + j : -1;
}

void dev_reference_cut_windows(struct dev *d, const struct dev_cut_windows_args *a)
{
    const struct dev_windows *of = &a->of;
    int64_t n_windows = of->rows * of->columns, n = of->size[0] * of->size[1], at = 0;

    (void) d;
    for (int64_t b = 0; b < of->B; b++)
        for (int64_t w = 0; w < n_windows; w++)
            for (int64_t k = 0; k < n; k++) {
                int64_t pixel = pixel_of(of, w / of->columns, w % of->columns, k);

                for (int64_t c = 0; c < of->C; c++, at++)
                    put(a->type, a->y, at,
                        pixel < 0 ? 0.0f
                                  : dev_get(a->type, a->x, (b * of->H * of->W + pixel) * of->C + c),
                        a->accumulate);
            }
}

/* The sum over all windows that have the pixel in them. */
static float sum_of(const struct dev_put_windows_args *a, int64_t b, int64_t pixel, int64_t c)
{
    const struct dev_windows *of = &a->of;
    int64_t n_windows = of->rows * of->columns, n = of->size[0] * of->size[1];
    float sum = 0.0f;

    for (int64_t w = 0; w < n_windows; w++)
        for (int64_t k = 0; k < n; k++)
            if (pixel_of(of, w / of->columns, w % of->columns, k) == pixel)
                sum += dev_get(a->type, a->y, ((b * n_windows + w) * n + k) * of->C + c);
    return sum;
}

void dev_reference_put_windows(struct dev *d, const struct dev_put_windows_args *a)
{
    int64_t pixels = a->of.H * a->of.W;

    (void) d;
    for (int64_t b = 0; b < a->of.B; b++)
        for (int64_t p = 0; p < pixels; p++)
            for (int64_t c = 0; c < a->of.C; c++)
                put(a->type, a->x, (b * pixels + p) * a->of.C + c, sum_of(a, b, p, c),
                    a->accumulate);
}
