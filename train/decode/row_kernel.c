/*
 * train/decode/row_kernel.c - maxima and sum of exponentials of a row of logits (V).
 *
 * Plain loops over 16 lanes, which the compiler makes vectors of for every variant: 64-byte vectors
 * (device/cpu/simd.h) are taken apart lane by lane where the machine has shorter ones, as soon as
 * they are compared.  The maximum of each lane of each group of GROUP values is kept, (V / GROUP,
 * LANES): with it row_scan.c skips nearly all of the row when it looks for the best.  Sums use 32
 * partial sums and one tree, the same for all variants.
 */
#include "train/decode/row_kernel.h"

#include <string.h>

#define NAME2(a, b) a##_##b
#define NAME(a, b) NAME2(a, b)

enum { LANES = DEC_ROW_LANES, GROUP = DEC_ROW_GROUP };

static const float lowest = -3.402823466e38f;

/* e^x for x <= 0, relative error below 2e-7; about 1e-38 for all below -87.3; NaN stays NaN.  The
 * same method as vf_exp of simd.h; the integer is read from the bits of the rounded sum. */
static inline float exp_of(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2^23: its last bits become the rounded sum */
    const uint32_t magic_bits = 0x4b400000u;
    float rounded, r, p, scale;
    uint32_t bits;

    x = x < -87.3f ? -87.3f : x;
    rounded = x * 1.44269504088896341f + magic;
    memcpy(&bits, &rounded, sizeof bits);
    rounded -= magic;
    r = x - rounded * 0.693359375f;
    r = r - rounded * -2.12194440e-4f;
    p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    bits = (bits - magic_bits + 127u) << 23;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* Lane maxima of n <= GROUP values. */
static void group_max(const float *restrict x, int32_t n, float *restrict max)
{
    for (int l = 0; l < LANES; l++)
        max[l] = lowest;
    if (n == GROUP) {
        for (int j = 0; j < GROUP; j += LANES)
            for (int l = 0; l < LANES; l++)
                max[l] = larger(x[j + l], max[l]);
    } else {
        for (int32_t i = 0; i < n; i++)
            max[i % LANES] = larger(x[i], max[i % LANES]);
    }
}

static float row_max(const float *x, int32_t n, float *lane_max)
{
    float all[LANES], best = lowest;

    for (int l = 0; l < LANES; l++)
        all[l] = lowest;
    for (int32_t at = 0; at < n; at += GROUP, lane_max += LANES) {
        group_max(x + at, n - at < GROUP ? n - at : GROUP, lane_max);
        for (int l = 0; l < LANES; l++)
            all[l] = larger(lane_max[l], all[l]);
    }
    for (int l = 0; l < LANES; l++)
        best = larger(all[l], best);
    return best;
}

static float row_sum_exp(const float *x, int32_t n, float shift)
{
    float sum[2 * LANES] = {0};
    int32_t i = 0;

    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (int l = 0; l < 2 * LANES; l++)
            sum[l] += exp_of(x[i + l] - shift);
    for (int l = 0; i < n; i++, l++)
        sum[l] += exp_of(x[i] - shift);
    for (int step = LANES; step > 0; step /= 2) /* always the same tree */
        for (int l = 0; l < step; l++)
            sum[l] += sum[l + step];
    return sum[0];
}

const struct dec_row_kernel NAME(dec_row_kernel, DEV_CPU_VARIANT) = {row_max, row_sum_exp};
