/*
 * train/decode/row_kernel.c - maxima and sum of exponentials of a row of logits.
 */
#include "train/decode/row_kernel.h"

#include "train/decode/row_scan.h"
#include "train/device/cpu/simd.h"

static const float lowest = -3.402823466e38f;

static float max_of(const float *x, int32_t n)
{
    vf top = vf_set(lowest);
    float best;
    int32_t i = 0;

    for (; i + DEV_LANES <= n; i += DEV_LANES)
        top = vf_max(top, vf_load(x + i));
    best = vf_largest(top);
    for (; i < n; i++)
        best = x[i] > best ? x[i] : best;
    return best;
}

static float row_max(const float *x, int32_t n, float *block_max)
{
    float best = lowest;

    for (int32_t at = 0, b = 0; at < n; at += DEC_ROW_BLOCK, b++) {
        block_max[b] = max_of(x + at, n - at < DEC_ROW_BLOCK ? n - at : DEC_ROW_BLOCK);
        best = block_max[b] > best ? block_max[b] : best;
    }
    return best;
}

static float row_sum_exp(const float *x, int32_t n, float shift)
{
    vf sum[2] = {{0}, {0}}, s = vf_set(shift);
    int32_t i = 0;

    for (; i + 2 * DEV_LANES <= n; i += 2 * DEV_LANES) {
        sum[0] += vf_exp(vf_load(x + i) - s);
        sum[1] += vf_exp(vf_load(x + i + DEV_LANES) - s);
    }
    for (; i < n; i += DEV_LANES) {
        vf last = s - 1000.0f; /* lanes behind the end give 0 */

        memcpy(&last, x + i, sizeof *x * (size_t) (n - i < DEV_LANES ? n - i : DEV_LANES));
        sum[0] += vf_exp(last - s);
    }
    return vf_sum(sum[0] + sum[1]);
}

const struct dec_row_kernel DEV_CPU(dec_row_kernel) = {row_max, row_sum_exp};
