/*
 * train/device/cpu/image_layout_cpu.c - channels joined, images moved: copies, cut by rows.  With
 * accumulate they are the backward passes.
 */
#include "train/device/cpu/cpu_kernels.h"

/* y (n) [+]= x. */
static void take(const float *x, int64_t n, bool accumulate, float *y)
{
    if (!accumulate) {
        memcpy(y, x, (size_t) n * sizeof *y);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        y[i] += x[i];
}

enum { ROWS = 64 }; /* that one job copies */

struct columns {
    const float *x;
    int64_t rows, cols, x_stride, y_stride;
    bool accumulate;
    float *y;
};

static void copy_some(void *arg, int64_t job, int worker)
{
    const struct columns *a = arg;
    int64_t end = (job + 1) * ROWS < a->rows ? (job + 1) * ROWS : a->rows;

    (void) worker;
    for (int64_t r = job * ROWS; r < end; r++)
        take(a->x + r * a->x_stride, a->cols, a->accumulate, a->y + r * a->y_stride);
}

void DEV_CPU(dev_cpu_copy_columns)(struct dev *d, const struct dev_copy_columns_args *args)
{
    struct columns a = {args->x,        args->rows,       args->cols, args->x_stride,
                        args->y_stride, args->accumulate, args->y};

    dev_cpu_run(d, (args->rows + ROWS - 1) / ROWS, copy_some, &a);
}

struct shift {
    const float *x;
    int64_t H, W, C, rows, columns;
    bool accumulate;
    float *y;
};

static int64_t clamped(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i > n ? n : i;
}

/* One row (W,C) of one image of y: row i + rows of x, columns first .. end - 1 of y from those
 * `columns` further; zeros elsewhere. */
static void shift_row(void *arg, int64_t row, int worker)
{
    const struct shift *s = arg;
    int64_t from = row % s->H + s->rows, width = s->W * s->C;
    int64_t first = clamped(-s->columns, s->W), end = clamped(s->W - s->columns, s->W);
    float *y = s->y + row * width;

    (void) worker;
    if (from < 0 || from >= s->H || first >= end)
        first = end = 0;
    if (!s->accumulate) {
        memset(y, 0, (size_t) (first * s->C) * sizeof *y);
        memset(y + end * s->C, 0, (size_t) (width - end * s->C) * sizeof *y);
    }
    if (first < end)
        take(s->x + (row + s->rows) * width + (first + s->columns) * s->C, (end - first) * s->C,
             s->accumulate, y + first * s->C);
}

void DEV_CPU(dev_cpu_shift_pixels)(struct dev *d, const struct dev_shift_pixels_args *a)
{
    struct shift s = {a->x,    a->dims[1], a->dims[2],    a->dims[3],
                      a->rows, a->columns, a->accumulate, a->y};

    dev_cpu_run(d, a->dims[0] * a->dims[1], shift_row, &s);
}

struct mirror {
    const float *x;
    int64_t W, C;
    float *y;
};

/* y[j] = x[W - 1 - j] for the pixels of one row. */
static void mirror_row(void *arg, int64_t row, int worker)
{
    const struct mirror *m = arg;
    const float *x = m->x + row * m->W * m->C;
    float *y = m->y + row * m->W * m->C;

    (void) worker;
    for (int64_t j = 0; j < m->W; j++)
        for (int64_t c = 0; c < m->C; c++)
            y[j * m->C + c] = x[(m->W - 1 - j) * m->C + c];
}

void DEV_CPU(dev_cpu_mirror_pixels)(struct dev *d, const struct dev_mirror_pixels_args *a)
{
    struct mirror m = {a->x, a->dims[2], a->dims[3], a->y};

    dev_cpu_run(d, a->dims[0] * a->dims[1], mirror_row, &m);
}
