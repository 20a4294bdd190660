/*
 * train/device/reference/conv2d_reference.c - convolution of images in plain loops: all three
 * passes visit the same (tap, pixel of x, pixel of y), and differ in which of the three factors is
 * the sum (struct sums).
 */
#include "base/alloc.h"
#include "train/device/bfloat16.h"
#include "train/device/reference/reference_kernels.h"

/* The factors, as they are multiplied, and what their products are added to; the place of an
 * element is its index in x (B,H,W,C), w (kh,kw,C,N) or y (B,Ho,Wo,N). */
struct sums {
    const float *x, *w, *y; /* the one that is computed is NULL */
    double *sum;
    bool round;
};

static double factor(const struct sums *s, float x)
{
    return (double) (s->round ? dev_from_bfloat16(dev_bfloat16(x)) : x);
}

static void add(const struct sums *s, int64_t x, int64_t w, int64_t y)
{
    if (!s->y)
        s->sum[y] += factor(s, s->x[x]) * factor(s, s->w[w]);
    else if (!s->x)
        s->sum[x] += factor(s, s->y[y]) * factor(s, s->w[w]);
    else
        s->sum[w] += factor(s, s->y[y]) * factor(s, s->x[x]);
}

/* One tap: all channels of a pixel of x with one pixel of y. */
static void tap(const struct dev_conv2d *a, const struct sums *s, int64_t x, int64_t w, int64_t y)
{
    int64_t outputs = a->depthwise ? a->N / a->C : a->N; /* of a channel */

    for (int64_t c = 0; c < a->C; c++)
        for (int64_t n = 0; n < outputs; n++)
            add(s, x * a->C + c, (w * a->C + c) * outputs + n,
                y * a->N + (a->depthwise ? c * outputs : 0) + n);
}

/* All taps of output pixel (b,i,j) that lie inside of x. */
static void pixel(const struct dev_conv2d *a, const struct sums *s, int64_t b, int64_t i, int64_t j)
{
    for (int64_t u = 0; u < a->kh; u++)
        for (int64_t v = 0; v < a->kw; v++) {
            int64_t row = i * a->stride + u * a->dilation - a->top;
            int64_t col = j * a->stride + v * a->dilation - a->left;

            if (row >= 0 && row < a->H && col >= 0 && col < a->W)
                tap(a, s, (b * a->H + row) * a->W + col, u * a->kw + v,
                    (b * a->Ho + i) * a->Wo + j);
        }
}

/* n sums, beginning with what `out` holds or with 0; the caller frees them. */
static double *all_sums(struct dev *d, const struct dev_conv2d *a, struct sums *s, int64_t n,
                        bool accumulate, const float *out)
{
    s->sum = t2_alloc((size_t) n + 1, sizeof *s->sum);
    s->round = d->precision == DEV_BFLOAT16 && !a->depthwise;
    for (int64_t i = 0; accumulate && i < n; i++)
        s->sum[i] = (double) out[i];
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t i = 0; i < a->Ho; i++)
            for (int64_t j = 0; j < a->Wo; j++)
                pixel(a, s, b, i, j);
    return s->sum;
}

void dev_reference_conv2d(struct dev *d, const struct dev_conv2d_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct sums s = {.x = a->x, .w = a->w};
    int64_t n = a->B * a->Ho * a->Wo * a->N;
    double *sum = all_sums(d, a, &s, n, false, NULL);

    for (int64_t i = 0; i < n; i++) {
        if (a->bias)
            sum[i] += (double) a->bias[i % a->N];
        if (a->activation == DEV_RELU && sum[i] < 0.0)
            sum[i] = 0.0;
        args->y[i] = (float) sum[i];
    }
    t2_free(sum);
}

void dev_reference_conv2d_bwd_data(struct dev *d, const struct dev_conv2d_bwd_data_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct sums s = {.w = a->w, .y = args->dy};
    int64_t n = a->B * a->H * a->W * a->C;
    double *sum = all_sums(d, a, &s, n, args->accumulate, args->dx);

    for (int64_t i = 0; i < n; i++)
        args->dx[i] = (float) sum[i];
    t2_free(sum);
}

void dev_reference_conv2d_bwd_weights(struct dev *d, const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct sums s = {.x = a->x, .y = args->dy};
    int64_t n = a->kh * a->kw * a->C * (a->depthwise ? a->N / a->C : a->N);
    double *sum = all_sums(d, a, &s, n, args->accumulate, args->dw);

    for (int64_t i = 0; i < n; i++)
        args->dw[i] = (float) sum[i];
    t2_free(sum);
}

int64_t dev_reference_conv2d_scratch(const struct dev *d, const struct dev_conv2d *a,
                                     enum dev_conv2d_pass pass)
{
    (void) d, (void) a, (void) pass;
    return 0;
}
