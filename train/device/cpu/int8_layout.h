/*
 * train/device/cpu/int8_layout.h - how 8-bit weights are packed on the CPU: what packing
 * (packed_int8.c) and products (int8_products.c) share.
 *
 * Panels of columns, for each four k the columns' bytes side by side: columns x 4.  How many
 * columns and which of the factors is made unsigned, as the instructions want one to be, is a
 * matter of the processor alone.
 *
 * quads (AVX512-VNNI): vpdpbusd adds four products of an unsigned and a signed byte to each of 16
 * sums.  The weights are the unsigned ones, as w + 128, so that A stays as it is and can be
 * broadcast from memory; 128 times the sum of the row of A, known since that was rounded, is
 * subtracted at the end.  A panel has 64 columns.  6 rows x 4 registers of sums; of K = 512 a panel
 * is 32 KiB and stays in the first-level cache.
 *
 * tiles (AMX-INT8): the same panels, 16 rows of A and 64 k at once, where K is a multiple of 64.
 *
 * pairs (AVX2, AVX-512 without VNNI): vpmaddubsw adds two products in 16 bits, and would saturate
 * beyond: neighbours of a column, which are rounded so that their sizes add up to 128 at most,
 * times bytes of 255 at most do not get there.  Three instructions for 32 products.  A is the
 * unsigned one, as a + 128, and sums begin with -128 times the sum of the column.  A panel has 16
 * columns.  The generic variant does the same in plain C.
 *
 * Whole numbers are the same bits in all of them.  Packed: scales of the columns, a whole number of
 * panels of them; with pairs what their sums begin with; then the panels, of a whole number of four
 * k; what is beyond is 0.
 */
#ifndef DEV_CPU_INT8_LAYOUT_H
#define DEV_CPU_INT8_LAYOUT_H

#include "train/device/cpu/packed_parts.h"

enum { DEV_INT8_PAIRS = 16, DEV_INT8_QUADS = 64 }; /* columns of a panel */

enum { DEV_INT8_GROUP = 4 }; /* of k */

#if defined(__AVX512F__)
DEV_INLINE bool dev_int8_has_quads(void)
{
    return __builtin_cpu_supports("avx512vnni");
}
#else
DEV_INLINE bool dev_int8_has_quads(void)
{
    return false;
}
#endif

DEV_INLINE int64_t dev_int8_width(void)
{
    return dev_int8_has_quads() ? DEV_INT8_QUADS : DEV_INT8_PAIRS;
}

DEV_INLINE int64_t dev_int8_whole(int64_t n, int64_t multiple)
{
    return dev_cpu_div_up(n, multiple) * multiple;
}

/* Floats of the scales, and of what sums begin with, ahead of the panels. */
DEV_INLINE int64_t dev_int8_ahead(int64_t N)
{
    return (dev_int8_has_quads() ? 1 : 2) * dev_int8_whole(N, dev_int8_width());
}

/* ---- numbers ---- */

/* Plain loops over bits and rounded numbers, which the compiler makes vectors of. */
DEV_INLINE uint32_t dev_int8_largest_bits(const float *x, int64_t n)
{
    uint32_t largest = 0;

    for (int64_t k = 0; k < n; k++) {
        uint32_t bits = dev_abs_bits(x[k]);

        largest = bits > largest ? bits : largest;
    }
    return largest;
}

/* y (n), at most DEV_CPU_BLOCK of them, to the nearest whole numbers, ties to even: the last bits
 * of a float beyond 2^23 are whole numbers.  y is a product, which is rounded before, as
 * everywhere: it lies in memory, so that no fused multiply-add is made of both. */
DEV_INLINE void dev_int8_round_all(const float *restrict y, int64_t n, int32_t *restrict q)
{
    __asm__("" : : "r"(y) : "memory");
    for (int64_t k = 0; k < n; k++)
        q[k] = (int32_t) dev_float_bits(y[k] + 12582912.0f) - 0x4b400000;
}

DEV_INLINE void dev_int8_round_row(const float *restrict x, int64_t n, float factor,
                                   int32_t *restrict q)
{
    float y[DEV_CPU_BLOCK];

    for (int64_t k = 0; k < n; k++)
        y[k] = x[k] * factor;
    dev_int8_round_all(y, n, q);
}

#endif
