/*
 * train/device/cpu/gemm_lib.c - which library multiplies; plain C where there is none.
 */
#include "train/device/cpu/gemm_lib.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"

/*
 * C (M,N) = op(A) op(B) [+ C] in the order that compilers vectorise.  For each block of at most 64
 * rows (of K) and 256 columns, op(B) is copied to `packed` (64 KiB: it stays in the second-level
 * cache), whatever its transposition; then each row of C gets 64 times "row of packed, times one
 * number of A".  An element of C is added up over k in ascending order, so neither blocks nor tiles
 * change its bits.
 */
static void plain_gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    enum { BLOCK_N = 256, BLOCK_K = 64 };
    float packed[BLOCK_K][BLOCK_N];

    for (int64_t i = 0; !accumulate && i < M; i++)
        memset(C + i * ldc, 0, (size_t) N * sizeof *C);
    for (int64_t n0 = 0; n0 < N; n0 += BLOCK_N) {
        int64_t n = N - n0 < BLOCK_N ? N - n0 : BLOCK_N;

        for (int64_t k0 = 0; k0 < K; k0 += BLOCK_K) {
            int64_t kn = K - k0 < BLOCK_K ? K - k0 : BLOCK_K;

            for (int64_t k = 0; k < kn; k++)
                for (int64_t j = 0; j < n; j++)
                    packed[k][j] =
                        trans_b ? B[(n0 + j) * ldb + k0 + k] : B[(k0 + k) * ldb + n0 + j];
            for (int64_t i = 0; i < M; i++) {
                float *c = C + i * ldc + n0;

                for (int64_t k = 0; k < kn; k++) {
                    float x = trans_a ? A[(k0 + k) * lda + i] : A[i * lda + k0 + k];

                    for (int64_t j = 0; j < n; j++)
                        c[j] += x * packed[k][j];
                }
            }
        }
    }
}

const struct dev_cpu_gemm_lib *dev_cpu_plain_gemm(void)
{
    static const struct dev_cpu_gemm_lib plain = {
        .gemm = plain_gemm,
        .name = "plain C products",
        .bf16 = "bfloat16 multiplied as floats (not faster without oneDNN)"};

    return &plain;
}

void dev_cpu_gemm_refused(const char *library, const char *what)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&said))
        t2_warn("%s refuses products of %s: plain C instead, which is slow", library, what);
}

/*
 * oneDNN's code for AVX-512 is the fastest that is packaged; its code for AVX2 is not.  There
 * the tiles of a training step reach 61 to 114 of the processor's 136 GFLOP/s with it, the slowest
 * where rows are long or A is transposed, and 99 to 118 with OpenBLAS's Haswell kernels: a step of
 * transformer_base takes 1.16 times as long with oneDNN (bench/results/2026-11-24-avx2.md).
 */
static bool openblas_is_faster(void)
{
#ifdef __x86_64__
    return t2_cpu_variant() == T2_CPU_AVX2;
#else
    return false;
#endif
}

/* bench/bench_gemm.c, "device" beside "tiles": with AVX2 1.02 to 1.1 times the rate of OpenBLAS;
 * on a Zen 4 with AVX-512 0.95 to 1.1 times that of oneDNN, a step 1.01 to 1.02.  Intel's AVX-512
 * was not measured (bench/results/2026-12-01-zen4.md). */
bool dev_cpu_own_tiles_are_faster(void)
{
#ifdef __x86_64__
    return t2_cpu_variant() == T2_CPU_AVX2 ||
           (t2_cpu_variant() == T2_CPU_AVX512 && __builtin_cpu_is("amd"));
#else
    return false;
#endif
}

/* On an Emerald Rapids without AMX, the only one of Intel that was measured, it has half the rate
 * of fused multiply-adds; a Zen 4's has twice theirs, and a step of base takes 0.6 of the time
 * (bench/results/2026-12-01-zen4.md). */
bool dev_cpu_bf16_dots_pay(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512bf16") && !__builtin_cpu_is("intel");
#else
    return false;
#endif
}

const struct dev_cpu_gemm_lib *dev_cpu_gemm_lib(void)
{
    const struct dev_cpu_gemm_lib *p = openblas_is_faster() ? dev_cpu_openblas() : dev_cpu_onednn();

    if (!p)
        p = openblas_is_faster() ? dev_cpu_onednn() : dev_cpu_openblas();
    return p ? p : dev_cpu_plain_gemm();
}

const char *dev_cpu_gemm_missing(void)
{
    if (dev_cpu_gemm_lib() == dev_cpu_plain_gemm())
        return ", slow without oneDNN or OpenBLAS";
    if (!dev_cpu_onednn())
        return ", without oneDNN";
    return openblas_is_faster() && !dev_cpu_openblas() ? ", without OpenBLAS" : "";
}
