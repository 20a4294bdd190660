/*
 * train/device/cpu/simd.h - vectors of 16 floats for the kernels of the cpu device.
 *
 * GCC's and clang's vector extension: the same source gives AVX-512, AVX2, SSE2 or NEON code,
 * depending on the variant it is compiled for (DEV_CPU_VARIANT), and plain C elsewhere.  A vector
 * is 64 bytes everywhere; with AVX2 the compiler holds it in two registers, with SSE2 and NEON in
 * four.  So a sum has the same 16 partial sums and the same tree whatever the variant.  Variants
 * still differ in the last bit: AVX2, AVX-512 and NEON are compiled with fused multiply-add, which
 * rounds once where the generic variant rounds twice.
 *
 * Remainders of fewer than 16 floats are loaded with memcpy and zeros behind them, never by a
 * masked load beyond the end: a row may end at a page that cannot be read.
 */
#ifndef DEV_CPU_SIMD_H
#define DEV_CPU_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "train/device/dropout_bits.h"
#include "train/device/types.h"

/* Vectors are passed only to functions that are always inlined, so their calling convention does
 * not matter; module.mk switches GCC's notes about it off for these files. */

#define DEV_CPU_CAT2(a, b) a##_##b
#define DEV_CPU_CAT(a, b) DEV_CPU_CAT2(a, b)
/* The name of a symbol of this variant: DEV_CPU(dev_cpu_gemm) is dev_cpu_gemm_avx512. */
#define DEV_CPU(name) DEV_CPU_CAT(name, DEV_CPU_VARIANT)

enum { DEV_LANES = 16 };

typedef float vf __attribute__((vector_size(64), aligned(64)));
typedef int32_t vi __attribute__((vector_size(64), aligned(64)));
typedef uint32_t vu __attribute__((vector_size(64), aligned(64)));
typedef float vf_unaligned __attribute__((vector_size(64), aligned(4), may_alias));

#define DEV_INLINE static inline __attribute__((always_inline))

/* What NEON does to a vector, quarter by quarter: GCC does comparisons, conversions and wide
 * products of 64 bytes lane by lane. */
enum { DEV_QUARTERS = 4 };

#if defined(__AVX2__) && !defined(__AVX512F__)
/* The same for AVX2: what GCC does to 64 bytes lane by lane is written for two registers. */
struct halves {
    __m256 low, high;
};

DEV_INLINE struct halves halves_of(vf x)
{
    struct halves h;

    memcpy(&h, &x, sizeof h);
    return h;
}

DEV_INLINE vf vf_of_halves(__m256 low, __m256 high)
{
    struct halves h = {low, high};
    vf x;

    memcpy(&x, &h, sizeof x);
    return x;
}
#endif

/*
 * Where a > b a lane is all ones, else all zeros.  GCC turns arithmetic on 64 bytes into two
 * instructions of AVX2, but comparisons into 16 of single lanes; so integers, which are not
 * negative here, are subtracted instead.
 */
DEV_INLINE vi vi_above(vi a, vi b)
{
    return (b - a) >> 31;
}

DEV_INLINE vi vf_above(vf a, vf b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    struct halves x = halves_of(a), y = halves_of(b);

    return (vi) vf_of_halves(_mm256_cmp_ps(x.low, y.low, _CMP_GT_OQ),
                             _mm256_cmp_ps(x.high, y.high, _CMP_GT_OQ));
#elif defined(__aarch64__)
    float32x4_t x[DEV_QUARTERS], y[DEV_QUARTERS];
    uint32x4_t above[DEV_QUARTERS];
    vi mask;

    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < DEV_QUARTERS; i++)
        above[i] = vcgtq_f32(x[i], y[i]);
    memcpy(&mask, above, sizeof mask);
    return mask;
#else
    return (vi) (a > b);
#endif
}

DEV_INLINE vf vf_load(const float *p)
{
    return (vf) * (const vf_unaligned *) p;
}

DEV_INLINE void vf_store(float *p, vf x)
{
    *(vf_unaligned *) p = (vf_unaligned) x;
}

/* The first n lanes, the others 0; n < 16. */
DEV_INLINE vf vf_load_part(const float *p, int64_t n)
{
    vf x = {0};

    memcpy(&x, p, (size_t) n * sizeof *p);
    return x;
}

DEV_INLINE void vf_store_part(float *p, vf x, int64_t n)
{
    memcpy(p, &x, (size_t) n * sizeof *p);
}

typedef uint16_t vh __attribute__((vector_size(32)));

/* ---- 16-bit floats: the vectors of types.h ---- */

/* bfloat16 in the upper half of each lane, zeros below: to nearest, ties to even; NaN becomes a
 * quiet NaN, as rounding up could carry it into infinity. */
