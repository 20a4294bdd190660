/*
 * augment/resize_kernel.c - the inner loops of resizing.
 *
 * Compiled once per CPU variant, without fusing products and sums (module.mk).
 */
#include "augment/resize_kernel.h"

#include <string.h>

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)

#define INLINE static inline __attribute__((always_inline))

/* ---- rows on rows ---- */

/* Four taps a pass, so that a row of sums is read and written less often. */
#define WEIGH(name, type)                                                                          \
    static void name(const type *const *rows, const float *w, int32_t n_taps, size_t n,            \
                     float *restrict out)                                                          \
    {                                                                                              \
        int32_t k = 0;                                                                             \
                                                                                                   \
        if (n_taps >= 4) {                                                                         \
            const type *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];                     \
            for (size_t i = 0; i < n; ++i)                                                         \
                out[i] =                                                                           \
                    (((0.0f + (float) a[i] * w[0]) + (float) b[i] * w[1]) + (float) c[i] * w[2]) + \
                    (float) d[i] * w[3];                                                           \
            k = 4;                                                                                 \
        } else {                                                                                   \
            memset(out, 0, n * sizeof(*out));                                                      \
        }                                                                                          \
        for (; k < n_taps; ++k) {                                                                  \
            const type *a = rows[k];                                                               \
            float f = w[k];                                                                        \
            for (size_t i = 0; i < n; ++i)                                                         \
                out[i] += (float) a[i] * f;                                                        \
        }                                                                                          \
    }
WEIGH(weigh_bytes, uint8_t)
WEIGH(weigh_floats, float)

static void lerp_rows(const float *a, const float *b, float t, size_t n, float *restrict out)
{
    for (size_t i = 0; i < n; ++i)
        out[i] = a[i] + (b[i] - a[i]) * t;
}

static void add_row(float *restrict sum, const float *part, float w, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        sum[i] += part[i] * w;
}

/* ---- pixels in a row ---- */

typedef float f4 __attribute__((vector_size(16)));
typedef float f4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

/* Three channels as a vector of four; the fourth is overwritten by the next pixel. */
INLINE void gather3(const float *in, const int32_t *index, const float *w, int32_t n_taps,
                    int32_t n, float *out)
{
    for (int32_t x = 0; x < n; ++x, index += n_taps, w += n_taps) {
        f4 sum = {0, 0, 0, 0};
        for (int32_t k = 0; k < n_taps; ++k)
            sum += (f4) * (const f4_unaligned *) (in + 3 * (size_t) index[k]) * w[k];
        memcpy(out + 3 * (size_t) x, &sum, 3 * sizeof(*out));
    }
}

#define GATHER(name, type)                                                                         \
    INLINE void name##_c(const type *in, const int32_t *index, const float *w, int32_t n_taps,     \
                         int32_t n, int32_t c, float *out)                                         \
    {                                                                                              \
        for (int32_t x = 0; x < n; ++x, index += n_taps, w += n_taps, out += c)                    \
            for (int32_t j = 0; j < c; ++j) {                                                      \
                float sum = 0;                                                                     \
                for (int32_t k = 0; k < n_taps; ++k)                                               \
                    sum += (float) in[(size_t) index[k] * (size_t) c + (size_t) j] * w[k];         \
                out[j] = sum;                                                                      \
            }                                                                                      \
    }
GATHER(any, float)
GATHER(bytes, uint8_t)

static void gather(const float *in, const int32_t *index, const float *w, int32_t n_taps, int32_t n,
                   int32_t c, float *out)
{
    if (c == 3 && n_taps == 4)
        gather3(in, index, w, 4, n, out);
    else if (c == 3)
        gather3(in, index, w, n_taps, n, out);
    else
        any_c(in, index, w, n_taps, n, c, out);
}

