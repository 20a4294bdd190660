/*
 * augment/resize_kernel.c - the inner loops of resizing.
 *
 * Compiled once per CPU variant, without fusing products and sums (module.mk).
 *
 * Rows are (width, c) values without gaps, c = 3 in nearly all calls.  Three channels do not divide
 * a vector, so a pixel is loaded as four lanes, the fourth being the next pixel's first channel,
 * and its result is dropped (the next store overwrites it).  With AVX-512 four pixels, each in its
 * own four lanes, make a vector.  Together with taps read as runs this made whole pipelines 1.09
 * times as fast (bench/results/2026-11-22-jpeg-notes.md).
 *
 * The order of every float sum is fixed by the originals: tap by tap from zero, each product and
 * sum rounded.  Hence no FMA and no splitting of a sum; lanes are different outputs, never
 * different taps.  Integer sums (fixed_*) may take any order, and do.
 */
#include "augment/resize_kernel.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)

#define INLINE static inline __attribute__((always_inline))

/* ---- rows on rows ---- */

/* out (n) = sum over taps of rows[k] (n) * w[k].  Four taps a pass, so that a row of sums is read
 * and written less often; the 0.0f in front keeps -0 from surviving, as in a sum from zero. */
#define WEIGH(name, type)                                                                          \
    static void name(const type *const *rows, const float *w, int32_t n_taps, size_t n,            \
                     float *restrict out)                                                          \
    {                                                                                              \
        int32_t k = 0;                                                                             \
                                                                                                   \
        if (n_taps >= 4) {                                                                         \
            const type *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];                     \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] =                                                                           \
                    (((0.0f + (float) a[i] * w[0]) + (float) b[i] * w[1]) + (float) c[i] * w[2]) + \
                    (float) d[i] * w[3];                                                           \
            k = 4;                                                                                 \
        } else {                                                                                   \
            memset(out, 0, n * sizeof(*out));                                                      \
        }                                                                                          \
        for (; k < n_taps; k++) {                                                                  \
            const type *a = rows[k];                                                               \
            float f = w[k];                                                                        \
            for (size_t i = 0; i < n; i++)                                                         \
                out[i] += (float) a[i] * f;                                                        \
        }                                                                                          \
    }
WEIGH(weigh_bytes, uint8_t)
WEIGH(weigh_floats, float)

static void lerp_rows(const float *a, const float *b, float t, size_t n, float *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + (b[i] - a[i]) * t;
}

static void add_row(float *restrict sum, const float *part, float w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += part[i] * w;
}

/* ---- pixels in a row ---- */

typedef float f4 __attribute__((vector_size(16)));
typedef float f4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));

/* Four values from p on: three channels, and one of the next pixel. */
INLINE f4 load_float(const float *p)
{
    return (f4) * (const f4_unaligned *) p;
}

INLINE i4 load_int(const uint8_t *p)
{
#ifdef __SSE4_1__
    int32_t four; /* for the general form below GCC 12 goes through the stack */

    memcpy(&four, p, sizeof four);
    return (i4) _mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
#elif defined(__aarch64__)
    uint32_t four;

    memcpy(&four, p, sizeof four);
    return (i4) vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
#else
    return (i4){p[0], p[1], p[2], p[3]};
#endif
}

INLINE f4 load_byte(const uint8_t *p)
{
    return __builtin_convertvector(load_int(p), f4);
}

/* Three of the four values; the fourth is written, too, where a next pixel overwrites it. */
INLINE void store3(float *out, f4 v, bool is_last)
{
    if (is_last)
        memcpy(out, &v, 3 * sizeof *out);
    else
        *(f4_unaligned *) out = v;
}

/* Weighted sums along a row: in (width, c), index and w (n, n_taps), out (n, c).  name##3 is the
 * form for three channels with pixels as vectors of four; the other takes any number. */
