/*
 * train/device/cpu/conv2d_unfold.c - convolution of images as gemms, some output pixels at a time:
 * what they read is laid out side by side, cols (pixels, kh*kw*C), w is (kh*kw*C, N) as it stands.
 *
 * Forward y = cols w per tile of pixels; backward cols = dy w^T, which fold adds back to dx; the
 * gradient of w is cols^T dy, summed over tiles and images in order.  Unfolding all pixels at once
 * would take kh*kw times the memory of x; a tile is at most 65536 floats (256 KiB), in the scratch
 * memory of its thread, and still in the cache when the gemm reads it.  Pieces are tiles of y and
 * images of dx; conv2d_cpu.c cuts the gradient of w.
 */
#include "train/device/cpu/conv2d_parts.h"
#include "train/device/cpu/gemm_lib.h"

/* Output pixels of one gemm: 2^16 floats of cols, 16 to 512 pixels. */
static int64_t tile_of(const struct dev_conv2d *a)
{
    int64_t n = (1 << 16) / (a->kh * a->kw * a->C);

    return dev_cpu_least(n < 16 ? 16 : n > 512 ? 512 : n, a->Ho * a->Wo);
}

int64_t DEV_CPU(dev_cpu_conv2d_unfold_scratch)(const struct dev_conv2d *a)
{
    return dev_cpu_div_up(tile_of(a) * a->kh * a->kw * a->C, DEV_LINE) * DEV_LINE;
}

/* The place in an image of x of what a tap of an output pixel reads, and whether it is inside. */
static bool read_at(const struct dev_conv2d *a, int64_t pixel, int64_t tap, int64_t *at)
{
    int64_t row = conv2d_read(pixel / a->Wo, tap / a->kw, a, a->top, a->H);
    int64_t col = conv2d_read(pixel % a->Wo, tap % a->kw, a, a->left, a->W);

    *at = (row * a->W + col) * a->C;
    return row >= 0 && col >= 0;
}

/* cols (n, kh*kw, C) of output pixels first .. first + n - 1 of image x. */
static void unfold(const struct dev_conv2d *a, const float *x, int64_t first, int64_t n,
                   float *cols)
{
    for (int64_t i = first; i < first + n; i++)
        for (int64_t tap = 0; tap < a->kh * a->kw; tap++, cols += a->C) {
            int64_t at;

            if (read_at(a, i, tap, &at))
                memcpy(cols, x + at, (size_t) a->C * sizeof *cols);
            else
                memset(cols, 0, (size_t) a->C * sizeof *cols);
        }
}

/* The transpose of unfold: dx += cols where they were read. */
static void fold(const struct dev_conv2d *a, const float *cols, int64_t first, int64_t n, float *dx)
{
    for (int64_t i = first; i < first + n; i++)
        for (int64_t tap = 0; tap < a->kh * a->kw; tap++, cols += a->C) {
            int64_t at;

            if (!read_at(a, i, tap, &at))
                continue;
            for (int64_t c = 0; c < a->C; c++)
                dx[at + c] += cols[c];
        }
}

struct job {
    const struct dev_conv2d *a;
    const float *dy;
    float *out;
    bool accumulate;
    int64_t tiles; /* of an image */
};

static float *scratch_of(const struct job *j, int worker)
{
    return j->a->scratch + worker * DEV_CPU(dev_cpu_conv2d_unfold_scratch)(j->a);
}

static void forward_tile(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t b = piece / j->tiles, first = piece % j->tiles * tile_of(a), K = a->kh * a->kw * a->C;
    int64_t n = dev_cpu_least(tile_of(a), a->Ho * a->Wo - first);
    float *cols = scratch_of(j, worker), *y = j->out + (b * a->Ho * a->Wo + first) * a->N;

    unfold(a, (const float *) a->x + b * a->H * a->W * a->C, first, n, cols);
    dev_cpu_gemm_lib()->gemm(false, false, n, a->N, K, cols, K, a->w, a->N, false, y, a->N);
    conv2d_finish(a, y, n);
}

void DEV_CPU(dev_cpu_conv2d_unfold)(struct dev *d, const struct dev_conv2d *a, float *y)
{
    struct job j = {.a = a, .out = y, .tiles = dev_cpu_div_up(a->Ho * a->Wo, tile_of(a))};

    dev_cpu_run(d, a->B * j.tiles, forward_tile, &j);
}

