/*
 * augment/resize_kernel.c - the inner loops of resizing.
 *
 * Compiled once per CPU variant, without fusing products and sums (module.mk).
 */
#include "augment/resize_kernel.h"

#include <string.h>

#ifdef __SSE4_1__
#include <immintrin.h>
#endif

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
typedef int32_t i4 __attribute__((vector_size(16)));

/* Four values from here on: three channels, and one of the next pixel. */
INLINE f4 load_float(const float *p)
{
    return (f4) * (const f4_unaligned *) p;
}

INLINE i4 load_int(const uint8_t *p)
{
#ifdef __SSE4_1__
    int32_t four; /* GCC 12 makes a detour of the conversion below */

    memcpy(&four, p, sizeof four);
    return (i4) _mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
#else
    return (i4){p[0], p[1], p[2], p[3]};
#endif
}

INLINE f4 load_byte(const uint8_t *p)
{
    return __builtin_convertvector(load_int(p), f4);
}

/* name3: three channels as a vector of four; what is behind the third is not kept.  name_c: any. */
#define GATHER(name, type, load)                                                                   \
    INLINE void name##3(const type *in, const int32_t *index, const float *w, int32_t n_taps,      \
                        int32_t n, float *out)                                                     \
    {                                                                                              \
        for (int32_t x = 0; x < n; ++x, index += n_taps, w += n_taps) {                            \
            f4 sum = {0, 0, 0, 0};                                                                 \
            for (int32_t k = 0; k < n_taps; ++k)                                                   \
                sum += load(in + 3 * (size_t) index[k]) * w[k];                                    \
            memcpy(out + 3 * (size_t) x, &sum, 3 * sizeof(*out));                                  \
        }                                                                                          \
    }                                                                                              \
    static void name(const type *in, const int32_t *index, const float *w, int32_t n_taps,         \
                     int32_t n, int32_t c, float *out)                                             \
    {                                                                                              \
        if (c == 3 && n_taps == 4) {                                                               \
            name##3(in, index, w, 4, n, out);                                                      \
            return;                                                                                \
        }                                                                                          \
        if (c == 3) {                                                                              \
            name##3(in, index, w, n_taps, n, out);                                                 \
            return;                                                                                \
        }                                                                                          \
        for (int32_t x = 0; x < n; ++x, index += n_taps, w += n_taps, out += c)                    \
            for (int32_t j = 0; j < c; ++j) {                                                      \
                float sum = 0;                                                                     \
                for (int32_t k = 0; k < n_taps; ++k)                                               \
                    sum += (float) in[(size_t) index[k] * (size_t) c + (size_t) j] * w[k];         \
                out[j] = sum;                                                                      \
            }                                                                                      \
    }
GATHER(gather, float, load_float)
GATHER(gather_bytes, uint8_t, load_byte)

#define LERP(name, type, load)                                                                     \
    static void name(const type *in, const int32_t *index, const float *w, int32_t n, int32_t c,   \
                     float *out)                                                                   \
    {                                                                                              \
        for (int32_t x = 0; x < n; ++x, out += c) {                                                \
            const type *l = in + (size_t) index[2 * x] * (size_t) c;                               \
            const type *r = in + (size_t) index[2 * x + 1] * (size_t) c;                           \
            float t = w[2 * x + 1];                                                                \
            if (c == 3) {                                                                          \
                f4 a = load(l), v = a + (load(r) - a) * t;                                         \
                memcpy(out, &v, 3 * sizeof(*out));                                                 \
                continue;                                                                          \
            }                                                                                      \
            for (int32_t j = 0; j < c; ++j)                                                        \
                out[j] = (float) l[j] + ((float) r[j] - (float) l[j]) * t;                         \
        }                                                                                          \
    }
LERP(lerp, float, load_float)
LERP(lerp_bytes, uint8_t, load_byte)

/* ---- fixed point ---- */

enum { FIXED_BITS = 22, FIXED_HALF = 1 << (FIXED_BITS - 1), STRIP = 256 };

INLINE uint8_t from_fixed(int32_t v)
{
    v >>= FIXED_BITS;
    return (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Up to four channels as a vector of four. */
static void fixed_gather(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                         int32_t n, int32_t c, uint8_t *out)
{
    for (int32_t x = 0; x < n; ++x, w += n_taps, out += c) {
        size_t at = (size_t) x * (size_t) n_taps;
        const uint8_t *p = in + (size_t) index[at] * (size_t) c;
        i4 sum = {FIXED_HALF, FIXED_HALF, FIXED_HALF, FIXED_HALF};
        for (int32_t k = 0; k < index[at + 1]; ++k, p += c)
            sum += load_int(p) * w[k];
        for (int32_t j = 0; j < c; ++j)
            out[j] = from_fixed(sum[j]);
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
                                                       gather_bytes, lerp,         lerp_bytes,
                                                       lerp_rows,    add_row,      fixed_gather,
                                                       fixed_weigh};
