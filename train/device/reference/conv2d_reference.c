/*
 * train/device/reference/conv2d_reference.c - convolution of images in plain loops: all three
 * passes visit the same (tap, pixel of x, pixel of y), and differ in which of the three factors is
 * the sum (struct sums).
 */
#include "base/alloc.h"
#include "train/device/reference/reference_kernels.h"

/* The factors, as they are multiplied, and what their products are added to; the place of an
 * element is its index in x (B,H,W,C), w (kh,kw,C,N) or y (B,Ho,Wo,N). */
struct sums {
    enum dev_type type; /* of x and y */
    const void *x;      /* the one of x, w and y that is computed is NULL */
    const float *w;
    const void *y;
    double *sum;
    enum dev_type round; /* to which factors are rounded */
};

static double factor(const struct sums *s, enum dev_type type, const void *p, int64_t i)
{
    return (double) dev_round(s->round, dev_get(type, p, i));
}

static void add(const struct sums *s, int64_t x, int64_t w, int64_t y)
{
    if (!s->y)
        s->sum[y] += factor(s, s->type, s->x, x) * factor(s, DEV_FLOAT32, s->w, w);
    else if (!s->x)
        s->sum[x] += factor(s, s->type, s->y, y) * factor(s, DEV_FLOAT32, s->w, w);
    else
        s->sum[w] += factor(s, s->type, s->y, y) * factor(s, s->type, s->x, x);
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

/* n sums, beginning with what `out`, of `type`, holds or with 0; the caller frees them. */
static double *all_sums(struct dev *d, const struct dev_conv2d *a, struct sums *s, int64_t n,
                        bool accumulate, enum dev_type type, const void *out)
{
    s->sum = t2_alloc((size_t) n + 1, sizeof *s->sum);
    s->type = a->type;
    s->round = a->depthwise ? DEV_FLOAT32 : d->precision;
    for (int64_t i = 0; accumulate && i < n; i++)
        s->sum[i] = (double) dev_get(type, out, i);
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
    double *sum = all_sums(d, a, &s, n, false, a->type, NULL);

    for (int64_t i = 0; i < n; i++) {
        if (a->bias)
            sum[i] += (double) a->bias[i % a->N];
        if (a->activation == DEV_RELU && sum[i] < 0.0)
            sum[i] = 0.0;
        dev_put(a->type, args->y, i, (float) sum[i]);
    }
    t2_free(sum);
}

void dev_reference_conv2d_bwd_data(struct dev *d, const struct dev_conv2d_bwd_data_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct sums s = {.w = a->w, .y = args->dy};
    int64_t n = a->B * a->H * a->W * a->C;
    double *sum = all_sums(d, a, &s, n, args->accumulate, a->type, args->dx);

    for (int64_t i = 0; i < n; i++)
        dev_put(a->type, args->dx, i, (float) sum[i]);
    t2_free(sum);
}

void dev_reference_conv2d_bwd_weights(struct dev *d, const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct sums s = {.x = a->x, .y = args->dy};
    int64_t n = a->kh * a->kw * a->C * (a->depthwise ? a->N / a->C : a->N);
    double *sum = all_sums(d, a, &s, n, args->accumulate, DEV_FLOAT32, args->dw);

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
