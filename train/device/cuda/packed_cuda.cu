/*
 * train/device/cuda/packed_cuda.cu - products with packed weights: a thread an element of the
 * result, and before that, of int8, a thread a row for its whole numbers.
 *
 * Packed as the reference does it.  Plain: searches on a GPU multiply by cuBLASLt, and come here
 * with --precision=int8 alone.
 */
#include "train/device/cuda/launch.cuh"

namespace
{

__device__ float weight(const struct dev_pack_args &a, int64_t k, int64_t n)
{
    return a.B[a.trans_b ? n * a.ldb + k : k * a.ldb + n];
}

struct pack_columns {
    struct dev_pack_args a;
    __device__ void operator()(int64_t n) const
    {
        int8_t *bytes = (int8_t *) (a.packed + a.N) + n * a.K;
        uint32_t largest = 0;

        for (int64_t k = 0; k < a.K && a.type == DEV_INT8; k += 2) {
            float next = k + 1 < a.K ? weight(a, k + 1, n) : 0.0f;
            uint32_t bits = dev_int8_size_of_two(weight(a, k, n), next);

            largest = bits > largest ? bits : largest;
        }
        if (a.type == DEV_INT8)
            a.packed[n] = dev_int8_scale(largest);
        for (int64_t k = 0; k < a.K; k++)
            if (a.type == DEV_INT8)
                bytes[k] = (int8_t) dev_int8_of(weight(a, k, n), dev_int8_factor(largest));
            else if (a.type == DEV_BFLOAT16)
                a.packed[n * a.K + k] = dev_from_bfloat16(dev_bfloat16(weight(a, k, n)));
            else
                a.packed[n * a.K + k] = weight(a, k, n);
    }
};

/* Scratch: M scales, then the rows of bytes. */
struct quantise {
    struct dev_packed_gemm a;
    __device__ void operator()(int64_t m) const
    {
        int8_t *bytes = (int8_t *) (a.scratch + a.M) + m * a.K;
        uint32_t largest = 0;

        for (int64_t k = 0; k < a.K; k++) {
            uint32_t bits = dev_abs_bits(a.A[m * a.K + k]);

            largest = bits > largest ? bits : largest;
        }
        a.scratch[m] = dev_int8_scale(largest);
        for (int64_t k = 0; k < a.K; k++)
            bytes[k] = (int8_t) dev_int8_of(a.A[m * a.K + k], dev_int8_factor(largest));
    }
};

struct multiply {
    struct dev_packed_gemm a;
    __device__ float sum_int8(int64_t m, int64_t n) const
    {
        const int8_t *x = (const int8_t *) (a.scratch + a.M) + m * a.K;
        const int8_t *w = (const int8_t *) (a.packed + a.N) + n * a.K;
        int32_t sum = 0;

        for (int64_t k = 0; k < a.K; k++)
            sum += x[k] * w[k];
        return (float) sum * (a.scratch[m] * a.packed[n]);
    }
    __device__ float sum_float(int64_t m, int64_t n) const
    {
        float sum = 0.0f;

        for (int64_t k = 0; k < a.K; k++)
            sum += a.A[m * a.K + k] * a.packed[n * a.K + k];
        return sum;
    }
    __device__ void operator()(int64_t i) const
    {
        int64_t m = i / a.N, n = i % a.N;
        float y = a.type == DEV_INT8 ? sum_int8(m, n) : sum_float(m, n);

        if (a.bias)
            y += a.bias[n];
        if (a.activation == DEV_RELU)
            y = y < 0.0f ? 0.0f : y;
        a.C[i] = y;
    }
};

} /* namespace */

extern "C" void dev_cuda_pack(struct dev *d, const struct dev_pack_args *a)
{
    T2_ASSERT(a->n == 0 || a->n == a->N);
    for_each(d, "pack", a->N, pack_columns{*a});
}

extern "C" int64_t dev_cuda_pack_scratch(const struct dev *d, enum dev_type type, int64_t K,
                                         int64_t N)
{
    (void) d;
    return type == DEV_INT8 ? N + div_up(N * K, 4) : N * K;
}

extern "C" void dev_cuda_packed_gemm(struct dev *d, const struct dev_packed_gemm *a)
{
    if (a->type == DEV_INT8)
        for_each(d, "packed_gemm", a->M, quantise{*a});
    for_each(d, "packed_gemm", a->M * a->N, multiply{*a});
}

extern "C" int64_t dev_cuda_packed_gemm_scratch(const struct dev *d,
                                                const struct dev_packed_gemm *a)
{
    (void) d;
    return a->type == DEV_INT8 ? a->M + div_up(a->M * a->K, 4) : 0;
}