#define GATHER(name, type, load)                                                                   \
    INLINE void name##3(const type *in, const int32_t *index, const float *w, int32_t n_taps,      \
                        int32_t n, float *out)                                                     \
    {                                                                                              \
        for (int32_t x = 0; x < n; x++, index += n_taps, w += n_taps) {                            \
            f4 sum = {0, 0, 0, 0};                                                                 \
            for (int32_t k = 0; k < n_taps; k++)                                                   \
                sum += load(in + 3 * (size_t) index[k]) * w[k];                                    \
            store3(out + 3 * (size_t) x, sum, x + 1 == n);                                         \
        }                                                                                          \
    }                                                                                              \
    static void name(const type *in, const int32_t *index, const float *w, int32_t n_taps,         \
                     int32_t n, int32_t c, float *out)                                             \
    {                                                                                              \
        if (c == 3) {                                                                              \
            name##3(in, index, w, n_taps, n, out);                                                 \
            return;                                                                                \
        }                                                                                          \
        for (int32_t x = 0; x < n; x++, index += n_taps, w += n_taps, out += c)                    \
            for (int32_t j = 0; j < c; j++) {                                                      \
                float sum = 0;                                                                     \
                for (int32_t k = 0; k < n_taps; k++)                                               \
                    sum += (float) in[(size_t) index[k] * (size_t) c + (size_t) j] * w[k];         \
                out[j] = sum;                                                                      \
            }                                                                                      \
    }
GATHER(gather, float, load_float)
GATHER(gather_bytes, uint8_t, load_byte)

#ifdef __AVX512BW__
/* Four values from each of four addresses, one address per 128-bit lane. */
INLINE __m512 load_four(const float *a, const float *b, const float *c, const float *d)
{
    __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(a));

    v = _mm512_insertf32x4(v, _mm_loadu_ps(b), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(c), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(d), 3);
}

/* Twelve floats: the first three of each lane.  Two stores of 8 and 4 floats, so that nothing
 * behind the row is written. */
INLINE void store_threes(float *out, __m512 v)
{
    const __m512i order = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);

    v = _mm512_permutexvar_ps(order, v);
    _mm256_storeu_ps(out, _mm512_castps512_ps256(v));
    _mm_storeu_ps(out + 8, _mm512_extractf32x4_ps(v, 2));
}

/* Four output pixels at a time with four consecutive taps each: lane i holds pixel x + i, and
 * `weights` its four weights, of which tap k is broadcast within the lane.  Returns the number of
 * pixels done. */
static int32_t run4_wide(const float *in, const int32_t *index, const float *w, int32_t n,
                         float *out)
{
    int32_t x = 0;

    for (; x + 4 <= n; x += 4, index += 16, w += 16, out += 12) {
        const float *a = in + 3 * (size_t) index[0], *b = in + 3 * (size_t) index[4];
        const float *c = in + 3 * (size_t) index[8], *d = in + 3 * (size_t) index[12];
        __m512 weights = _mm512_loadu_ps(w), sum = _mm512_setzero_ps();
#define ADD_TAP(k)                                                                                 \
    sum =                                                                                          \
        _mm512_add_ps(sum,                                                                         \
                      _mm512_mul_ps(load_four(a + 3 * (k), b + 3 * (k), c + 3 * (k), d + 3 * (k)), \
                                    _mm512_permute_ps(weights, 0x55 * (k))))
        ADD_TAP(0);
        ADD_TAP(1);
        ADD_TAP(2);
        ADD_TAP(3);
#undef ADD_TAP
        store_threes(out, sum);
    }
    return x;
}
#else
static int32_t run4_wide(const float *in, const int32_t *index, const float *w, int32_t n,
                         float *out)
{
    (void) in, (void) index, (void) w, (void) n, (void) out;
    return 0;
}
#endif

static void gather_runs(const float *in, const int32_t *index, const float *w, int32_t n_taps,
                        int32_t n, int32_t c, float *out)
{
    if (c != 3 || n_taps != 4) {
        gather(in, index, w, n_taps, n, c, out);
        return;
    }
    for (int32_t x = run4_wide(in, index, w, n, out); x < n; x++) {
        const float *p = in + 3 * (size_t) index[4 * x], *f = w + 4 * (size_t) x;
        f4 sum = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++)
            sum += load_float(p + 3 * k) * f[k];
        store3(out + 3 * (size_t) x, sum, x + 1 == n);
    }
}

