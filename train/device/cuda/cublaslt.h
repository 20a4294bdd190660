/*
 * train/device/cuda/cublaslt.h - matrix products of NVIDIA's cuBLASLt, opened at run time.
 */
#ifndef DEV_CUDA_CUBLASLT_H
#define DEV_CUDA_CUBLASLT_H

#include "train/device/cuda/cuda_device.h"

/* struct dev_gemm without its dropout, with factors of one type, and a bias of the result's. */
struct dev_blaslt_gemm {
    struct dev_gemm of;
    enum dev_type type; /* of A and B */
    const void *A, *B;
    int64_t lda, ldb;
    const void *bias; /* NULL: none */
};

/* NULL where the library is not; T2_CUBLASLT=no leaves it out. */
struct dev_cuda_blaslt *dev_cuda_blaslt_open(void);
void dev_cuda_blaslt_close(struct dev_cuda_blaslt *b); /* NULL is nothing */
/* "cuBLASLt 13.0.0", or what takes its place. */
const char *dev_cuda_blaslt_name(const struct dev_cuda_blaslt *b);

/* The algorithm is chosen once for each shape, among those that give the same bits every time.
 * False: the library has none, and nothing was done. */
bool dev_cuda_blaslt_gemm(struct dev *d, struct dev_cuda_blaslt *b,
                          const struct dev_blaslt_gemm *a);

#endif