DEV_INLINE vu vu_bfloat16(vf x)
{
    vu bits = (vu) x, quiet = bits | 0x00400000u;
    vi nan = vi_above((vi) (bits & 0x7fffffffu), (vi){0} + 0x7f800000);
    vu near = bits + 0x7fffu + (bits >> 16 & 1u);

    return (((vu) nan & quiet) | (~(vu) nan & near)) & 0xffff0000u;
}

DEV_INLINE vf vf_from_float16(vh h)
{
#if defined(__AVX512F__)
    __m256i halves;

    memcpy(&halves, &h, sizeof halves);
    return (vf) _mm512_cvtph_ps(halves);
#elif defined(__F16C__)
    __m128i halves[2];
    __m256 x[2];
    vf both;

    memcpy(halves, &h, sizeof halves);
    x[0] = _mm256_cvtph_ps(halves[0]);
    x[1] = _mm256_cvtph_ps(halves[1]);
    memcpy(&both, x, sizeof both);
    return both;
#elif defined(__aarch64__)
    float16x4_t halves[DEV_QUARTERS];
    float32x4_t x[DEV_QUARTERS];
    vf all;

    memcpy(halves, &h, sizeof halves);
    for (int i = 0; i < DEV_QUARTERS; i++)
        x[i] = vcvt_f32_f16(halves[i]);
    memcpy(&all, x, sizeof all);
    return all;
#else
    vu bits = __builtin_convertvector(h, vu), size = (bits & 0x7fffu) << 13;
    vu special = (vu) vi_above((vi) size, (vi){0} + 0x0f7fffff), sign = (bits & 0x8000u) << 16;
    vu finite = (vu) ((vf) size * (vf){0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f,
                                       0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f,
                                       0x1p112f, 0x1p112f, 0x1p112f, 0x1p112f});

    return (vf) (sign | (special & (size | 0x7f800000u)) | (~special & finite));
#endif
}

