/*
 * train/device/cpu/conv2d_depthwise.c - convolution of each channel of images by itself: x
 * (B,H,W,C), w (kh,kw,C,M), y (B,Ho,Wo,C*M).
 *
 * Next to nothing is computed per number read, so these are loops over channels, which lie side by
 * side, and not gemms.  Pieces: a row of y forward, an image of dx backward, a tap and CHANNELS
 * outputs of dw.  No two pieces add to one place and none depends on the number of threads.
 */
#include "train/device/cpu/conv2d_parts.h"

enum { CHANNELS = 64 }; /* of a piece of the weights' gradient */

struct job {
    const struct dev_conv2d *a;
    const void *dy;
    void *out;
    bool accumulate;
    float *work; /* of the first thread: rows and images of other types as floats */
    int64_t work_floats;
};

int64_t DEV_CPU(dev_cpu_conv2d_depthwise_scratch)(const struct dev_conv2d *a,
                                                  enum dev_conv2d_pass pass)
{
    int64_t row = a->Wo * a->N;

    if (a->type == DEV_FLOAT32 || pass == DEV_CONV2D_WEIGHTS)
        return 0;
    return row + (pass == DEV_CONV2D_FORWARD ? a->kh : a->H) * a->W * a->C;
}

/* y[c,m] += x[c] w[c,m] */
static void add_forward(const float *restrict x, const float *restrict w, int64_t C, int64_t M,
                        float *restrict y)
{
    if (M == 1)
        for (int64_t c = 0; c < C; c++)
            y[c] += x[c] * w[c];
    else
        for (int64_t c = 0; c < C; c++)
            for (int64_t m = 0; m < M; m++)
                y[c * M + m] += x[c] * w[c * M + m];
}

/* x[c] += sum over m of y[c,m] w[c,m] */
static void add_backward(const float *restrict y, const float *restrict w, int64_t C, int64_t M,
                         float *restrict x)
{
    if (M == 1)
        for (int64_t c = 0; c < C; c++)
            x[c] += y[c] * w[c];
    else
        for (int64_t c = 0; c < C; c++)
            for (int64_t m = 0; m < M; m++)
                x[c] += y[c * M + m] * w[c * M + m];
}

static void forward_row(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t b = piece / a->Ho, i = piece % a->Ho, n = a->Wo * a->N, width = a->W * a->C;
    float *mine = j->work + worker * j->work_floats;
    float *y = dev_cpu_out(a->type, j->out, piece * n, n, false, mine + a->kh * width);

    memset(y, 0, (size_t) n * sizeof *y);
    for (int64_t u = 0; u < a->kh; u++) {
        int64_t row = conv2d_read(i, u, a, a->top, a->H);
        const float *x;

        if (row < 0)
            continue;
        x = dev_cpu_in(a->type, a->x, (b * a->H + row) * width, width, mine + u * width);
        for (int64_t k = 0; k < a->Wo; k++)
            for (int64_t v = 0; v < a->kw; v++) {
                int64_t col = conv2d_read(k, v, a, a->left, a->W);

                if (col >= 0)
                    add_forward(x + col * a->C, a->w + (u * a->kw + v) * a->N, a->C, a->N / a->C,
                                y + k * a->N);
            }
    }
    conv2d_finish(a, y, a->Wo);
    dev_cpu_done(a->type, y, n, j->out, piece * n);
}

void DEV_CPU(dev_cpu_conv2d_depthwise)(struct dev *d, const struct dev_conv2d *a, void *y)
{
    struct job j = {.a = a,
                    .out = y,
                    .work = a->scratch,
                    .work_floats =
                        DEV_CPU(dev_cpu_conv2d_depthwise_scratch)(a, DEV_CONV2D_FORWARD)};

    dev_cpu_run(d, a->B * a->Ho, forward_row, &j);
}

