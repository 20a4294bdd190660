/*
 * train/decode/row_kernel.h - the two passes over a row, once per CPU variant (row_kernel.c).
 */
#ifndef DEC_ROW_KERNEL_H
#define DEC_ROW_KERNEL_H

#include <stdint.h>

/* Values are looked at in groups; each group gives one maximum per lane: lane l has the values l,
 * l + DEC_ROW_LANES, ... of the group. */
enum { DEC_ROW_LANES = 16, DEC_ROW_GROUP = 256 };

struct dec_row_kernel {
    /* Lane maxima of all groups into lane_max; returns the largest of all.  A NaN is passed
     * over. */
    float (*max)(const float *x, int32_t n, float *lane_max);
    /* Sum of e^(x - shift), for x <= shift.  NaN when one of them is. */
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