#ifdef __AVX512BW__
/* Four bytes from each of four pixels, index[0], [2], [4], [6], as floats: a pixel per lane. */
INLINE __m512 load_four_bytes(const uint8_t *in, const int32_t *index)
{
    int32_t v[4];

    for (int i = 0; i < 4; i++)
        memcpy(&v[i], in + 3 * (size_t) index[2 * i], sizeof v[i]);
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_setr_epi32(v[0], v[1], v[2], v[3])));
}

/*
 * l + (r - l) * t for four output pixels.  `spread` takes the weights w[1], w[3], w[5], w[7] (even
 * places are unused) and gives each to its lane.
 */
static int32_t lerp_bytes_wide(const uint8_t *in, const int32_t *index, const float *w, int32_t n,
                               float *out)
{
    const __m512i spread = _mm512_setr_epi32(1, 1, 1, 1, 3, 3, 3, 3, 5, 5, 5, 5, 7, 7, 7, 7);
    int32_t x = 0;

    for (; x + 4 <= n; x += 4, index += 8, w += 8, out += 12) {
        __m512 l = load_four_bytes(in, index), r = load_four_bytes(in, index + 1);
        __m512 t = _mm512_permutexvar_ps(spread, _mm512_castps256_ps512(_mm256_loadu_ps(w)));
        store_threes(out, _mm512_add_ps(l, _mm512_mul_ps(_mm512_sub_ps(r, l), t)));
    }
    return x;
}
#else
static int32_t lerp_bytes_wide(const uint8_t *in, const int32_t *index, const float *w, int32_t n,
                               float *out)
{
    (void) in, (void) index, (void) w, (void) n, (void) out;
    return 0;
}
#endif

INLINE int32_t none_wide(const float *in, const int32_t *index, const float *w, int32_t n,
                         float *out)
{
    (void) in, (void) index, (void) w, (void) n, (void) out;
    return 0;
}

#define LERP(name, type, load, wide)                                                               \
    static void name(const type *in, const int32_t *index, const float *w, int32_t n, int32_t c,   \
                     float *out)                                                                   \
    {                                                                                              \
        for (int32_t x = c == 3 ? wide(in, index, w, n, out) : n; x < n; x++) {                    \
            const type *l = in + 3 * (size_t) index[2 * x];                                        \
            f4 a = load(l), b = load(in + 3 * (size_t) index[2 * x + 1]);                          \
            store3(out + 3 * (size_t) x, a + (b - a) * w[2 * x + 1], x + 1 == n);                  \
        }                                                                                          \
        for (int32_t x = 0; x < n && c != 3; x++, out += c) {                                      \
            const type *l = in + (size_t) index[2 * x] * (size_t) c;                               \
            const type *r = in + (size_t) index[2 * x + 1] * (size_t) c;                           \
            for (int32_t j = 0; j < c; j++)                                                        \
                out[j] = (float) l[j] + ((float) r[j] - (float) l[j]) * w[2 * x + 1];              \
        }                                                                                          \
    }
LERP(lerp, float, load_float, none_wide)
LERP(lerp_bytes, uint8_t, load_byte, lerp_bytes_wide)

/* ---- fixed point ---- */

/*
 * Pillow's precision: 32 bits less 8 of the byte and 2 for sums of weights beyond 1 and negative
 * ones.  A strip of sums, 256 int32, is one KiB of the nearest cache.
 */
enum { FIXED_BITS = 22, FIXED_HALF = 1 << (FIXED_BITS - 1), STRIP = 256 };

