/*
 * augment/colour_kernel.c - the inner loops on floats.
 *
 * Compiled once per CPU variant, without fusing products and sums (module.mk).
 *
 * Plain loops that compilers turn into vectors.  Those with constants per channel walk in steps of
 * PERIOD floats, over which the repeated constants line up again with the pixels; the constants
 * then stay in registers.
 */
#include "augment/colour_kernel.h"

#include <stdbool.h>
#include <string.h>

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)

#define INLINE static inline __attribute__((always_inline))

enum { PERIOD = AUG_PERIOD };

/* x (n) = (x - s) * m; s and m (PERIOD), repeated per channel. */
static void normalize(float *restrict x, size_t n, const float *restrict s, const float *restrict m)
{
    size_t i = 0;

    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; k++)
            x[i + k] = (x[i + k] - s[k]) * m[k];
    for (size_t k = 0; i + k < n; k++)
        x[i + k] = (x[i + k] - s[k]) * m[k];
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
/* With operands between these no step of quotient() over- or underflows, which the proof of its
 * rounding needs.  A dividend of +0 gives +0 as well; -0 would give +0 and is left to `divide`. */
static const float LEAST = 0x1p-40f, MOST = 0x1p40f;

static bool all_between(const float *v, bool zeros_too)
{
    uint32_t bits[PERIOD], least, most, outside = 0;

    memcpy(bits, v, sizeof bits);
    memcpy(&least, &LEAST, sizeof least);
    memcpy(&most, &MOST, sizeof most);
    for (size_t i = 0; i < PERIOD; i++)
        outside |= (bits[i] & 0x7fffffff) - least > most - least && (bits[i] != 0 || !zeros_too);
    return !outside;
}

/* v / d by the reciprocal r = 1 / d and one correction: correctly rounded (Markstein 1990), so
 * equal to the division bit by bit, at a fifth of the time. */
INLINE float quotient(float v, float d, float r)
{
    float q = v * r;

    return __builtin_fmaf(__builtin_fmaf(-q, d, v), r, q);
}

/* PERIOD values at a time; returns how many are done, fewer than n when a value is out of range. */
static size_t divide_fast(float *x, size_t n, const float *s, const float *d)
{
    float r[PERIOD], v[PERIOD];
    size_t i = 0;

    if (!all_between(d, false))
        return 0;
    for (size_t k = 0; k < PERIOD; k++)
        r[k] = 1 / d[k];
    for (; i + PERIOD <= n; i += PERIOD) {
        for (size_t k = 0; k < PERIOD; k++)
            v[k] = x[i + k] - s[k];
        if (!all_between(v, true))
            return i;
        for (size_t k = 0; k < PERIOD; k++)
            x[i + k] = quotient(v[k], d[k], r[k]);
    }
    return i;
}
#else
static size_t divide_fast(float *x, size_t n, const float *s, const float *d)
{
    (void) x, (void) n, (void) s, (void) d;
    return 0;
}
#endif

static void divide(float *restrict x, size_t n, const float *restrict s, const float *restrict d)
{
    size_t i = divide_fast(x, n, s, d);

    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; k++)
            x[i + k] = (x[i + k] - s[k]) / d[k];
    for (size_t k = 0; i + k < n; k++)
        x[i + k] = (x[i + k] - s[k]) / d[k];
}

static void split(const float *restrict x, size_t n, float *restrict r, float *restrict g,
                  float *restrict b)
{
    for (size_t i = 0; i < n; i++) {
        r[i] = x[3 * i];
        g[i] = x[3 * i + 1];
        b[i] = x[3 * i + 2];
    }
}

/* (n, 3) into three planes of n.  Mirrored in strips of 3 x 256 floats (3 KiB), so that reversing a
 * strip stays in the nearest cache. */
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
        for (int c = 0; c < 3; c++) {
            float *restrict to = out[c] + (n - from - len);
            const float *restrict in = strip[c];
            for (size_t i = 0; i < len; i++)
                to[i] = in[len - 1 - i];
        }
    }
}

static void spread(float *restrict x, size_t n, const float *restrict m, float factor)
{
    size_t i = 0;

    for (; i + PERIOD <= n; i += PERIOD)
        for (size_t k = 0; k < PERIOD; k++)
            x[i + k] = m[k] + (x[i + k] - m[k]) * factor;
    for (size_t k = 0; i + k < n; k++)
        x[i + k] = m[k] + (x[i + k] - m[k]) * factor;
}

static void shift(float *x, size_t n, float delta)
{
    for (size_t i = 0; i < n; i++)
        x[i] += delta;
}

static void fold(float *restrict a, const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] += b[i];
}

static void from_bytes(const uint8_t *restrict x, size_t n, float scale, float *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (float) x[i] * scale;
}

static void to_bytes(const float *restrict x, size_t n, float scale, uint8_t *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        float v = x[i] * scale;
        v = v > 0.0f ? v : 0.0f; /* also of NaN */
        v = v < 255.0f ? v : 255.0f;
        out[i] = (uint8_t) (int32_t) v;
    }
}

const struct aug_colour_kernel CAT(aug_colour_kernel,
                                   DEV_CPU_VARIANT) = {normalize, divide, planes,     spread,
                                                       shift,     fold,   from_bytes, to_bytes};