static void gather_bytes(const uint8_t *in, const int32_t *index, const float *w, int32_t n_taps,
                         int32_t n, int32_t c, float *out)
{
    if (c == 3)
        bytes_c(in, index, w, n_taps, n, 3, out);
    else
        bytes_c(in, index, w, n_taps, n, c, out);
}

#define LERP(name, type)                                                                           \
    INLINE void name##_c(const type *in, const int32_t *index, const float *w, int32_t n,          \
                         int32_t c, float *out)                                                    \
    {                                                                                              \
        for (int32_t x = 0; x < n; ++x, out += c) {                                                \
            const type *l = in + (size_t) index[2 * x] * (size_t) c;                               \
            const type *r = in + (size_t) index[2 * x + 1] * (size_t) c;                           \
            for (int32_t j = 0; j < c; ++j)                                                        \
                out[j] = (float) l[j] + ((float) r[j] - (float) l[j]) * w[2 * x + 1];              \
        }                                                                                          \
    }                                                                                              \
    static void name(const type *in, const int32_t *index, const float *w, int32_t n, int32_t c,   \
                     float *out)                                                                   \
    {                                                                                              \
        if (c == 3)                                                                                \
            name##_c(in, index, w, n, 3, out);                                                     \
        else                                                                                       \
            name##_c(in, index, w, n, c, out);                                                     \
    }
LERP(lerp_bytes, uint8_t)
LERP(lerp_floats, float)

/* ---- fixed point ---- */

enum { FIXED_BITS = 22, FIXED_HALF = 1 << (FIXED_BITS - 1), STRIP = 256 };

INLINE uint8_t from_fixed(int32_t v)
{
    v >>= FIXED_BITS;
    return (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
}

INLINE void fixed_gather_c(const uint8_t *in, const int32_t *index, const int32_t *w,
                           int32_t n_taps, int32_t n, int32_t c, uint8_t *out)
{
    for (int32_t x = 0; x < n; ++x, w += n_taps, out += c) {
        const uint8_t *p = in + (size_t) index[(size_t) x * (size_t) n_taps] * (size_t) c;
        int32_t sum[4] = {FIXED_HALF, FIXED_HALF, FIXED_HALF, FIXED_HALF};
        for (int32_t k = 0; k < index[(size_t) x * (size_t) n_taps + 1]; ++k, p += c)
            for (int32_t j = 0; j < c; ++j)
                sum[j] += p[j] * w[k];
        for (int32_t j = 0; j < c; ++j)
            out[j] = from_fixed(sum[j]);
    }
}

static void fixed_gather(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                         int32_t n, int32_t c, uint8_t *out)
{
    switch (c) {
    case 1:
        fixed_gather_c(in, index, w, n_taps, n, 1, out);
        break;
    case 3:
        fixed_gather_c(in, index, w, n_taps, n, 3, out);
        break;
    default:
        fixed_gather_c(in, index, w, n_taps, n, c, out);
    }
}

static void fixed_weigh(const uint8_t *const *rows, const int32_t *w, int32_t n_taps, size_t n,
                        uint8_t *out)
{
    int32_t sum[STRIP];

    for (size_t from = 0; from < n; from += STRIP) {
        size_t len = n - from < STRIP ? n - from : STRIP;
        for (size_t i = 0; i < len; ++i)
            sum[i] = FIXED_HALF;
        for (int32_t k = 0; k < n_taps; ++k) {
            const uint8_t *row = rows[k] + from;
            int32_t f = w[k];
            for (size_t i = 0; i < len; ++i)
                sum[i] += row[i] * f;
        }
        for (size_t i = 0; i < len; ++i)
            out[from + i] = from_fixed(sum[i]);
    }
}

const struct aug_resize_kernel CAT(aug_resize_kernel,
                                   DEV_CPU_VARIANT) = {weigh_bytes,  weigh_floats, gather,
                                                       gather_bytes, lerp_bytes,   lerp_floats,
                                                       lerp_rows,    add_row,      fixed_gather,
                                                       fixed_weigh};
