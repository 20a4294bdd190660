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
    const double *x, *w, *y; /* the one of them that is computed is NULL */
    double *sum;
};

static void add(const struct sums *s, int64_t x, int64_t w, int64_t y)
{
    if (!s->y)
        s->sum[y] += s->x[x] * s->w[w];
    else if (!s->x)
        s->sum[x] += s->y[y] * s->w[w];
    else
        s->sum[w] += s->y[y] * s->x[x];
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

static int64_t elements_of_x(const struct dev_conv2d *a)
{
    return a->B * a->H * a->W * a->C;
}

static int64_t elements_of_w(const struct dev_conv2d *a)
{
    return a->kh * a->kw * (a->depthwise ? 1 : a->C) * a->N;
}

static int64_t elements_of_y(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo * a->N;
}

/* p (n), rounded as the device rounds factors; NULL for NULL; the caller frees it. */
static double *factors(const struct dev *d, const struct dev_conv2d *a, enum dev_type type,
                       const void *p, int64_t n)
{
    enum dev_type round = a->depthwise ? DEV_FLOAT32 : d->precision;
    double *f = p ? t2_alloc((size_t) n + 1, sizeof *f) : NULL;

    for (int64_t i = 0; f && i < n; i++)
        f[i] = (double) dev_round(round, dev_get(type, p, i));
    return f;
}

/* n sums of the products of two of the factors (the third is NULL), beginning with what `out`, of
 * `type`, holds or with 0; the caller frees them. */
static double *all_sums(const struct dev *d, const struct dev_conv2d *a, const void *x,
                        const void *w, const void *y, int64_t n, bool accumulate,
                        enum dev_type type, const void *out)
{
    double *own_x = factors(d, a, a->type, x, elements_of_x(a));
    double *own_w = factors(d, a, DEV_FLOAT32, w, elements_of_w(a));
    double *own_y = factors(d, a, a->type, y, elements_of_y(a));
    struct sums s = {own_x, own_w, own_y, t2_alloc((size_t) n + 1, sizeof *s.sum)};

    for (int64_t i = 0; accumulate && i < n; i++)
        s.sum[i] = (double) dev_get(type, out, i);
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t i = 0; i < a->Ho; i++)
            for (int64_t j = 0; j < a->Wo; j++)
                pixel(a, &s, b, i, j);
    t2_free(own_x);
    t2_free(own_w);
    t2_free(own_y);
    return s.sum;
}

void dev_reference_conv2d(struct dev *d, const struct dev_conv2d_args *args)
{
    const struct dev_conv2d *a = &args->of;
    int64_t n = elements_of_y(a);
    double *sum = all_sums(d, a, a->x, a->w, NULL, n, false, a->type, NULL);

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
    int64_t n = elements_of_x(a);
    double *sum = all_sums(d, a, NULL, a->w, args->dy, n, args->accumulate, a->type, args->dx);

    for (int64_t i = 0; i < n; i++)
        dev_put(a->type, args->dx, i, (float) sum[i]);
    t2_free(sum);
}

void dev_reference_conv2d_bwd_weights(struct dev *d, const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    int64_t n = elements_of_w(a);
    double *sum = all_sums(d, a, a->x, NULL, args->dy, n, args->accumulate, DEV_FLOAT32, args->dw);

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
