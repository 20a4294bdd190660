/*
 * train/device/cpu/image_layout_cpu.c - channels joined, images moved: copies, cut by rows.  With
 * accumulate they are the backward passes.
 */
#include "train/device/cpu/cpu_kernels.h"

/* n elements of y from `to` on [+]= those of x from `from` on. */
static void take(enum dev_type type, const void *x, int64_t from, int64_t n, bool accumulate,
                 void *y, int64_t to)
{
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    if (!accumulate) {
        memcpy(dev_element(type, y, to), dev_element_in(type, x, from),
               (size_t) n * dev_type_bytes(type));
        return;
    }
    for (int64_t c = 0, k; c < n; c += k) {
        const float *in;
        float *out;

        k = dev_cpu_block(type, c, n);
        in = dev_cpu_in(type, x, from + c, k, bx);
        out = dev_cpu_out(type, y, to + c, k, true, by);
        for (int64_t i = 0; i < k; i++)
            out[i] += in[i];
        dev_cpu_done(type, out, k, y, to + c);
    }
}

enum { ROWS = 64 }; /* that one job copies */

struct columns {
    enum dev_type type;
    const void *x;
    int64_t rows, cols, x_stride, y_stride;
    bool accumulate;
    void *y;
};

static void copy_some(void *arg, int64_t job, int worker)
{
    const struct columns *a = arg;
    int64_t end = (job + 1) * ROWS < a->rows ? (job + 1) * ROWS : a->rows;

    (void) worker;
    for (int64_t r = job * ROWS; r < end; r++)
        take(a->type, a->x, r * a->x_stride, a->cols, a->accumulate, a->y, r * a->y_stride);
}

void DEV_CPU(dev_cpu_copy_columns)(struct dev *d, const struct dev_copy_columns_args *args)
{
    struct columns a = {args->type,     args->x,        args->rows,       args->cols,
                        args->x_stride, args->y_stride, args->accumulate, args->y};

    dev_cpu_run(d, (args->rows + ROWS - 1) / ROWS, copy_some, &a);
}

struct shift {
    enum dev_type type;
    const void *x;
    int64_t H, W, C, rows, columns;
    bool accumulate;
    void *y;
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
    size_t pixel = (size_t) s->C * dev_type_bytes(s->type);
    char *y = dev_element(s->type, s->y, row * width);

    (void) worker;
    if (from < 0 || from >= s->H || first >= end)
        first = end = 0;
    if (!s->accumulate) {
        memset(y, 0, (size_t) first * pixel);
        memset(y + (size_t) end * pixel, 0, (size_t) (s->W - end) * pixel);
    }
    if (first < end)
        take(s->type, s->x, (row + s->rows) * width + (first + s->columns) * s->C,
             (end - first) * s->C, s->accumulate, s->y, row * width + first * s->C);
}

void DEV_CPU(dev_cpu_shift_pixels)(struct dev *d, const struct dev_shift_pixels_args *a)
{
    struct shift s = {a->type, a->x,       a->dims[1],    a->dims[2], a->dims[3],
                      a->rows, a->columns, a->accumulate, a->y};

    dev_cpu_run(d, a->dims[0] * a->dims[1], shift_row, &s);
}

struct mirror {
    const char *x;
    int64_t W;
    size_t pixel; /* bytes */
    char *y;
};

/* y[j] = x[W - 1 - j] for the pixels of one row. */
static void mirror_row(void *arg, int64_t row, int worker)
{
    const struct mirror *m = arg;
    const char *x = m->x + (size_t) (row * m->W) * m->pixel;
    char *y = m->y + (size_t) (row * m->W) * m->pixel;

    (void) worker;
    for (int64_t j = 0; j < m->W; j++)
        memcpy(y + (size_t) j * m->pixel, x + (size_t) (m->W - 1 - j) * m->pixel, m->pixel);
}

void DEV_CPU(dev_cpu_mirror_pixels)(struct dev *d, const struct dev_mirror_pixels_args *a)
{
    struct mirror m = {a->x, a->dims[2], (size_t) a->dims[3] * dev_type_bytes(a->type), a->y};

    dev_cpu_run(d, a->dims[0] * a->dims[1], mirror_row, &m);
}
