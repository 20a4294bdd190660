/*
 * augment/mixup.c - mixup and CutMix.
 *
 * Mixup (Zhang et al. 2018): x = lambda a + (1 - lambda) b of images and labels, lambda from
 * Beta(alpha, alpha), drawn as G1 / (G1 + G2) of two gamma variables. CutMix (Yun et al. 2019): a
 * window of b, of the share 1 - lambda of the area, replaces that of a; lambda is then corrected
 * for the part cut off at the border.
 */
#include "augment/mixup.h"

#include <math.h>
#include <string.h>

/* Marsaglia and Tsang 2000, "A simple method for generating gamma variables". */
static double draw_gamma(struct t2_rng *r, double alpha)
{
    double d, c, boost = 1;

    if (alpha < 1) {
        boost = pow(1 - t2_rng_uniform_double(r), 1 / alpha);
        alpha += 1;
    }
    d = alpha - 1.0 / 3;
    c = 1 / sqrt(9 * d);
    for (;;) {
        double x = t2_rng_normal(r), v = 1 + c * x, u = 1 - t2_rng_uniform_double(r);
        v = v * v * v;
        if (v > 0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v * boost;
    }
}

float aug_draw_lambda(struct t2_rng *r, double alpha)
{
    double a, b;

    T2_ASSERT(alpha > 0);
    a = draw_gamma(r, alpha);
    b = draw_gamma(r, alpha);
    return a + b > 0 ? (float) (a / (a + b)) : 0.5f; /* both can vanish when alpha is tiny */
}

void aug_mixup(float *a, float *b, float lambda_a, float lambda_b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float x = a[i], y = b[i];
        b[i] = lambda_b * y + (1 - lambda_b) * x;
        a[i] = lambda_a * x + (1 - lambda_a) * y;
    }
}

static int32_t between(int32_t v, int32_t most)
{
    return v < 0 ? 0 : v > most ? most : v;
}

struct aug_window aug_draw_cutmix(struct t2_rng *r, int32_t height, int32_t width, float *lambda)
{
    float side = sqrtf(1 - *lambda);
    int32_t h = (int32_t) (side * (float) height), w = (int32_t) (side * (float) width);
    int32_t y = aug_draw_index(r, height), x = aug_draw_index(r, width);
    int32_t y0 = between(y - h / 2, height), x0 = between(x - w / 2, width);
    int32_t y1 = between(y + h / 2, height), x1 = between(x + w / 2, width);

    *lambda = 1 - (float) (y1 - y0) * (float) (x1 - x0) / ((float) height * (float) width);
    return (struct aug_window){.x = x0, .y = y0, .width = x1 - x0, .height = y1 - y0};
}

void aug_cutmix(struct aug_floats *to, const struct aug_floats *from, struct aug_window w)
{
    bool planar = to->layout == AUG_NCHW;
    int32_t planes = planar ? to->channels : 1;
    size_t c = planar ? 1 : (size_t) to->channels;

    T2_ASSERT(to->layout == from->layout && to->height == from->height &&
              to->width == from->width && to->channels == from->channels);
    for (int32_t p = 0; p < planes; p++)
        for (int32_t y = w.y; y < w.y + w.height; y++)
            memcpy(aug_float_row(to, p, y) + (size_t) w.x * c,
                   aug_float_row(from, p, y) + (size_t) w.x * c,
                   (size_t) w.width * c * sizeof(float));
}