DEV_INLINE vh vh_float16(vf x)
{
    vh h;
#if defined(__AVX512F__)
    __m256i halves = _mm512_cvtps_ph((__m512) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);

    memcpy(&h, &halves, sizeof h);
#elif defined(__F16C__)
    __m256 floats[2];
    __m128i halves[2];

    memcpy(floats, &x, sizeof floats);
    halves[0] = _mm256_cvtps_ph(floats[0], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    halves[1] = _mm256_cvtps_ph(floats[1], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    memcpy(&h, halves, sizeof h);
#elif defined(__aarch64__)
    float32x4_t floats[DEV_QUARTERS];
    float16x4_t halves[DEV_QUARTERS];

    memcpy(floats, &x, sizeof floats);
    for (int i = 0; i < DEV_QUARTERS; i++)
        halves[i] = vcvt_f16_f32(floats[i]);
    memcpy(&h, halves, sizeof h);
#else
    for (int i = 0; i < DEV_LANES; i++)
        h[i] = dev_float16(x[i]);
#endif
    return h;
}

/* Elements i .. i + 15 of a tensor of a float type. */
DEV_INLINE vf vf_get(enum dev_type type, const void *p, int64_t i)
{
    vh h;

    if (type == DEV_FLOAT32)
        return vf_load((const float *) p + i);
    memcpy(&h, (const uint16_t *) p + i, sizeof h);
    return type == DEV_FLOAT16 ? vf_from_float16(h) : (vf) (__builtin_convertvector(h, vu) << 16);
}

DEV_INLINE void vf_put(enum dev_type type, void *p, int64_t i, vf x)
{
    vh h;

    if (type == DEV_FLOAT32) {
        vf_store((float *) p + i, x);
        return;
    }
    h = type == DEV_FLOAT16 ? vh_float16(x) : __builtin_convertvector(vu_bfloat16(x) >> 16, vh);
    memcpy((uint16_t *) p + i, &h, sizeof h);
}

DEV_INLINE vf vf_set(float x)
{
    return (vf){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

/* A lane of the mask is all ones (yes) or all zeros (no), as a comparison of vectors gives it. */
DEV_INLINE vf vf_select(vi mask, vf yes, vf no)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    struct halves m = halves_of((vf) mask), a = halves_of(no), b = halves_of(yes);

    return vf_of_halves(_mm256_blendv_ps(a.low, b.low, m.low),
                        _mm256_blendv_ps(a.high, b.high, m.high));
#else
    return (vf) ((mask & (vi) yes) | (~mask & (vi) no));
#endif
}

#ifdef __aarch64__
DEV_INLINE float32x4_t vf_quarter_max(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
#endif

/* All forms return b where either operand is NaN, as the instruction does.  So a NaN in the
 * running maximum `a` is lost at the next step; callers that must keep it rely on the sum of
 * exponentials, which becomes NaN. */
DEV_INLINE vf vf_max(vf a, vf b)
{
#ifdef __AVX512F__
    return (vf) _mm512_max_ps((__m512) a, (__m512) b);
#elif defined(__AVX2__)
    struct halves x = halves_of(a), y = halves_of(b);

    return vf_of_halves(_mm256_max_ps(x.low, y.low), _mm256_max_ps(x.high, y.high));
#elif defined(__aarch64__)
    float32x4_t x[DEV_QUARTERS], y[DEV_QUARTERS];
    vf largest;

    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < DEV_QUARTERS; i++)
        x[i] = vf_quarter_max(x[i], y[i]);
    memcpy(&largest, x, sizeof largest);
    return largest;
#else
    return vf_select(vf_above(a, b), a, b);
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
DEV_INLINE vf vf_interleave_half(__m256 a, __m256 b)
{
    __m256 x = _mm256_unpacklo_ps(a, b), y = _mm256_unpackhi_ps(a, b);

    return vf_of_halves(_mm256_permute2f128_ps(x, y, 0x20), _mm256_permute2f128_ps(x, y, 0x31));
}
#endif

/* a0 b0 a1 b1 … a7 b7; vf_interleave_high: a8 b8 … a15 b15. */
DEV_INLINE vf vf_interleave_low(vf a, vf b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return vf_interleave_half(halves_of(a).low, halves_of(b).low);
#else
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#endif
}

DEV_INLINE vf vf_interleave_high(vf a, vf b)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return vf_interleave_half(halves_of(a).high, halves_of(b).high);
#else
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
#endif
}

/* Lane i gets lane i + step, for the lower lanes that a reduction looks at. */
#define VF_UPPER(x, step)                                                                          \
    __builtin_shufflevector(x, x, 0 + (step), 1 + (step), (2 + (step)) % 16, (3 + (step)) % 16,    \
                            (4 + (step)) % 16, (5 + (step)) % 16, (6 + (step)) % 16,               \
                            (7 + (step)) % 16, 8, 9, 10, 11, 12, 13, 14, 15)

/* The tree is: the upper half added to the lower one, four times. */
DEV_INLINE float vf_sum(vf x)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    struct halves h = halves_of(x);
    __m256 eight = _mm256_add_ps(h.low, h.high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
#else
    x += VF_UPPER(x, 8);
    x += VF_UPPER(x, 4);
    x += VF_UPPER(x, 2);
    x += VF_UPPER(x, 1);
    return x[0];
#endif
}

DEV_INLINE float vf_largest(vf x)
{
#ifdef __aarch64__
    float32x4_t q[DEV_QUARTERS], one;

    memcpy(q, &x, sizeof q);
    one = vf_quarter_max(vf_quarter_max(q[0], q[2]), vf_quarter_max(q[1], q[3]));
    one = vf_quarter_max(one, vextq_f32(one, one, 2));
    one = vf_quarter_max(one, vextq_f32(one, one, 1));
    return vgetq_lane_f32(one, 0);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    struct halves h = halves_of(x);
    __m256 eight = _mm256_max_ps(h.low, h.high);
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));

    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
#else
    x = vf_max(x, VF_UPPER(x, 8));
    x = vf_max(x, VF_UPPER(x, 4));
    x = vf_max(x, VF_UPPER(x, 2));
    x = vf_max(x, VF_UPPER(x, 1));
    return x[0];
#endif
}

/*
 * e^x, relative error below 2e-7; 0 below -87.3, where the result would be denormal; never
 * infinite, as x is cut at 88; NaN stays NaN.
 *
 * With n = round(x / ln 2) and r = x - n ln 2, |r| <= ln 2 / 2, e^x = 2^n e^r.  ln 2 is subtracted
 * in two parts of which n times the first is exact in float (Cody and Waite), e^r is a polynomial
 * of degree 7 with the coefficients of Cephes' expf, and 2^n is n + 127 put into the exponent bits.
 */
DEV_INLINE vf vf_exp(vf x)
{
    const vf magic = vf_set(12582912.0f);  /* 1.5 * 2^23: adding it rounds to an integer */
    const int32_t magic_bits = 0x4b400000; /* where that integer stands in the last bits */
    vi tiny = vf_above(vf_set(-87.3f), x), whole;
    vf n, r, p;

    x = vf_select(vf_above(x, vf_set(88.0f)), vf_set(88.0f), x);
    x = vf_select(tiny, vf_set(0.0f), x);
    n = x * vf_set(1.44269504088896341f) + magic;
    whole = (vi) n - magic_bits;
    n = n - magic;
    r = x - n * vf_set(0.693359375f);
    r = r - n * vf_set(-2.12194440e-4f);
    p = vf_set(1.9875691500e-4f);
    p = p * r + vf_set(1.3981999507e-3f);
    p = p * r + vf_set(8.3334519073e-3f);
    p = p * r + vf_set(4.1665795894e-2f);
    p = p * r + vf_set(1.6666665459e-1f);
    p = p * r + vf_set(5.0000001201e-1f);
    p = p * r * r + r + vf_set(1.0f);
    p = p * (vf) ((whole + 127) << 23);
    return vf_select(tiny, vf_set(0.0f), p);
}

/* ---- dropout bits, 128 elements at a time ---- */

/*
 * High and low halves of the 16 products a[i] * b.  The instruction multiplies 32-bit numbers in
 * even lanes to 64 bits, so odd lanes are shifted down, multiplied by a second one and blended in.
 */
DEV_INLINE void vu_mul(vu a, uint32_t b, vu *high, vu *low)
{
#if defined(__AVX512F__)
    __m512i m = _mm512_set1_epi32((int) b);
    __m512i even = _mm512_mul_epu32((__m512i) a, m);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i) a, 32), m);

    *low = (vu) _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
    *high = (vu) _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
