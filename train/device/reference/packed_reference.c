/*
 * train/device/reference/packed_reference.c - products with packed weights in plain loops.
 *
 * Packed float32 are the N columns one behind the other, and bfloat16 the same, rounded; int8 the N
 * scales, then the columns of bytes.
 */
#include <stdlib.h>

#include "train/device/reference/reference_kernels.h"

static int64_t place(const struct dev_pack_args *a, int64_t k, int64_t n)
{
    return a->trans_b ? (n - a->first) * a->ldb + k : k * a->ldb + n - a->first;
}

static float weight(const struct dev_pack_args *a, int64_t k, int64_t n)
{
    int64_t at = place(a, k, n);

    return a->B ? a->B[at] : a->scales[n - a->first] * (float) a->whole[at];
}

/* Two neighbours' size as a column has them, 0 behind its end. */
static uint32_t size_of_two(const struct dev_pack_args *a, int64_t k, int64_t n)
{
    return dev_int8_size_of_two(weight(a, k, n), k + 1 < a->K ? weight(a, k + 1, n) : 0.0f);
}

/* Does column n of whole numbers stay as it is? */
static bool fits(const struct dev_pack_args *a, int64_t n)
{
    int largest = 0;

    for (int64_t k = 0; k < a->K; k += 2) {
        int size = abs(a->whole[place(a, k, n)]);

        if (k + 1 < a->K)
            size += abs(a->whole[place(a, k + 1, n)]);
        largest = size > largest ? size : largest;
    }
    return largest <= DEV_INT8_MOST_OF_TWO;
}

static void pack_column(const struct dev_pack_args *a, int64_t n)
{
    int8_t *bytes = (int8_t *) (a->packed + a->N) + n * a->K;
    uint32_t largest = 0;
    float factor;

    if (a->whole && fits(a, n)) {
        a->packed[n] = a->scales[n - a->first];
        for (int64_t k = 0; k < a->K; k++)
            bytes[k] = a->whole[place(a, k, n)];
        return;
    }
    for (int64_t k = 0; k < a->K; k += 2) {
        uint32_t bits = size_of_two(a, k, n);

        largest = bits > largest ? bits : largest;
    }
    factor = dev_int8_factor(largest);
    a->packed[n] = dev_int8_scale(largest);
    for (int64_t k = 0; k < a->K; k++)
        bytes[k] = (int8_t) dev_int8_of(weight(a, k, n), factor);
}

void dev_reference_pack(struct dev *d, const struct dev_pack_args *a)
{
    int64_t end = a->n > 0 ? a->first + a->n : a->N;

    (void) d;
    for (int64_t n = a->first; n < end; n++)
        if (a->type == DEV_INT8)
            pack_column(a, n);
        else
            for (int64_t k = 0; k < a->K; k++)
                a->packed[n * a->K + k] = a->type == DEV_BFLOAT16
                                              ? dev_from_bfloat16(dev_bfloat16(weight(a, k, n)))
                                              : weight(a, k, n);
}

int64_t dev_reference_pack_scratch(const struct dev *d, enum dev_type type, int64_t K, int64_t N)
{
    (void) d;
    return type == DEV_INT8 ? N + (N * K + 3) / 4 : N * K;
}

static float sum_int8(const struct dev_packed_gemm *a, const float *x, uint32_t largest, int64_t n)
{
    const int8_t *w = (const int8_t *) (a->packed + a->N) + n * a->K;
    float factor = dev_int8_factor(largest);
    int32_t sum = 0;

    for (int64_t k = 0; k < a->K; k++)
        sum += dev_int8_of(x[k], factor) * w[k];
    return (float) sum * (dev_int8_scale(largest) * a->packed[n]);
}

static float sum_float(const struct dev_packed_gemm *a, const float *x, int64_t n)
{
    float sum = 0.0f;

    for (int64_t k = 0; k < a->K; k++)
        sum += x[k] * a->packed[n * a->K + k];
    return sum;
}

void dev_reference_packed_gemm(struct dev *d, const struct dev_packed_gemm *a)
{
    (void) d, (void) a->scratch;
    for (int64_t m = 0; m < a->M; m++) {
        const float *x = a->A + m * a->K;
        uint32_t largest = 0;

        for (int64_t k = 0; k < a->K; k++)
            largest = dev_abs_bits(x[k]) > largest ? dev_abs_bits(x[k]) : largest;
        for (int64_t n = 0; n < a->N; n++) {
            float y = a->type == DEV_INT8 ? sum_int8(a, x, largest, n) : sum_float(a, x, n);

            if (a->bias)
                y += a->bias[n];
            if (a->activation == DEV_RELU)
                y = y < 0.0f ? 0.0f : y; /* NaN stays */
            a->C[m * a->N + n] = y;
        }
    }
}

int64_t dev_reference_packed_gemm_scratch(const struct dev *d, const struct dev_packed_gemm *a)
{
    (void) d, (void) a;
    return 0;
}