static void backward_image(void *arg, int64_t b, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t n = a->H * a->W * a->C, width = a->Wo * a->N;
    float *mine = j->work + worker * j->work_floats;
    float *dx = dev_cpu_out(a->type, j->out, b * n, n, j->accumulate, mine);

    if (!j->accumulate)
        memset(dx, 0, (size_t) n * sizeof *dx);
    for (int64_t i = 0; i < a->Ho; i++) {
        const float *dy = dev_cpu_in(a->type, j->dy, (b * a->Ho + i) * width, width, mine + n);

        for (int64_t u = 0; u < a->kh; u++) {
            int64_t row = conv2d_read(i, u, a, a->top, a->H);

            for (int64_t k = 0; row >= 0 && k < a->Wo; k++)
                for (int64_t v = 0; v < a->kw; v++) {
                    int64_t col = conv2d_read(k, v, a, a->left, a->W);

                    if (col >= 0)
                        add_backward(dy + k * a->N, a->w + (u * a->kw + v) * a->N, a->C,
                                     a->N / a->C, dx + (row * a->W + col) * a->C);
                }
        }
    }
    dev_cpu_done(a->type, dx, n, j->out, b * n);
}

void DEV_CPU(dev_cpu_conv2d_depthwise_data)(struct dev *d, const struct dev_conv2d *a,
                                            const void *dy, bool accumulate, void *dx)
{
    struct job j = {.a = a,
                    .dy = dy,
                    .out = dx,
                    .accumulate = accumulate,
                    .work = a->scratch,
                    .work_floats = DEV_CPU(dev_cpu_conv2d_depthwise_scratch)(a, DEV_CONV2D_DATA)};

    dev_cpu_run(d, a->B, backward_image, &j);
}

/* sum[n] += y[n] x[n / M] over the pixels k of a row of y and what tap v reads for them, for
 * outputs first .. first + n - 1. */
static void add_row(const struct dev_conv2d *a, const void *dy, int64_t y_at, int64_t x_at,
                    int64_t v, int64_t first, int64_t n, float *sum)
{
    int64_t M = a->N / a->C, c0 = first / M, n_in = (first + n - 1) / M + 1 - c0;
    float bx[CHANNELS], by[CHANNELS];

    for (int64_t k = 0; k < a->Wo; k++) {
        int64_t col = conv2d_read(k, v, a, a->left, a->W);
        const float *x, *y;

        if (col < 0)
            continue;
        x = dev_cpu_in(a->type, a->x, x_at + col * a->C + c0, n_in, bx);
        y = dev_cpu_in(a->type, dy, y_at + k * a->N + first, n, by);
        if (M == 1)
            for (int64_t c = 0; c < n; c++)
                sum[c] += y[c] * x[c];
        else
            for (int64_t c = 0; c < n; c++)
                sum[c] += y[c] * x[(first + c) / M - c0];
    }
}

/* dw of tap (u,v) and a block of outputs, a sum over all pixels of all images: first over an image,
 * then over images, as short sums lose fewer digits. */
static void weights_piece(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    int64_t tap = piece % (a->kh * a->kw), first = piece / (a->kh * a->kw) * CHANNELS;
    int64_t n = a->N - first < CHANNELS ? a->N - first : CHANNELS;
    float sum[CHANNELS], *dw = (float *) j->out + tap * a->N + first;

    (void) worker;
    memset(sum, 0, sizeof sum);
    for (int64_t b = 0; b < a->B; b++) {
        float of_image[CHANNELS] = {0};

        for (int64_t i = 0; i < a->Ho; i++) {
            int64_t row = conv2d_read(i, tap / a->kw, a, a->top, a->H);

            if (row >= 0)
                add_row(a, j->dy, (b * a->Ho + i) * a->Wo * a->N, (b * a->H + row) * a->W * a->C,
                        tap % a->kw, first, n, of_image);
        }
        for (int64_t c = 0; c < n; c++)
            sum[c] += of_image[c];
    }
    for (int64_t c = 0; c < n; c++)
        dw[c] = j->accumulate ? dw[c] + sum[c] : sum[c];
}

void DEV_CPU(dev_cpu_conv2d_depthwise_weights)(struct dev *d, const struct dev_conv2d *a,
                                               const void *dy, bool accumulate, float *dw)
{
    struct job j = {.a = a, .dy = dy, .out = dw, .accumulate = accumulate};

    dev_cpu_run(d, a->kh * a->kw * dev_cpu_div_up(a->N, CHANNELS), weights_piece, &j);
}
