/*
 * train/device/cpu/windows_cpu.c - windows of images: cut out by rows of a window, put back pixel
 * by pixel, each the sum of what its windows have.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/window_range.h"

/* y[0 .. n) [+]= x[from ..), or + 0. */
static void take(const struct dev_cut_windows_args *a, int64_t from, int64_t n, int64_t to)
{
    float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

    if (!a->accumulate) {
        memcpy(dev_element(a->type, a->y, to), dev_element_in(a->type, a->x, from),
               (size_t) n * dev_type_bytes(a->type));
        return;
    }
    for (int64_t c = 0, k; c < n; c += k) {
        const float *in;
        float *out;

        k = dev_cpu_block(a->type, c, n);
        in = dev_cpu_in(a->type, a->x, from + c, k, bx);
        out = dev_cpu_out(a->type, a->y, to + c, k, true, by);
        for (int64_t i = 0; i < k; i++)
            out[i] += in[i];
        dev_cpu_done(a->type, out, k, a->y, to + c);
    }
}

static void clear(const struct dev_cut_windows_args *a, int64_t from, int64_t n)
{
    if (!a->accumulate && n > 0)
        memset(dev_element(a->type, a->y, from), 0, (size_t) n * dev_type_bytes(a->type));
}

static int64_t clamped(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i > n ? n : i;
}

/* Row i of a window: in the image a run of pixels, with zeros in front of it and behind. */
static void cut_row(void *arg, int64_t job, int worker)
{
    const struct dev_cut_windows_args *a = arg;
    const struct dev_windows *of = &a->of;
    int64_t n_windows = of->rows * of->columns, window = job / of->size[0], i = job % of->size[0];
    int64_t b = window / n_windows, w = window % n_windows;
    int64_t row = w / of->columns * of->step[0] + of->first[0] + i;
    int64_t left = w % of->columns * of->step[1] + of->first[1];
    int64_t first = clamped(-left, of->size[1]), end = clamped(of->W - left, of->size[1]);
    int64_t at = job * of->size[1] * of->C;

    (void) worker;
    if (row < 0 || row >= of->H || first >= end)
        first = end = 0;
    clear(a, at, first * of->C);
    clear(a, at + end * of->C, (of->size[1] - end) * of->C);
    if (first < end)
        take(a, ((b * of->H + row) * of->W + left + first) * of->C, (end - first) * of->C,
             at + first * of->C);
}

void DEV_CPU(dev_cpu_cut_windows)(struct dev *d, const struct dev_cut_windows_args *args)
{
    struct dev_cut_windows_args a = *args;

    dev_cpu_run(d, a.of.B * a.of.rows * a.of.columns * a.of.size[0], cut_row, &a);
}

/* Channels c .. c + k - 1 of one pixel (i, j) of image b: sums over its windows. */
static void sum_windows(const struct dev_put_windows_args *a, int64_t b, int64_t i, int64_t j,
                        int64_t c, int64_t k, float *sum)
{
    const struct dev_windows *of = &a->of;
    struct dev_window_range r =
        dev_windows_with(i, of->rows, of->step[0], of->first[0], of->size[0]);
    struct dev_window_range q =
        dev_windows_with(j, of->columns, of->step[1], of->first[1], of->size[1]);
    float block[DEV_CPU_BLOCK];

    memset(sum, 0, (size_t) k * sizeof *sum);
    for (int64_t w = r.from; w < r.end; w++)
        for (int64_t v = q.from; v < q.end; v++) {
            int64_t window = (b * of->rows + w) * of->columns + v;
            int64_t at_row = i - w * of->step[0] - of->first[0];
            int64_t at =
                (window * of->size[0] + at_row) * of->size[1] + j - v * of->step[1] - of->first[1];
            const float *in = dev_cpu_in(a->type, a->y, at * of->C + c, k, block);

            for (int64_t n = 0; n < k; n++)
                sum[n] += in[n];
        }
}

/* A row (W,C) of one image. */
static void put_row(void *arg, int64_t job, int worker)
{
    const struct dev_put_windows_args *a = arg;
    const struct dev_windows *of = &a->of;
    int64_t b = job / of->H, i = job % of->H;
    float sum[DEV_CPU_BLOCK], own[DEV_CPU_BLOCK];

    (void) worker;
    for (int64_t j = 0; j < of->W; j++)
        for (int64_t c = 0, k; c < of->C; c += k) {
            int64_t at = (job * of->W + j) * of->C + c;
            float *out;

            k = of->C - c < DEV_CPU_BLOCK ? of->C - c : DEV_CPU_BLOCK;
            sum_windows(a, b, i, j, c, k, sum);
            out = dev_cpu_out(a->type, a->x, at, k, a->accumulate, own);
            for (int64_t n = 0; n < k; n++)
                out[n] = a->accumulate ? out[n] + sum[n] : sum[n];
            dev_cpu_done(a->type, out, k, a->x, at);
        }
}

void DEV_CPU(dev_cpu_put_windows)(struct dev *d, const struct dev_put_windows_args *args)
{
    struct dev_put_windows_args a = *args;

    dev_cpu_run(d, a.of.B * a.of.H, put_row, &a);
}
