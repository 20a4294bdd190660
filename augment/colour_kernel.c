/*
 * augment/colour_kernel.c - the inner loops on floats.
 *
 * Compiled once per CPU variant, without fusing products and sums (module.mk).
 */
#include "augment/colour_kernel.h"

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)

enum { PERIOD = 48 }; /* a multiple of 1 ... 4 channels and of every vector */

/* The c values again and again, so that a loop over PERIOD floats needs no i % c. */
static void repeat(const float *v, size_t c, float *out)
{
    for (size_t i = 0; i < PERIOD; ++i)
        out[i] = v[i % c];
}

static void normalize(float *x, size_t n, size_t c, const float *sub, const float *mul)
{
    float s[PERIOD], m[PERIOD];
    size_t i = 0;

    repeat(sub, c, s);
    repeat(mul, c, m);
    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; ++k)
            x[i + k] = (x[i + k] - s[k]) * m[k];
    for (size_t k = 0; i + k < n; ++k)
        x[i + k] = (x[i + k] - s[k]) * m[k];
}

static void divide(float *x, size_t n, size_t c, const float *sub, const float *div)
{
    float s[PERIOD], d[PERIOD];
    size_t i = 0;

    repeat(sub, c, s);
    repeat(div, c, d);
    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; ++k)
            x[i + k] = (x[i + k] - s[k]) / d[k];
    for (size_t k = 0; i + k < n; ++k)
        x[i + k] = (x[i + k] - s[k]) / d[k];
}

static void split(const float *restrict x, size_t n, float *restrict r, float *restrict g,
                  float *restrict b)
{
    for (size_t i = 0; i < n; ++i) {
        r[i] = x[3 * i];
        g[i] = x[3 * i + 1];
        b[i] = x[3 * i + 2];
    }
}

/* In strips, so that turning a strip round stays in the nearest cache. */
static void planes(const float *x, size_t n, int mirror, float *const *out)
{
    enum { STRIP = 256 };
    float strip[3][STRIP];

    if (!mirror) {
        split(x, n, out[0], out[1], out[2]);
        return;
    }
    for (size_t from = 0; from < n; from += STRIP) {
        size_t len = n - from < STRIP ? n - from : STRIP;
        split(x + 3 * from, len, strip[0], strip[1], strip[2]);
        for (int c = 0; c < 3; ++c) {
            float *restrict to = out[c] + (n - from - len);
            const float *restrict in = strip[c];
            for (size_t i = 0; i < len; ++i)
                to[i] = in[len - 1 - i];
        }
    }
}

static void spread(float *x, size_t n, size_t c, const float *mean, float factor)
{
    float m[PERIOD];
    size_t i = 0;

    repeat(mean, c, m);
    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; ++k)
            x[i + k] = m[k] + (x[i + k] - m[k]) * factor;
    for (size_t k = 0; i + k < n; ++k)
        x[i + k] = m[k] + (x[i + k] - m[k]) * factor;
}

static void shift(float *x, size_t n, float delta)
{
    for (size_t i = 0; i < n; ++i)
        x[i] += delta;
}

static void fold(float *restrict a, const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        a[i] += b[i];
}

static void to_bytes(const float *restrict x, size_t n, float scale, uint8_t *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        float v = x[i] * scale;
        v = v > 0.0f ? v : 0.0f; /* also of NaN */
        v = v < 255.0f ? v : 255.0f;
        out[i] = (uint8_t) (int32_t) v;
    }
}

const struct aug_colour_kernel CAT(aug_colour_kernel, DEV_CPU_VARIANT) = {normalize, divide, planes,
                                                                          spread,    shift,  fold,
                                                                          to_bytes};
