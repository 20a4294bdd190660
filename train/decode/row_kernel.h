/*
 * train/decode/row_kernel.h - the two passes over a row, once per CPU variant (row_kernel.c).
 */
#ifndef DEC_ROW_KERNEL_H
#define DEC_ROW_KERNEL_H

#include <stdint.h>

struct dec_row_kernel {
    /* Largest of each DEC_ROW_BLOCK values into block_max; returns the largest of all. */
    float (*max)(const float *x, int32_t n, float *block_max);
    /* Sum of e^(x - shift), for x <= shift. */
    float (*sum_exp)(const float *x, int32_t n, float shift);
};

extern const struct dec_row_kernel dec_row_kernel_generic;
#ifdef T2_HAVE_CPU_avx2
extern const struct dec_row_kernel dec_row_kernel_avx2;
#endif
#ifdef T2_HAVE_CPU_avx512
extern const struct dec_row_kernel dec_row_kernel_avx512;
#endif

#endif
