/*
 * train/device/cpu/pooling_cpu.c - maxima and means over windows of images (B,H,W,C).
 *
 * Forward, a piece of work is one row of windows, (Wo,C) outputs; channels lie side by side, so all
 * loops run along them, STRIP at a time for the maximum, whose candidates and taps then stay in
 * registers or the first-level cache.  Backward, neighbouring windows add to the same pixels, so a
 * piece is one image's strip of channels, in which windows are taken row by row: no two pieces add
 * to one place, and sums have one order whatever the number of threads.
 */
#include "train/device/cpu/cpu_kernels.h"

enum { STRIP = 64 }; /* channels at once */

struct pool {
    const struct dev_pool *a;
    const void *x, *dy;
    void *y, *dx;
    const int32_t *argmax;
    int32_t *argmax_out; /* written by the forward pass: which tap was the largest */
    bool accumulate;
};

/* The taps of a window that lie in the image: rows i0 .. i1 - 1, columns j0 .. j1 - 1; the pixel
 * under tap (0, 0) is at (row, column). */
struct window {
    int64_t row, column, i0, i1, j0, j1;
};

DEV_INLINE struct window window_of(const struct dev_pool *a, int64_t r, int64_t q)
{
    struct window w = {.row = r * a->stride - a->top, .column = q * a->stride - a->left};

    w.i0 = w.row < 0 ? -w.row : 0;
    w.j0 = w.column < 0 ? -w.column : 0;
    w.i1 = dev_cpu_least(a->size, a->H - w.row);
    w.j1 = dev_cpu_least(a->size, a->W - w.column);
    return w;
}

/* Offset of the pixel under a tap, in image b. */
DEV_INLINE int64_t pixel(const struct dev_pool *a, int64_t b, const struct window *w, int64_t i,
                         int64_t j)
{
    return ((b * a->H + w->row + i) * a->W + w->column + j) * a->C;
}

/* y and argmax (n) of one window: the largest of n channels from c on, and its tap.  `better` is
 * also true for a NaN, and none follows a NaN as comparisons with it are false; of several NaN the
 * last one is named. */
static void max_strip(const struct pool *p, int64_t b, const struct window *w, int64_t c, int64_t n,
                      int64_t y_at, int32_t *restrict argmax)
{
    const struct dev_pool *a = p->a;
    float best[STRIP], buffer[STRIP];
    const float *first = dev_cpu_in(a->type, p->x, pixel(a, b, w, w->i0, w->j0) + c, n, buffer);
    int32_t tap[STRIP];

    for (int64_t k = 0; k < n; k++) {
        best[k] = first[k];
        tap[k] = (int32_t) (w->i0 * a->size + w->j0);
    }
    for (int64_t i = w->i0; i < w->i1; i++)
        for (int64_t j = w->j0; j < w->j1; j++) {
            const float *x = dev_cpu_in(a->type, p->x, pixel(a, b, w, i, j) + c, n, buffer);
            int32_t now = (int32_t) (i * a->size + j);

            for (int64_t k = 0; k < n; k++) {
                bool better = (x[k] > best[k]) | (x[k] != x[k]);

                best[k] = better ? x[k] : best[k];
                tap[k] = better ? now : tap[k];
            }
        }
    DEV_CPU(dev_cpu_narrow)(a->type, best, n, p->y, y_at);
    if (argmax)
        memcpy(argmax, tap, (size_t) n * sizeof *argmax);
}

static void max_row(void *arg, int64_t row, int worker)
{
    const struct pool *p = arg;
    const struct dev_pool *a = p->a;

    (void) worker;
    for (int64_t q = 0; q < a->Wo; q++) {
        struct window w = window_of(a, row % a->Ho, q);
        int64_t at = (row * a->Wo + q) * a->C;

        for (int64_t c = 0; c < a->C; c += STRIP)
            max_strip(p, row / a->Ho, &w, c, dev_cpu_least(STRIP, a->C - c), at + c,
                      p->argmax_out ? p->argmax_out + at + c : NULL);
    }
}