INLINE uint8_t from_fixed(int32_t v)
{
    v >>= FIXED_BITS;
    return (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
}

/* c of four sums; where a next pixel overwrites it, four bytes are written. */
INLINE void store_fixed(uint8_t *out, i4 sum, int32_t c, bool is_last)
{
#ifdef __SSE4_1__
    __m128i v = _mm_srai_epi32((__m128i) sum, FIXED_BITS);
    int32_t four = _mm_cvtsi128_si32(_mm_packus_epi16(_mm_packs_epi32(v, v), v));

    if (c >= 3 && !is_last)
        memcpy(out, &four, sizeof four);
    else
        for (int32_t j = 0; j < c; j++)
            out[j] = (uint8_t) ((uint32_t) four >> 8 * j);
#elif defined(__aarch64__)
    int16x4_t v = vqmovn_s32(vshrq_n_s32((int32x4_t) sum, FIXED_BITS));
    uint32_t four = vget_lane_u32(vreinterpret_u32_u8(vqmovun_s16(vcombine_s16(v, v))), 0);

    if (c >= 3 && !is_last)
        memcpy(out, &four, sizeof four);
    else
        for (int32_t j = 0; j < c; j++)
            out[j] = (uint8_t) (four >> 8 * j);
#else
    (void) is_last;
    for (int32_t j = 0; j < c; j++)
        out[j] = from_fixed(sum[j]);
#endif
}

#if defined(__AVX512BW__) || defined(__AVX2__)
/*
 * Products of four consecutive taps from p on with their weights, one tap per 128-bit lane; AVX2
 * has two lanes, and taps 2 and 3 are added to 0 and 1:
 *
 *   lane      0             1             2             3
 *   bytes     p0 p1 p2 -    p3 p4 p5 -    p6 p7 p8 -    p9 p10 p11 -     widened by `apart`
 *   weights   w0 w0 w0 w0   w1 ...        w2 ...        w3 ...           by `each`
 *
 * Lanes beyond `left` taps get weight 0.
 */
#ifdef __AVX512BW__
typedef __m512i products;

INLINE products four_products(const uint8_t *p, const int32_t *w, int32_t left)
{
    const __m512i apart =
        _mm512_setr_epi32((int) 0x80808000, (int) 0x80808001, (int) 0x80808002, -1,
                          (int) 0x80808003, (int) 0x80808004, (int) 0x80808005, -1,
                          (int) 0x80808006, (int) 0x80808007, (int) 0x80808008, -1,
                          (int) 0x80808009, (int) 0x8080800a, (int) 0x8080800b, -1);
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    __mmask16 there = (__mmask16) (left < 4 ? (1 << 4 * left) - 1 : 0xffff);
    __m128i bytes = _mm_loadu_si128((const __m128i *) (const void *) p);
    __m128i f = _mm_loadu_si128((const __m128i *) (const void *) w);

    return _mm512_mullo_epi32(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(bytes), apart),
                              _mm512_maskz_permutexvar_epi32(there, each,
                                                             _mm512_castsi128_si512(f)));
}

INLINE products add_products(products x, products y)
{
    return _mm512_add_epi32(x, y);
}

/* Halves the number of lanes: the sums of pairs of lanes of x, then those of y.  Two rounds bring
 * four pixels of four lanes each to one vector with a pixel per lane. */
INLINE __m512i add_lanes(__m512i x, __m512i y)
{
    return _mm512_add_epi32(_mm512_shuffle_i32x4(x, y, 0x88), _mm512_shuffle_i32x4(x, y, 0xdd));
}

/* The bytes of four pixels, four each. */
INLINE __m128i four_pixels(products a, products b, products c, products d)
{
    a = add_lanes(add_lanes(a, b), add_lanes(c, d));
    a = _mm512_srai_epi32(_mm512_add_epi32(a, _mm512_set1_epi32(FIXED_HALF)), FIXED_BITS);
    return _mm512_cvtusepi32_epi8(_mm512_max_epi32(a, _mm512_setzero_si512()));
}
#else
typedef __m256i products;

INLINE products four_products(const uint8_t *p, const int32_t *w, int32_t left)
{
    static const int32_t masks[] = {-1, -1, -1, -1, 0, 0, 0};
    const __m256i apart_01 =
        _mm256_setr_epi32((int) 0x80808000, (int) 0x80808001, (int) 0x80808002, -1,
                          (int) 0x80808003, (int) 0x80808004, (int) 0x80808005, -1);
    const __m256i apart_23 =
        _mm256_setr_epi32((int) 0x80808006, (int) 0x80808007, (int) 0x80808008, -1,
                          (int) 0x80808009, (int) 0x8080800a, (int) 0x8080800b, -1);
    const __m256i each_01 = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const __m256i each_23 = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
    const int32_t *there = masks + 4 - (left < 4 ? left : 4);
    __m256i bytes =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *) (const void *) p));
    __m256i f = _mm256_castsi128_si256(
        _mm_and_si128(_mm_loadu_si128((const __m128i *) (const void *) w),
                      _mm_loadu_si128((const __m128i *) (const void *) there)));

    return _mm256_add_epi32(_mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, apart_01),
                                               _mm256_permutevar8x32_epi32(f, each_01)),
                            _mm256_mullo_epi32(_mm256_shuffle_epi8(bytes, apart_23),
                                               _mm256_permutevar8x32_epi32(f, each_23)));
}

