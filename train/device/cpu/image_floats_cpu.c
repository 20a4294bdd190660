/*
 * train/device/cpu/image_floats_cpu.c - images that travelled as bytes become floats, cut by
 * pixels; the tables of all channels stay in the first cache.
 */
#include "train/device/cpu/cpu_kernels.h"

enum { PIXELS = 8192 }; /* that one job looks up */

static void look_up(const uint8_t *restrict x, int64_t n, int64_t C, const float *restrict values,
                    float *restrict y)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < C; c++)
            y[p * C + c] = values[c * 256 + x[p * C + c]];
}

static void look_up_some(void *arg, int64_t job, int worker)
{
    const struct dev_image_floats_args *a = arg;
    int64_t first = job * PIXELS, n = a->pixels - first < PIXELS ? a->pixels - first : PIXELS;
    const uint8_t *x = a->x + first * a->C;
    float *y = a->y + first * a->C;

    (void) worker;
    if (a->C == 3) /* inlined: the loop over channels is known */
        look_up(x, n, 3, a->values, y);
    else if (a->C == 1)
        look_up(x, n, 1, a->values, y);
    else
        look_up(x, n, a->C, a->values, y);
}

void DEV_CPU(dev_cpu_image_floats)(struct dev *d, const struct dev_image_floats_args *args)
{
    struct dev_image_floats_args a = *args;

    dev_cpu_run(d, dev_cpu_div_up(a.pixels, PIXELS), look_up_some, &a);
}