void DEV_CPU(dev_cpu_max_pool)(struct dev *d, const struct dev_max_pool_args *args)
{
    const struct dev_pool *a = &args->of;
    struct pool p = {.a = a, .x = args->x, .y = args->y, .argmax_out = args->argmax};

    dev_cpu_run(d, a->B * a->Ho, max_row, &p);
}

/* The mean over the taps inside of the image, as TensorFlow counts them with padding SAME. */
static void avg_row(void *arg, int64_t row, int worker)
{
    const struct pool *p = arg;
    const struct dev_pool *a = p->a;

    (void) worker;
    for (int64_t q = 0; q < a->Wo; q++) {
        struct window w = window_of(a, row % a->Ho, q);
        float part = 1.0f / (float) ((w.i1 - w.i0) * (w.j1 - w.j0));
        float bx[DEV_CPU_BLOCK], by[DEV_CPU_BLOCK];

        for (int64_t c = 0, n; c < a->C; c += n) {
            int64_t to = (row * a->Wo + q) * a->C + c;
            float *restrict y;

            n = dev_cpu_block(a->type, c, a->C);
            y = dev_cpu_out(a->type, p->y, to, n, false, by);
            memset(y, 0, (size_t) n * sizeof *y);
            for (int64_t i = w.i0; i < w.i1; i++)
                for (int64_t j = w.j0; j < w.j1; j++) {
                    const float *restrict x =
                        dev_cpu_in(a->type, p->x, pixel(a, row / a->Ho, &w, i, j) + c, n, bx);

                    for (int64_t k = 0; k < n; k++)
                        y[k] += x[k];
                }
            for (int64_t k = 0; k < n; k++)
                y[k] *= part;
            dev_cpu_done(a->type, y, n, p->y, to);
        }
    }
}

void DEV_CPU(dev_cpu_avg_pool)(struct dev *d, const struct dev_avg_pool_args *args)
{
    const struct dev_pool *a = &args->of;
    struct pool p = {.a = a, .x = args->x, .y = args->y};

    dev_cpu_run(d, a->B * a->Ho, avg_row, &p);
}

/* ---- backward ---- */

/* A piece is an image's strip of channels: b, c, n. */
struct piece {
    int64_t b, c, n;
};

static struct piece begin_piece(const struct pool *p, int64_t number)
{
    const struct dev_pool *a = p->a;
    int64_t strips = dev_cpu_div_up(a->C, STRIP);
    struct piece s = {.b = number / strips, .c = number % strips * STRIP};

    s.n = dev_cpu_least(STRIP, a->C - s.c);
    for (int64_t i = 0; !p->accumulate && i < a->H * a->W; i++)
        memset(dev_element(a->type, p->dx, (s.b * a->H * a->W + i) * a->C + s.c), 0,
               (size_t) s.n * dev_type_bytes(a->type));
    return s;
}

/* The windows that see row (column) i: the first, and how many. */
static int64_t windows_of(int64_t i, int64_t before, const struct dev_pool *a, int64_t n_windows,
                          int64_t *first)
{
    int64_t last = (i + before) / a->stride;

    *first = i + before < a->size ? 0 : (i + before - a->size) / a->stride + 1;
    return dev_cpu_least(last, n_windows - 1) - *first + 1;
}

/* The gradient of a pixel's strip of channels from all windows that see it, in their order, so that
 * it is rounded once; by the largest tap where argmax is given, else by the mean. */