INLINE products add_products(products x, products y)
{
    return _mm256_add_epi32(x, y);
}

/* Both lanes of x added and shifted, then those of y. */
INLINE __m256i two_pixels(__m256i x, __m256i y)
{
    __m256i sums = _mm256_add_epi32(_mm256_permute2x128_si256(x, y, 0x20),
                                    _mm256_permute2x128_si256(x, y, 0x31));

    return _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(FIXED_HALF)), FIXED_BITS);
}

/* The bytes of four pixels, four each. */
INLINE __m128i four_pixels(products a, products b, products c, products d)
{
    __m256i words = _mm256_packs_epi32(two_pixels(a, b), two_pixels(c, d)); /* a c | b d */
    __m256i bytes = _mm256_packus_epi16(words, words);

    return _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
}
#endif

/* The products of the first four taps of a pixel; more_products adds those of the others, which
 * there are only where the image shrinks. */
INLINE products first_products(const uint8_t *in, const int32_t *index, const int32_t *w,
                               int32_t n_taps)
{
    return four_products(in + 3 * (size_t) index[0], w, n_taps);
}

INLINE products more_products(const uint8_t *in, const int32_t *index, const int32_t *w,
                              int32_t n_taps, products v)
{
    for (int32_t k = 4; k < index[1]; k += 4)
        v = add_products(v, four_products(in + 3 * (size_t) (index[0] + k), w + k, n_taps - k));
    return v;
}

/* Four output pixels at a time; returns the number done.  Integer sums, so their order is free:
 * taps are side by side in lanes and added at the end.  Stores 16 bytes for 12, so it stops two
 * pixels before the end of the row. */
static int32_t fixed_wide(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                          int32_t n, uint8_t *out)
{
    const __m128i order = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
    int32_t x = 0;

    for (; x + 6 <= n; x += 4, index += 4 * n_taps, w += 4 * n_taps, out += 12) {
        const int32_t *i0 = index, *i1 = i0 + n_taps, *i2 = i1 + n_taps, *i3 = i2 + n_taps;
        const int32_t *w0 = w, *w1 = w0 + n_taps, *w2 = w1 + n_taps, *w3 = w2 + n_taps;
        products a = first_products(in, i0, w0, n_taps), b = first_products(in, i1, w1, n_taps);
        products c = first_products(in, i2, w2, n_taps), d = first_products(in, i3, w3, n_taps);

        if (i0[1] > 4 || i1[1] > 4 || i2[1] > 4 || i3[1] > 4) {
            a = more_products(in, i0, w0, n_taps, a);
            b = more_products(in, i1, w1, n_taps, b);
            c = more_products(in, i2, w2, n_taps, c);
            d = more_products(in, i3, w3, n_taps, d);
        }
        /* four bytes more, which the next pixels overwrite */
        _mm_storeu_si128((__m128i *) (void *) out,
                         _mm_shuffle_epi8(four_pixels(a, b, c, d), order));
    }
    return x;
}
#else
static int32_t fixed_wide(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                          int32_t n, uint8_t *out)
{
    (void) in, (void) index, (void) w, (void) n_taps, (void) n, (void) out;
    return 0;
}
#endif

/* in (width, c) bytes, index and w (n, n_taps), out (n, c) bytes; up to four channels as a vector
 * of four. */
static void fixed_gather(const uint8_t *in, const int32_t *index, const int32_t *w, int32_t n_taps,
                         int32_t n, int32_t c, uint8_t *out)
{
    int32_t x = c == 3 ? fixed_wide(in, index, w, n_taps, n, out) : 0;

    for (; x < n; x++) {
        size_t at = (size_t) x * (size_t) n_taps;
        const uint8_t *p = in + (size_t) index[at] * (size_t) c;
        i4 sum = {FIXED_HALF, FIXED_HALF, FIXED_HALF, FIXED_HALF};
        for (int32_t k = 0; k < index[at + 1]; k++, p += c)
            sum += load_int(p) * w[at + (size_t) k];
        store_fixed(out + (size_t) x * (size_t) c, sum, c, x + 1 == n);
    }
}

