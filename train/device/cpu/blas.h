/*
 * train/device/cpu/blas.h - one product of matrices on the calling thread.
 */
#ifndef DEV_CPU_BLAS_H
#define DEV_CPU_BLAS_H

#include <stdbool.h>
#include <stdint.h>

/* C (M,N) = op(A) op(B) [+ C], row-major; op(A) is (M,K), stored (K,M) with trans_a, likewise B. */
void dev_cpu_blas_gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc);
/* What computes it: "OpenBLAS 0.3.21 (Cooperlake)" or "plain C products". */
const char *dev_cpu_blas_name(void);

#endif