#elif defined(__AVX2__)
    __m256i half[2], m = _mm256_set1_epi32((int) b), lo[2], hi[2];

    memcpy(half, &a, sizeof half);
    for (int i = 0; i < 2; i++) {
        __m256i even = _mm256_mul_epu32(half[i], m);
        __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(half[i], 32), m);

        lo[i] = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
        hi[i] = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    }
    memcpy(low, lo, sizeof lo);
    memcpy(high, hi, sizeof hi);
#elif defined(__aarch64__)
    uint32x4_t quarter[DEV_QUARTERS], lo[DEV_QUARTERS], hi[DEV_QUARTERS];

    memcpy(quarter, &a, sizeof quarter);
    for (int i = 0; i < DEV_QUARTERS; i++) {
        uint32x4_t x = vreinterpretq_u32_u64(vmull_n_u32(vget_low_u32(quarter[i]), b));
        uint32x4_t y = vreinterpretq_u32_u64(vmull_high_n_u32(quarter[i], b));

        lo[i] = vuzp1q_u32(x, y);
        hi[i] = vuzp2q_u32(x, y);
    }
    memcpy(low, lo, sizeof lo);
    memcpy(high, hi, sizeof hi);
#else
    for (int i = 0; i < DEV_LANES; i++) {
        uint64_t product = (uint64_t) a[i] * b;

        (*high)[i] = (uint32_t) (product >> 32);
        (*low)[i] = (uint32_t) product;
    }
#endif
}

/* The four words of the 16 blocks of group `group` (dropout_bits.h): Philox4x32 with ten rounds
 * (Salmon et al. 2011), lane i for block 16 * group + i, the same numbers as t2_philox in
 * base/rng.h. 20 calls of vu_mul serve 128 elements. */
DEV_INLINE void dropout_words(const struct dev_dropout *d, uint32_t group, vu word[4])
{
    vu c0 = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vu c1 = (vu){0} + d->step->dropout_step[0], c2 = (vu){0} + d->site,
       c3 = (vu){0} + d->step->dropout_step[1];
    uint32_t k0 = d->step->dropout_key[0], k1 = d->step->dropout_key[1];

    c0 += group * DEV_LANES;
    for (int round = 0; round < 10; round++) {
        vu high0, low0, high1, low1;

        vu_mul(c0, 0xD2511F53u, &high0, &low0);
        vu_mul(c2, 0xCD9E8D57u, &high1, &low1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    word[0] = c0;
    word[1] = c1;
    word[2] = c2;
    word[3] = c3;
}

/* Factors (0 or scale) of the j-th 16 elements of a group whose words are given. */
DEV_INLINE vf dropout_factors(const struct dev_dropout *d, const vu word[4], int j)
{
    vi bits = (vi) ((word[j / 2] >> (16 * (uint32_t) (j % 2))) & 0xffffu);
    vi keep = vi_above(bits, (vi){0} + (int32_t) d->threshold - 1);

    return (vf) (keep & (vi) vf_set(d->scale));
}

/* The 128 factors of a group. */
DEV_INLINE void dropout_group(const struct dev_dropout *d, uint64_t group, float factor[128])
{
    vu word[4];

    dropout_words(d, (uint32_t) group, word);
    for (int j = 0; j < 8; j++)
        vf_store(factor + DEV_LANES * j, dropout_factors(d, word, j));
}

#endif
