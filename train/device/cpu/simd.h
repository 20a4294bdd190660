/*
 * train/device/cpu/simd.h - one register of floats, as wide as the variant has them: for the
 * kernels of the cpu device.
 *
 * GCC's and clang's vector extension: the same source gives AVX-512, AVX2, SSE2 or NEON code,
 * depending on the variant it is compiled for (DEV_CPU_VARIANT), and plain C elsewhere.  A vector
 * is one register, of 16, 8 or 4 floats.  (With 64 bytes everywhere GCC 12 kept what lives through
 * a loop in memory where registers are shorter, and copied it there eight bytes at a time.)  So a
 * sum has another number of partial sums in each variant, which differ in the last bits anyway: all
 * but the generic one are compiled with fused multiply-add, which rounds once where that rounds
 * twice.
 *
 * Remainders are loaded with memcpy and zeros behind them, never by a masked load beyond the end: a
 * row may end at a page that cannot be read.
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

#if defined(__AVX512F__)
enum { DEV_LANES = 16 };
#elif defined(__AVX2__)
enum { DEV_LANES = 8 };
#else
enum { DEV_LANES = 4 };
#endif

/* Floats of a cache line, whatever the variant: what parts of scratch memory and padded rows are
 * whole numbers of, so that they are whole vectors, too. */
enum { DEV_LINE = 16 };

typedef float vf __attribute__((vector_size(4 * DEV_LANES)));
typedef int32_t vi __attribute__((vector_size(4 * DEV_LANES)));
typedef uint32_t vu __attribute__((vector_size(4 * DEV_LANES)));
typedef uint16_t vh __attribute__((vector_size(2 * DEV_LANES)));
typedef float vf_unaligned __attribute__((vector_size(4 * DEV_LANES), aligned(4), may_alias));

#define DEV_INLINE static inline __attribute__((always_inline))

DEV_INLINE vf vf_set(float x)
{
    return x - (vf){0};
}

DEV_INLINE vf vf_load(const float *p)
{
    return (vf) * (const vf_unaligned *) p;
}

DEV_INLINE void vf_store(float *p, vf x)
{
    *(vf_unaligned *) p = (vf_unaligned) x;
}

/* The first n lanes, the others 0; n < DEV_LANES. */
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

/* a b + c, rounded once where the variant has the instruction. */
DEV_INLINE vf vf_multiply_add(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
    return (vf) _mm512_fmadd_ps((__m512) a, (__m512) b, (__m512) c);
#elif defined(__AVX2__)
    return (vf) _mm256_fmadd_ps((__m256) a, (__m256) b, (__m256) c);
#else
    return a * b + c;
#endif
}

/* Where a > b a lane is all ones, else all zeros. */
DEV_INLINE vi vi_above(vi a, vi b)
{
    return (vi) (a > b);
}

DEV_INLINE vi vf_above(vf a, vf b)
{
    return (vi) (a > b);
}

/* A lane of the mask is all ones (yes) or all zeros (no), as a comparison of vectors gives it. */
DEV_INLINE vf vf_select(vi mask, vf yes, vf no)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (vf) _mm256_blendv_ps((__m256) no, (__m256) yes, (__m256) mask);
#else
    return (vf) ((mask & (vi) yes) | (~mask & (vi) no));
#endif
}

/* All forms return b where either operand is NaN, as the instruction does.  So a NaN in the
 * running maximum `a` is lost at the next step; callers that must keep it rely on the sum of
 * exponentials, which becomes NaN. */
DEV_INLINE vf vf_max(vf a, vf b)
{
#if defined(__AVX512F__)
    return (vf) _mm512_max_ps((__m512) a, (__m512) b);
#elif defined(__AVX2__)
    return (vf) _mm256_max_ps((__m256) a, (__m256) b);
#else
    return vf_select(vf_above(a, b), a, b);
#endif
}