/* Thirty-two values at a time; returns the number done. */
#ifdef __AVX2__
INLINE __m256i add_product(__m256i sum, const uint8_t *x, __m256i w)
{
    __m128i eight = _mm_loadl_epi64((const __m128i *) (const void *) x);

    return _mm256_add_epi32(sum, _mm256_mullo_epi32(_mm256_cvtepu8_epi32(eight), w));
}

INLINE __m256i sixteen_words(__m256i x, __m256i y)
{
    return _mm256_packs_epi32(_mm256_srai_epi32(x, FIXED_BITS), _mm256_srai_epi32(y, FIXED_BITS));
}

static size_t weigh_wide(const uint8_t *const *rows, const int32_t *w, int32_t n_taps, size_t n,
                         uint8_t *restrict out)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    size_t at = 0;

    for (; at + 32 <= n; at += 32) {
        __m256i a = _mm256_set1_epi32(FIXED_HALF), b = a, c = a, d = a;
        for (int32_t k = 0; k < n_taps; k++) {
            const __m256i each = _mm256_set1_epi32(w[k]);
            const uint8_t *x = rows[k] + at;
            a = add_product(a, x, each);
            b = add_product(b, x + 8, each);
            c = add_product(c, x + 16, each);
            d = add_product(d, x + 24, each);
        }
        /* packed in each half of a register: 0 8 16 24 | 4 12 20 28 */
        a = _mm256_packus_epi16(sixteen_words(a, b), sixteen_words(c, d));
        _mm256_storeu_si256((__m256i *) (void *) (out + at), _mm256_permutevar8x32_epi32(a, order));
    }
    return at;
}
#else
static size_t weigh_wide(const uint8_t *const *rows, const int32_t *w, int32_t n_taps, size_t n,
                         uint8_t *restrict out)
{
    (void) rows, (void) w, (void) n_taps, (void) n, (void) out;
    return 0;
}
#endif

/* rows[k] (n) bytes, out (n) bytes.  Four taps a pass, which is all of them unless the image
 * shrinks (bilinear: by more than 1.5); then the sums of a strip stay in `sum` between the passes.
 * Missing taps repeat a row with weight 0. */
static void fixed_weigh(const uint8_t *const *rows, const int32_t *w, int32_t n_taps, size_t n,
                        uint8_t *restrict out)
{
    int32_t sum[STRIP];

    for (size_t from = weigh_wide(rows, w, n_taps, n, out); from < n; from += STRIP) {
        size_t len = n - from < STRIP ? n - from : STRIP;
        for (int32_t k = 0; k < n_taps; k += 4) {
            const uint8_t *p[4];
            int32_t f[4];
            for (int32_t i = 0; i < 4; i++) {
                bool there = k + i < n_taps;
                p[i] = rows[there ? k + i : k] + from;
                f[i] = there ? w[k + i] : 0;
            }
            const uint8_t *a = p[0], *b = p[1], *c = p[2], *d = p[3];
            int32_t fa = f[0], fb = f[1], fc = f[2], fd = f[3];
            if (n_taps <= 4)
                for (size_t i = 0; i < len; i++)
                    out[from + i] =
                        from_fixed(FIXED_HALF + a[i] * fa + b[i] * fb + c[i] * fc + d[i] * fd);
            else
                for (size_t i = 0; i < len; i++)
                    sum[i] = (k == 0 ? FIXED_HALF : sum[i]) + a[i] * fa + b[i] * fb + c[i] * fc +
                             d[i] * fd;
        }
        for (size_t i = 0; n_taps > 4 && i < len; i++)
            out[from + i] = from_fixed(sum[i]);
    }
}

const struct aug_resize_kernel CAT(aug_resize_kernel,
                                   DEV_CPU_VARIANT) = {weigh_bytes,  weigh_floats, gather,
                                                       gather_runs,  gather_bytes, lerp,
                                                       lerp_bytes,   lerp_rows,    add_row,
                                                       fixed_gather, fixed_weigh};
