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
    const float *dy;
    float *out;
    bool accumulate;
};

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
    int64_t b = piece / a->Ho, i = piece % a->Ho;
    float *y = j->out + piece * a->Wo * a->N;

    (void) worker;
    memset(y, 0, (size_t) (a->Wo * a->N) * sizeof *y);
    for (int64_t u = 0; u < a->kh; u++) {
        int64_t row = conv2d_read(i, u, a, a->top, a->H);

        for (int64_t k = 0; row >= 0 && k < a->Wo; k++)
            for (int64_t v = 0; v < a->kw; v++) {
                int64_t col = conv2d_read(k, v, a, a->left, a->W);

                if (col >= 0)
                    add_forward(a->x + ((b * a->H + row) * a->W + col) * a->C,
                                a->w + (u * a->kw + v) * a->N, a->C, a->N / a->C, y + k * a->N);
            }
    }
    conv2d_finish(a, y, a->Wo);
}

void DEV_CPU(dev_cpu_conv2d_depthwise)(struct dev *d, const struct dev_conv2d *a, float *y)
{
    struct job j = {.a = a, .out = y};

    dev_cpu_run(d, a->B * a->Ho, forward_row, &j);
}

static void backward_image(void *arg, int64_t b, int worker)
{
    const struct job *j = arg;
    const struct dev_conv2d *a = j->a;
    float *dx = j->out + b * a->H * a->W * a->C;

    (void) worker;
    if (!j->accumulate)
        memset(dx, 0, (size_t) (a->H * a->W * a->C) * sizeof *dx);
    for (int64_t i = 0; i < a->Ho; i++)
        for (int64_t u = 0; u < a->kh; u++) {
            int64_t row = conv2d_read(i, u, a, a->top, a->H);

            for (int64_t k = 0; row >= 0 && k < a->Wo; k++)
                for (int64_t v = 0; v < a->kw; v++) {
                    int64_t col = conv2d_read(k, v, a, a->left, a->W);

                    if (col >= 0)
                        add_backward(j->dy + ((b * a->Ho + i) * a->Wo + k) * a->N,
                                     a->w + (u * a->kw + v) * a->N, a->C, a->N / a->C,
                                     dx + (row * a->W + col) * a->C);
                }
        }
}

void DEV_CPU(dev_cpu_conv2d_depthwise_data)(struct dev *d, const struct dev_conv2d *a,
                                            const float *dy, bool accumulate, float *dx)
{
    struct job j = {.a = a, .dy = dy, .out = dx, .accumulate = accumulate};

    dev_cpu_run(d, a->B, backward_image, &j);
}

/* sum[n] += y[n] x[n / M] over the pixels k of a row of y and what tap v reads for them, for
 * outputs first .. first + n - 1. */
static void add_row(const struct dev_conv2d *a, const float *dy, const float *x, int64_t v,
                    int64_t first, int64_t n, float *sum)
{
    int64_t M = a->N / a->C;

    for (int64_t k = 0; k < a->Wo; k++) {
        int64_t col = conv2d_read(k, v, a, a->left, a->W);
        const float *from = x + col * a->C, *y = dy + k * a->N + first;

        if (col < 0)
            continue;
        if (M == 1)
            for (int64_t c = 0; c < n; c++)
                sum[c] += y[c] * from[first + c];
        else
            for (int64_t c = 0; c < n; c++)
                sum[c] += y[c] * from[(first + c) / M];
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
    float sum[CHANNELS], *dw = j->out + tap * a->N + first;

    (void) worker;
    memset(sum, 0, sizeof sum);
    for (int64_t b = 0; b < a->B; b++) {
        float of_image[CHANNELS] = {0};

        for (int64_t i = 0; i < a->Ho; i++) {
            int64_t row = conv2d_read(i, tap / a->kw, a, a->top, a->H);

            if (row >= 0)
                add_row(a, j->dy + (b * a->Ho + i) * a->Wo * a->N,
                        a->x + (b * a->H + row) * a->W * a->C, tap % a->kw, first, n, of_image);
        }
        for (int64_t c = 0; c < n; c++)
            sum[c] += of_image[c];
    }
    for (int64_t c = 0; c < n; c++)
        dw[c] = j->accumulate ? dw[c] + sum[c] : sum[c];
}

void DEV_CPU(dev_cpu_conv2d_depthwise_weights)(struct dev *d, const struct dev_conv2d *a,
                                               const float *dy, bool accumulate, float *dw)
{
    struct job j = {.a = a, .dy = dy, .out = dw, .accumulate = accumulate};

    dev_cpu_run(d, a->kh * a->kw * dev_cpu_div_up(a->N, CHANNELS), weights_piece, &j);
}
