/*
 * train/device/cuda/product.h - products of matrices by our own kernels, where cuBLASLt is not, and
 * what goes before and after cuBLASLt's.
 */
#ifndef DEV_CUDA_PRODUCT_H
#define DEV_CUDA_PRODUCT_H

#include "train/device/cuda/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of struct dev_gemm; factors are rounded to the precision of the device first. */
void dev_cuda_product(struct dev *d, const struct dev_gemm *a);
/* C (M,N) times its dropout factors, where it lies. */
void dev_cuda_product_dropout(struct dev *d, const struct dev_gemm *a);
/* (rows,cols) of float32 with row stride `stride` as the device's precision, rows one behind the
 * other. */
void dev_cuda_to_halves(struct dev *d, const float *from, int64_t rows, int64_t cols,
                        int64_t stride, uint16_t *to);

#ifdef __cplusplus
}
#endif

#endif
