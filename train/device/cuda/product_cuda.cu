/*
 * train/device/cuda/product_cuda.cu - products of plain matrices in tiles (tiles.cuh), with bias,
 * activation and dropout applied to the sums before they are written.
 */
#include "train/device/cuda/tiles.cuh"
/* after the language */
#include "train/device/cuda/product.h"

namespace
{

/* Rows of op(A), or columns of op(B), whose elements are neighbours, or a stride apart. */
template <bool K_FAST> struct matrix {
    static const bool along_k = K_FAST;
    enum dev_type type;
    const void *p;
    int64_t stride; /* from row to row in memory */
    enum dev_type precision;

    typedef int64_t line;
    __device__ line at(int64_t i) const
    {
        return K_FAST ? i * stride : i;
    }
    __device__ float value(line l, int64_t k) const
    {
        return factor(type, p, l + (K_FAST ? k : k * stride), precision);
    }
};

struct finished {
    struct dev_gemm a;
    __device__ void operator()(int64_t row, int64_t col, float sum, int) const
    {
        if (a.bias)
            sum += a.bias[col];
        if (a.activation == DEV_RELU && sum < 0.0f)
            sum = 0.0f;
        sum *= dev_dropout_factor(&a.dropout, (uint64_t) (row * a.N + col));
        put(a.type_c, a.C, row * a.ldc + col, sum, a.accumulate);
    }
};

template <bool A_FAST, bool B_FAST> void run(struct dev *d, const struct dev_gemm *a)
{
    multiply(d, "gemm", a->M, a->N, a->K, 1, matrix<A_FAST>{a->type_a, a->A, a->lda, d->precision},
             matrix<B_FAST>{a->type_b, a->B, a->ldb, d->precision}, finished{*a});
}

struct dropped {
    struct dev_gemm a;
    __device__ void operator()(int64_t i, float factor) const
    {
        put(a.type_c, a.C, i, get(a.type_c, a.C, i) * factor, false);
    }
};

struct to_halves {
    const float *from;
    int64_t cols, stride;
    enum dev_type type;
    uint16_t *to;
    __device__ void operator()(int64_t i) const
    {
        int64_t row = row_of(i, cols);

        dev_put(type, to, i, from[row * stride + i - row * cols]);
    }
};

} /* namespace */

extern "C" {

void dev_cuda_product(struct dev *d, const struct dev_gemm *a)
{
    if (!a->trans_a && a->trans_b)
        run<true, true>(d, a);
    else if (!a->trans_a)
        run<true, false>(d, a);
    else if (a->trans_b)
        run<false, true>(d, a);
    else
        run<false, false>(d, a);
}

void dev_cuda_product_dropout(struct dev *d, const struct dev_gemm *a)
{
    for_each_dropped(d, "gemm", a->M * a->N, &a->dropout, dropped{*a});
}

void dev_cuda_to_halves(struct dev *d, const float *from, int64_t rows, int64_t cols,
                        int64_t stride, uint16_t *to)
{
    for_each(d, "gemm", rows * cols, to_halves{from, cols, stride, d->precision, to});
}

} /* extern "C" */
