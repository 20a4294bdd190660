/*
 * train/device/cpu/blas.c - the only file that knows OpenBLAS.
 *
 * OpenBLAS is opened at run time, for two reasons.  It chooses its kernels by a list of processor
 * models when it is loaded, and takes 20-year-old ones on a model younger than itself (a tenth of the
 * speed); so we name the kernels by what the processor can do, unless the user did (OPENBLAS_CORETYPE),
 * and that must happen before it is loaded.  And a machine without the library still runs, on plain C,
 * saying so in the banner.
 */
#include "train/device/cpu/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef T2_HAVE_OPENBLAS
#include <cblas.h>
#endif

#include "base/cpu.h"

/* ---- plain ---- */

/* The loop order that compilers vectorise, in blocks that stay in cache. */
static void plain_gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    enum { BLOCK_N = 256, BLOCK_K = 64 };
    float packed[BLOCK_K][BLOCK_N];

    for (int64_t i = 0; !accumulate && i < M; ++i)
        memset(C + i * ldc, 0, (size_t) N * sizeof *C);
    for (int64_t n0 = 0; n0 < N; n0 += BLOCK_N) {
        int64_t n = N - n0 < BLOCK_N ? N - n0 : BLOCK_N;

        for (int64_t k0 = 0; k0 < K; k0 += BLOCK_K) {
            int64_t kn = K - k0 < BLOCK_K ? K - k0 : BLOCK_K;

            for (int64_t k = 0; k < kn; ++k)
                for (int64_t j = 0; j < n; ++j)
                    packed[k][j] =
                        trans_b ? B[(n0 + j) * ldb + k0 + k] : B[(k0 + k) * ldb + n0 + j];
            for (int64_t i = 0; i < M; ++i) {
                float *c = C + i * ldc + n0;

                for (int64_t k = 0; k < kn; ++k) {
                    float x = trans_a ? A[(k0 + k) * lda + i] : A[i * lda + k0 + k];

                    for (int64_t j = 0; j < n; ++j)
                        c[j] += x * packed[k][j];
                }
            }
        }
    }
}

/* ---- OpenBLAS ---- */

#ifdef T2_HAVE_OPENBLAS

static struct {
    pthread_once_t once;
    void (*sgemm)(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE a,
                  const enum CBLAS_TRANSPOSE b, const blasint M, const blasint N, const blasint K,
                  const float alpha, const float *A, const blasint lda, const float *B,
                  const blasint ldb, const float beta, float *C, const blasint ldc);
    char name[96];
} blas = {.once = PTHREAD_ONCE_INIT, .name = "plain C products (no OpenBLAS here)"};

/* A function of the library; dlsym's object pointer becomes a function pointer by way of memcpy, as
 * ISO C has no cast for it. */
static bool find(void *library, const char *name, void *function, size_t bytes)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, bytes);
    return address != NULL;
}

static void load(void)
{
    static const char *const core[] = {
        [T2_CPU_GENERIC] = "Prescott", [T2_CPU_AVX2] = "Haswell", [T2_CPU_AVX512] = "Cooperlake"};
    void (*set_threads)(int) = NULL;
    char *(*get_core)(void) = NULL, *(*get_config)(void) = NULL;
    void *library;
    char version[24] = "";

#ifdef __x86_64__
    setenv("OPENBLAS_CORETYPE", core[t2_cpu_variant()], 0);
#endif
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library || !find(library, "openblas_set_num_threads", &set_threads, sizeof set_threads) ||
        !find(library, "openblas_get_corename", &get_core, sizeof get_core) ||
        !find(library, "openblas_get_config", &get_config, sizeof get_config) ||
        !find(library, "cblas_sgemm", &blas.sgemm, sizeof blas.sgemm))
        return;
    set_threads(1);
    sscanf(get_config(), "OpenBLAS %20s", version);
    snprintf(blas.name, sizeof blas.name, "OpenBLAS %s (%.32s)", version, get_core());
}

void dev_cpu_blas_gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    pthread_once(&blas.once, load);
    if (!blas.sgemm) {
        plain_gemm(trans_a, trans_b, M, N, K, A, lda, B, ldb, accumulate, C, ldc);
        return;
    }
    blas.sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
               trans_b ? CblasTrans : CblasNoTrans, (blasint) M, (blasint) N, (blasint) K, 1.0f, A,
               (blasint) lda, B, (blasint) ldb, accumulate ? 1.0f : 0.0f, C, (blasint) ldc);
}

const char *dev_cpu_blas_name(void)
{
    pthread_once(&blas.once, load);
    return blas.name;
}

#else

void dev_cpu_blas_gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    plain_gemm(trans_a, trans_b, M, N, K, A, lda, B, ldb, accumulate, C, ldc);
}

const char *dev_cpu_blas_name(void)
{
    return "plain C products (built without OpenBLAS)";
}

#endif
