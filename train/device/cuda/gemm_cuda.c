/*
 * train/device/cuda/gemm_cuda.c - products of matrices: cuBLASLt's where it is, else our own.
 *
 * Bias and ReLU are part of the product; dropout is a pass behind it.  With 16 bits, factors that
 * are float32 are rounded into scratch memory first, and so is the bias, which the library wants in
 * the type of the result.
 */
#include "train/device/cuda/cublaslt.h"
#include "train/device/cuda/product.h"
#include "train/device/gemm_times.h"

/* Rounded up, so that what lies behind is aligned for the tensor cores. */
static int64_t halves_floats(int64_t n)
{
    return (n + 127) / 128 * 64;
}

/* Do the library's products have these types?  All float32, or of the precision of the device, to
 * which factors are rounded here when they are not yet. */
static bool types_fit(const struct dev *d, const struct dev_gemm *a)
{
    return (a->type_a == DEV_FLOAT32 || a->type_a == d->precision) &&
           (a->type_b == DEV_FLOAT32 || a->type_b == d->precision) &&
           (a->type_c == DEV_FLOAT32 || a->type_c == d->precision);
}

/* Is a factor of this type rounded into scratch memory? */
static bool is_rounded(const struct dev *d, enum dev_type type)
{
    return type == DEV_FLOAT32 && d->precision != DEV_FLOAT32;
}

static void multiply(struct dev *d, const struct dev_gemm *a)
{
    struct dev_cuda *c = dev_cuda_of(d);
    struct dev_blaslt_gemm g = {.of = *a,
                                .type = d->precision,
                                .A = a->A,
                                .B = a->B,
                                .lda = a->lda,
                                .ldb = a->ldb,
                                .bias = a->bias};
    uint16_t *scratch = (uint16_t *) a->scratch;

    if (a->M == 0 || a->N == 0)
        return;
    if (!c->blaslt || a->K == 0 || !types_fit(d, a)) {
        dev_cuda_product(d, a);
        return;
    }
    if (is_rounded(d, a->type_a)) {
        g.A = scratch;
        g.lda = a->trans_a ? a->M : a->K;
        dev_cuda_to_halves(d, a->A, a->M * a->K / g.lda, g.lda, a->lda, scratch);
        scratch += 2 * halves_floats(a->M * a->K);
    }
    if (is_rounded(d, a->type_b)) {
        g.B = scratch;
        g.ldb = a->trans_b ? a->K : a->N;
        dev_cuda_to_halves(d, a->B, a->N * a->K / g.ldb, g.ldb, a->ldb, scratch);
        scratch += 2 * halves_floats(a->N * a->K);
    }
    if (a->bias && a->type_c != DEV_FLOAT32) {
        g.bias = scratch;
        dev_cuda_to_halves(d, a->bias, 1, a->N, a->N, scratch);
    }
    if (!dev_cuda_blaslt_gemm(d, c->blaslt, &g))
        dev_cuda_product(d, a);
    else if (a->dropout.threshold != 0)
        dev_cuda_product_dropout(d, a);
}

void dev_cuda_gemm(struct dev *d, const struct dev_gemm *a)
{
    dev_gemm_begins(d);
    multiply(d, a);
    dev_gemm_ends(d, a);
}

int64_t dev_cuda_gemm_scratch(const struct dev *d, const struct dev_gemm *a)
{
    return (is_rounded(d, a->type_a) ? halves_floats(a->M * a->K) : 0) +
           (is_rounded(d, a->type_b) ? halves_floats(a->N * a->K) : 0) +
           (a->type_c != DEV_FLOAT32 ? halves_floats(a->N) : 0);
}