/* The first halves of a and b, lane by lane: a0 b0 a1 b1 ...; vf_interleave_high: the second. */
#if defined(__AVX512F__)
#define VF_LOW_LANES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define VF_HIGH_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX2__)
#define VF_LOW_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define VF_HIGH_LANES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define VF_LOW_LANES 0, 4, 1, 5
#define VF_HIGH_LANES 2, 6, 3, 7
#endif

DEV_INLINE vf vf_interleave_low(vf a, vf b)
{
    return __builtin_shufflevector(a, b, VF_LOW_LANES);
}

DEV_INLINE vf vf_interleave_high(vf a, vf b)
{
    return __builtin_shufflevector(a, b, VF_HIGH_LANES);
}

/* ---- over the lanes ---- */

typedef float vf_four __attribute__((vector_size(16)));

/* COMBINE of the upper half of the lanes and the lower one, until four are left. */
#if defined(__AVX2__)
#define VF_HALVE(eight, combine)                                                                   \
    (vf_four) combine(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1))
#endif
#if defined(__AVX512F__)
#define VF_FOUR(x, combine_8, combine_4)                                                           \
    VF_HALVE(combine_8(_mm512_castps512_ps256((__m512) (x)),                                       \
                       _mm512_extractf32x8_ps((__m512) (x), 1)),                                   \
             combine_4)
#elif defined(__AVX2__)
#define VF_FOUR(x, combine_8, combine_4) VF_HALVE((__m256) (x), combine_4)
#else
#define VF_FOUR(x, combine_8, combine_4) (x)
#endif

/* The tree is: the upper half added to the lower one, until one is left. */
DEV_INLINE float vf_sum(vf x)
{
    vf_four four = VF_FOUR(x, _mm256_add_ps, _mm_add_ps);

    return (four[0] + four[2]) + (four[1] + four[3]);
}

DEV_INLINE float larger_of(float a, float b)
{
    return a > b ? a : b;
}

DEV_INLINE float vf_largest(vf x)
{
    vf_four four = VF_FOUR(x, _mm256_max_ps, _mm_max_ps);

    return larger_of(larger_of(four[0], four[2]), larger_of(four[1], four[3]));
}

/* ---- 16-bit floats: the vectors of types.h ---- */

/* Each lane of 16 bits as one of 32, and back (of numbers below 2^16).  GCC 12 makes four, and two,
 * instructions more of the conversion of vectors where registers have 32 bytes. */
DEV_INLINE vu vu_from_halves(vh h)
{
#if defined(__AVX512F__)
    return (vu) _mm512_cvtepu16_epi32((__m256i) h);
#elif defined(__AVX2__)
    return (vu) _mm256_cvtepu16_epi32((__m128i) h);
#else
    return __builtin_convertvector(h, vu);
#endif
}

DEV_INLINE vh vh_from_words(vu x)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    return (vh) _mm_packus_epi32(_mm256_castsi256_si128((__m256i) x),
                                 _mm256_extracti128_si256((__m256i) x, 1));
#else
    return __builtin_convertvector(x, vh);
#endif
}

/* bfloat16 in the upper half of each lane, anything below: to nearest, ties to even; NaN becomes a
 * quiet NaN, as rounding up could carry it into infinity. */
DEV_INLINE vu vu_bfloat16(vf x)
{
    vu bits = (vu) x, quiet = bits | 0x00400000u;
    vu near = bits + 0x7fffu + (bits >> 16 & 1u);

    return (vu) vf_select((vi) (x != x), (vf) quiet, (vf) near);
}

DEV_INLINE vf vf_from_float16(vh h)
{
#if defined(__AVX512F__)
    return (vf) _mm512_cvtph_ps((__m256i) h);
#elif defined(__F16C__)
    return (vf) _mm256_cvtph_ps((__m128i) h);
#elif defined(__aarch64__)
    return (vf) vcvt_f32_f16((float16x4_t) h);
#else
    vu bits = vu_from_halves(h), size = (bits & 0x7fffu) << 13;
    vu special = (vu) vi_above((vi) size, (vi){0} + 0x0f7fffff), sign = (bits & 0x8000u) << 16;
    vu finite = (vu) ((vf) size * vf_set(0x1p112f));

    return (vf) (sign | (special & (size | 0x7f800000u)) | (~special & finite));
#endif
}

