/*
 * train/device/cpu/image_floats_cpu.c - images that travelled as bytes become floats, cut by
 * rows; the tables of all channels stay in the first cache.
 */
#include "train/device/cpu/cpu_kernels.h"

enum { PIXELS = 8192 }; /* that one job looks up, about */

/* A row of n pixels, a `step` of 1 or -1 from one to the next. */
static void look_up(const uint8_t *restrict x, int64_t step, int64_t n, int64_t C,
                    const float *restrict values, float *restrict y)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < C; c++)
            y[p * C + c] = values[c * 256 + x[p * step * C + c]];
}

static int64_t rows_of_job(const struct dev_image_floats_args *a)
{
    return a->W < PIXELS ? PIXELS / a->W : 1;
}

static void look_up_row(const struct dev_image_floats_args *a, int64_t row)
{
    bool mirrored = a->mirrored && a->mirrored[row / a->H];
    int64_t step = mirrored ? -1 : 1;
    const uint8_t *x = a->x + (row * a->W + (mirrored ? a->W - 1 : 0)) * a->C;
    float *y = a->y + row * a->W * a->C;

    if (a->C == 3) /* inlined: the loop over channels is known */
        look_up(x, step, a->W, 3, a->values, y);
    else if (a->C == 1)
        look_up(x, step, a->W, 1, a->values, y);
    else
        look_up(x, step, a->W, a->C, a->values, y);
}

static void look_up_some(void *arg, int64_t job, int worker)
{
    const struct dev_image_floats_args *a = arg;
    int64_t rows = rows_of_job(a);

    (void) worker;
    for (int64_t row = job * rows; row < (job + 1) * rows && row < a->B * a->H; row++)
        look_up_row(a, row);
}

void DEV_CPU(dev_cpu_image_floats)(struct dev *d, const struct dev_image_floats_args *args)
{
    struct dev_image_floats_args a = *args;

    dev_cpu_run(d, dev_cpu_div_up(a.B * a.H, rows_of_job(&a)), look_up_some, &a);
}
