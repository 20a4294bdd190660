/*
 * train/device/packed_kernels.h - arguments of products with weights that are packed once and used
 * many times, in searches; a part of kernels.h.
 */
#ifndef DEV_PACKED_KERNELS_H
#define DEV_PACKED_KERNELS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "train/device/layer_kernels.h"
#include "train/device/types.h"

/* Sums of products of 8 bits stay in 32 bits up to so many. */
enum { DEV_PACKED_MOST_K = 65536 };

/* 127 and what rounding adds; 128 * 255 fits 16 bits. */
enum { DEV_INT8_MOST_OF_TWO = 128 };

/*
 * Weights, op(B) (K,N): B is (K,N), or, with trans_b, (N,K); float32, row stride ldb.  They are
 * packed as what the device multiplies best, in pack_scratch_floats floats:
 *   DEV_FLOAT32: the same numbers; DEV_BFLOAT16: rounded to the nearest, ties to even
 *   DEV_INT8: column n as whole numbers q = B * (127 / s), rounded to nearest, ties to even, and
 *     its scale s / 127, s the largest |B[k]| + |B[k + 1]| of an even k: two neighbours' sizes add
 *     up to DEV_INT8_MOST_OF_TWO at most, so that their products with two bytes fit 16 bits
 * K is at most DEV_PACKED_MOST_K.
 */
struct dev_pack_args {
    enum dev_type type;
    bool trans_b;
    int64_t K, N;
    /* Columns [first, first + n) alone, which B begins with: `first` a multiple of 64, not of the
     * device cuda.  n 0: all. */
    int64_t first, n;
    const float *B;
    /* In place of B, which is NULL then: whole numbers, as B, and scales (n), of each column one.
     * Columns of which neighbours' sizes add up to as little are packed as they are, others as B =
     * scale * whole.  DEV_INT8 of devices that read the host's memory alone. */
    const int8_t *whole;
    const float *scales;
    int64_t ldb;
    float *packed;
};

/*
 * C (M,N) = activation(A B + bias), A (M,K) and C float32, rows without gaps; bias (N) may be NULL.
 * With DEV_BFLOAT16 rows of A are multiplied as they are, or rounded to bfloat16, too, where the
 * processor has faster products of these (the CPU: AVX512-BF16 of AMD).
 * With DEV_INT8 row m of A becomes whole numbers A * (127 / s) and a scale s / 127, s its largest
 * absolute value; sums of products are exact, and
 *   A B = (float) sum * (scale of the row * scale of the column).
 * A row with a number that is not finite gives NaN.
 * A row of C depends on that row of A alone, to the last bit: not on M.
 */
struct dev_packed_gemm {
    enum dev_type type;
    int64_t M, N, K;
    const float *A;
    const float *packed;
    float *C;
    const float *bias;
    enum dev_activation activation;
    const struct dev_live *live; /* of M rows; NULL: all */
    float *scratch;              /* packed_gemm_scratch_floats */
};

/* ---- what all devices compute alike ---- */

/* From the largest size in a row or column, as its bits, which order numbers that are not
 * negative, and NaN behind them: what numbers are multiplied by, and the scale. */
static inline float dev_int8_factor(uint32_t largest_bits)
{
    float largest = dev_bits_float(largest_bits);

    /* of the smallest numbers 127 / largest would be infinite */
    return largest_bits >= 0x7f800000u || largest < 1e-36f ? 0.0f : 127.0f / largest;
}

static inline float dev_int8_scale(uint32_t largest_bits)
{
    float largest = dev_bits_float(largest_bits);

    return largest_bits >= 0x7f800000u ? dev_bits_float(0x7fc00000u) : largest / 127.0f;
}

static inline uint32_t dev_abs_bits(float x)
{
    return dev_float_bits(x) & 0x7fffffffu;
}

/* Of two neighbours x and y of a column: what the largest of decides the column's scale. */
static inline uint32_t dev_int8_size_of_two(float x, float y)
{
    return dev_abs_bits(dev_bits_float(dev_abs_bits(x)) + dev_bits_float(dev_abs_bits(y)));
}

/* |x| is at most what the factor was made from. */
static inline int32_t dev_int8_of(float x, float factor)
{
    return factor == 0.0f ? 0 : (int32_t) rintf(x * factor);
}

#endif
