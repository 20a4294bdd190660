/*
 * train/device/cpu/gemm_lib.h - one matrix product on the calling thread, by the best library that
 * is here: oneDNN, OpenBLAS (the first on processors with AVX2 alone), plain C.
 */
#ifndef DEV_CPU_GEMM_LIB_H
#define DEV_CPU_GEMM_LIB_H

#include <stdbool.h>
#include <stdint.h>

/* C (M,N) = op(A) op(B) [+ C], row-major; op(A) is (M,K), stored (K,M) with trans_a, likewise B. */
typedef void (*dev_cpu_gemm_fn)(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K,
                                const float *A, int64_t lda, const float *B, int64_t ldb,
                                bool accumulate, float *C, int64_t ldc);

/* The same of bfloat16 numbers (the upper halves of floats) with float32 sums. */
typedef void (*dev_cpu_gemm_bf16_fn)(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K,
                                     const uint16_t *A, int64_t lda, const uint16_t *B, int64_t ldb,
                                     bool accumulate, float *C, int64_t ldc);

struct dev_cpu_gemm_lib {
    dev_cpu_gemm_fn gemm;
    dev_cpu_gemm_bf16_fn gemm_bf16; /* NULL: none */
    bool fast_bf16;                 /* faster than floats, which are multiplied otherwise */
    char name[96];    /* "oneDNN 2.6.3", "OpenBLAS 0.3.21 (Cooperlake)", "plain C products" */
    const char *bf16; /* how factors of bfloat16 are multiplied, for people */
    /* Pages of its code and tables that the first products fetch, once it is loaded. */
    uint64_t code_bytes;
};

/* A product that the library refused is computed in plain C, and the first time a warning says
 * so. */
void dev_cpu_gemm_refused(const char *library, const char *what);

/* Chosen at the first call; the same for all threads. */
const struct dev_cpu_gemm_lib *dev_cpu_gemm_lib(void);

/* Products of float32 as gemm_rows.c makes them, on this processor? */
bool dev_cpu_own_tiles_are_faster(void);

/* Has this processor vdpbf16ps (AVX512-BF16), and is it faster than products of floats? */
bool dev_cpu_bf16_dots_pay(void);

/* What would be faster and is not here, for people: ", without oneDNN"; "". */
const char *dev_cpu_gemm_missing(void);

/* The candidates; NULL where the build or the machine has no such library. */
const struct dev_cpu_gemm_lib *dev_cpu_onednn(void);
const struct dev_cpu_gemm_lib *dev_cpu_openblas(void);
const struct dev_cpu_gemm_lib *dev_cpu_plain_gemm(void);

#endif