static void pixel_bwd(const struct pool *p, const struct piece *s, int64_t row, int64_t column)
{
    const struct dev_pool *a = p->a;
    int64_t at = ((s->b * a->H + row) * a->W + column) * a->C + s->c, r0, q0;
    int64_t rows = windows_of(row, a->top, a, a->Ho, &r0);
    int64_t columns = windows_of(column, a->left, a, a->Wo, &q0);
    float sum[STRIP], dy[STRIP];

    DEV_CPU(dev_cpu_widen)(a->type, p->dx, at, s->n, sum);
    for (int64_t r = r0; r < r0 + rows; r++)
        for (int64_t q = q0; q < q0 + columns; q++) {
            struct window w = window_of(a, r, q);
            int64_t from = ((s->b * a->Ho + r) * a->Wo + q) * a->C + s->c;
            int32_t tap = (int32_t) ((row - w.row) * a->size + column - w.column);
            float part = 1.0f / (float) ((w.i1 - w.i0) * (w.j1 - w.j0));

            DEV_CPU(dev_cpu_widen)(a->type, p->dy, from, s->n, dy);
            for (int64_t k = 0; k < s->n; k++)
                if (!p->argmax)
                    sum[k] += dy[k] * part;
                else if (p->argmax[from + k] == tap)
                    sum[k] += dy[k];
        }
    DEV_CPU(dev_cpu_narrow)(a->type, sum, s->n, p->dx, at);
}

static void typed_piece(const struct pool *p, const struct piece *s)
{
    for (int64_t row = 0; row < p->a->H; row++)
        for (int64_t column = 0; column < p->a->W; column++)
            pixel_bwd(p, s, row, column);
}

static void max_bwd_piece(void *arg, int64_t number, int worker)
{
    const struct pool *p = arg;
    const struct dev_pool *a = p->a;
    struct piece s = begin_piece(p, number);
    const float *all_dy = p->dy;
    float *dx = p->dx;

    (void) worker;
    if (a->type != DEV_FLOAT32) {
        typed_piece(p, &s);
        return;
    }
    for (int64_t r = 0; r < a->Ho; r++)
        for (int64_t q = 0; q < a->Wo; q++) {
            struct window w = window_of(a, r, q);
            int64_t at = ((s.b * a->Ho + r) * a->Wo + q) * a->C + s.c;
            const float *dy = all_dy + at;
            const int32_t *argmax = p->argmax + at;

            for (int64_t k = 0; k < s.n; k++)
                dx[pixel(a, s.b, &w, argmax[k] / (int32_t) a->size, argmax[k] % (int32_t) a->size) +
                   s.c + k] += dy[k];
        }
}

void DEV_CPU(dev_cpu_max_pool_bwd)(struct dev *d, const struct dev_max_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;
    struct pool p = {.a = a,
                     .dy = args->dy,
                     .argmax = args->argmax,
                     .accumulate = args->accumulate,
                     .dx = args->dx};

    dev_cpu_run(d, a->B * dev_cpu_div_up(a->C, STRIP), max_bwd_piece, &p);
}

static void avg_bwd_piece(void *arg, int64_t number, int worker)
{
    const struct pool *p = arg;
    const struct dev_pool *a = p->a;
    struct piece s = begin_piece(p, number);
    const float *all_dy = p->dy;
    float *all_dx = p->dx;

    (void) worker;
    if (a->type != DEV_FLOAT32) {
        typed_piece(p, &s);
        return;
    }
    for (int64_t r = 0; r < a->Ho; r++)
        for (int64_t q = 0; q < a->Wo; q++) {
            struct window w = window_of(a, r, q);
            const float *restrict dy = all_dy + ((s.b * a->Ho + r) * a->Wo + q) * a->C + s.c;
            float part = 1.0f / (float) ((w.i1 - w.i0) * (w.j1 - w.j0));

            for (int64_t i = w.i0; i < w.i1; i++)
                for (int64_t j = w.j0; j < w.j1; j++) {
                    float *restrict dx = all_dx + pixel(a, s.b, &w, i, j) + s.c;

                    for (int64_t k = 0; k < s.n; k++)
                        dx[k] += dy[k] * part;
                }
        }
}

void DEV_CPU(dev_cpu_avg_pool_bwd)(struct dev *d, const struct dev_avg_pool_bwd_args *args)
{
    const struct dev_pool *a = &args->of;
    struct pool p = {.a = a, .dy = args->dy, .accumulate = args->accumulate, .dx = args->dx};

    dev_cpu_run(d, a->B * dev_cpu_div_up(a->C, STRIP), avg_bwd_piece, &p);
}