static void backward_image(void *arg, int64_t b, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t K = a->kh * a->kw * a->C, pixels = a->Ho * a->Wo, tile = tile_of(a);
    float *cols = scratch_of(j, worker), *dx = j->out + b * a->H * a->W * a->C;
    const float *dy = j->dy + b * pixels * a->N;

    if (!j->accumulate)
        memset(dx, 0, (size_t) (a->H * a->W * a->C) * sizeof *dx);
    for (int64_t first = 0; first < pixels; first += tile) {
        int64_t n = dev_cpu_least(tile, pixels - first);

        dev_cpu_gemm_lib()->gemm(false, true, n, K, a->N, dy + first * a->N, a->N, a->w, a->N,
                                 false, cols, K);
        fold(a, cols, first, n, dx);
    }
}

void DEV_CPU(dev_cpu_conv2d_unfold_data)(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                         bool accumulate, float *dx)
{
    struct job j = {.a = a, .dy = dy, .out = dx, .accumulate = accumulate};

    dev_cpu_run(d, a->B, backward_image, &j);
}

void DEV_CPU(dev_cpu_conv2d_unfold_weights)(const struct dev_conv2d *a, const float *dy,
                                            int64_t first, int64_t n, float *dw, float *scratch)
{
    int64_t K = a->kh * a->kw * a->C, pixels = a->Ho * a->Wo, tile = tile_of(a);

    memset(dw, 0, (size_t) (K * a->N) * sizeof *dw);
    for (int64_t b = first; b < first + n; b++)
        for (int64_t p = 0; p < pixels; p += tile) {
            int64_t rows = dev_cpu_least(tile, pixels - p);

            unfold(a, (const float *) a->x + b * a->H * a->W * a->C, p, rows, scratch);
            dev_cpu_gemm_lib()->gemm(true, false, K, a->N, rows, scratch, K,
                                     dy + (b * pixels + p) * a->N, a->N, true, dw, a->N);
        }
}

/* ---- kernels of one pixel with a stride ---- */

struct move {
    const struct dev_conv2d *a;
    const void *from;
    void *to;
    bool accumulate;
};

/* One output row: every stride-th pixel of row i * stride of x. */
static void gather_row(void *arg, int64_t piece, int worker)
{
    const struct move *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t row = piece / a->Ho * a->H + piece % a->Ho * a->stride;
    size_t pixel = (size_t) a->C * dev_type_bytes(a->type);
    const char *x = (const char *) a->x + (size_t) (row * a->W) * pixel;
    char *to = (char *) j->to + (size_t) (piece * a->Wo) * pixel;

    (void) worker;
    for (int64_t k = 0; k < a->Wo; k++)
        memcpy(to + (size_t) k * pixel, x + (size_t) (k * a->stride) * pixel, pixel);
}

void DEV_CPU(dev_cpu_conv2d_gather)(struct dev *d, const struct dev_conv2d *a, void *pixels)
{
    struct move j = {.a = a, .to = pixels};

    dev_cpu_run(d, a->B * a->Ho, gather_row, &j);
}

/* C channels of dx from `to` on += those of the gathered pixels from `from` on. */
static void add_pixel(const struct move *j, int64_t from, int64_t to)
{
    const struct dev_conv2d *a = j->a;
    float by[DEV_CPU_BLOCK];

    for (int64_t c = 0, n; c < a->C; c += n) {
        const float *x = (const float *) j->from + from + c;
        float *dx;

        n = dev_cpu_block(a->type, c, a->C);
        dx = dev_cpu_out(a->type, j->to, to + c, n, true, by);
        for (int64_t k = 0; k < n; k++)
            dx[k] += x[k];
        dev_cpu_done(a->type, dx, n, j->to, to + c);
    }
}

/* One row of dx from dy of the gathered pixels (B,Ho,Wo,C): zeros in rows that the stride skips. */
static void scatter_row(void *arg, int64_t piece, int worker)
{
    const struct move *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t row = piece % a->H, i = row / a->stride, width = a->W * a->C;
    int64_t from = (piece / a->H * a->Ho + i) * a->Wo * a->C;

    (void) worker;
    if (!j->accumulate)
        memset(dev_element(a->type, j->to, piece * width), 0,
               (size_t) width * dev_type_bytes(a->type));
    if (row % a->stride != 0 || i >= a->Ho)
        return;
    for (int64_t k = 0; k < a->Wo; k++)
        add_pixel(j, from + k * a->C, piece * width + k * a->stride * a->C);
}

void DEV_CPU(dev_cpu_conv2d_scatter)(struct dev *d, const struct dev_conv2d *a, const float *pixels,
                                     bool accumulate, void *dx)
{
    struct move j = {.a = a, .from = pixels, .to = dx, .accumulate = accumulate};

    dev_cpu_run(d, a->B * a->H, scatter_row, &j);
}