DEV_INLINE vh vh_float16(vf x)
{
#if defined(__AVX512F__)
    return (vh) _mm512_cvtps_ph((__m512) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__F16C__)
    return (vh) _mm256_cvtps_ph((__m256) x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__aarch64__)
    return (vh) vcvt_f16_f32((float32x4_t) x);
#else
    vh h;

    for (int i = 0; i < DEV_LANES; i++)
        h[i] = dev_float16(x[i]);
    return h;
#endif
}

/* Elements i .. i + DEV_LANES - 1 of a tensor of a float type. */
DEV_INLINE vf vf_get(enum dev_type type, const void *p, int64_t i)
{
    vh h;

    if (type == DEV_FLOAT32)
        return vf_load((const float *) p + i);
    memcpy(&h, (const uint16_t *) p + i, sizeof h);
    return type == DEV_FLOAT16 ? vf_from_float16(h) : (vf) (vu_from_halves(h) << 16);
}

DEV_INLINE void vf_put(enum dev_type type, void *p, int64_t i, vf x)
{
    vh h;

    if (type == DEV_FLOAT32) {
        vf_store((float *) p + i, x);
        return;
    }
    h = type == DEV_FLOAT16 ? vh_float16(x) : vh_from_words(vu_bfloat16(x) >> 16);
    memcpy((uint16_t *) p + i, &h, sizeof h);
}

/* ---- exponential ---- */

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
 * High and low halves of the products a[i] * b.  The instruction multiplies 32-bit numbers in even
 * lanes to 64 bits, so odd lanes are shifted down, multiplied by a second one and blended in.
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
    __m256i m = _mm256_set1_epi32((int) b);
    __m256i even = _mm256_mul_epu32((__m256i) a, m);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i) a, 32), m);

    *low = (vu) _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    *high = (vu) _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#elif defined(__aarch64__)
    uint32x4_t x = vreinterpretq_u32_u64(vmull_n_u32(vget_low_u32((uint32x4_t) a), b));
    uint32x4_t y = vreinterpretq_u32_u64(vmull_high_n_u32((uint32x4_t) a, b));

    *low = (vu) vuzp1q_u32(x, y);
    *high = (vu) vuzp2q_u32(x, y);
#else
    for (int i = 0; i < DEV_LANES; i++) {
        uint64_t product = (uint64_t) a[i] * b;

        (*high)[i] = (uint32_t) (product >> 32);
        (*low)[i] = (uint32_t) product;
    }
#endif
}

/* The four words of DEV_LANES blocks from `block` on: Philox4x32 with ten rounds (Salmon et al.
 * 2011), lane i for block + i, the same numbers as t2_philox in base/rng.h.  20 calls of vu_mul
 * serve 8 DEV_LANES elements. */
DEV_INLINE void dropout_words(const struct dev_dropout *d, uint32_t block, vu word[4])
{
    static const uint32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vu c0, c1 = (vu){0} + d->step->dropout_step[0], c2 = (vu){0} + d->site,
           c3 = (vu){0} + d->step->dropout_step[1];
    uint32_t k0 = d->step->dropout_key[0], k1 = d->step->dropout_key[1];

    memcpy(&c0, lane, sizeof c0);
    c0 += block;
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

/* The 128 factors (0 or scale) of a group: dropout_bits.h. */
DEV_INLINE void dropout_group(const struct dev_dropout *d, uint64_t group, float factor[128])
{
    for (int lane = 0; lane < 16; lane += DEV_LANES) {
        vu word[4];

        dropout_words(d, 16 * (uint32_t) group + (uint32_t) lane, word);
        for (int j = 0; j < 8; j++) {
            vi bits = (vi) ((word[j / 2] >> (16 * (uint32_t) (j % 2))) & 0xffffu);
            vi keep = vi_above(bits, (vi){0} + (int32_t) d->threshold - 1);

            vf_store(factor + 16 * j + lane, (vf) (keep & (vi) vf_set(d->scale)));
        }
    }
}

#endif
