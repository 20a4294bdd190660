/*
 * train/device/cpu/openblas.c - the only file that knows OpenBLAS.
 *
 * OpenBLAS is opened at run time, for two reasons.  It chooses its kernels by a list of processor
 * models when it is loaded, and takes 20-year-old ones on a model younger than itself (a tenth of
 * the speed); so the kernels are named here by what the processor can do, unless the user did
 * (OPENBLAS_CORETYPE), and that must happen before it is loaded.  And a machine without the library
 * still runs, saying so in the banner.
 *
 * Its calls come from many threads at once, one per tile, so its own threads are switched off.
 */
#include <stddef.h>

#include "train/device/cpu/gemm_lib.h"

#ifdef T2_HAVE_OPENBLAS
#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

static struct dev_cpu_gemm_lib here;
static void (*sgemm)(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE a,
                     const enum CBLAS_TRANSPOSE b, const blasint M, const blasint N,
                     const blasint K, const float alpha, const float *A, const blasint lda,
                     const float *B, const blasint ldb, const float beta, float *C,
                     const blasint ldc);

static void gemm(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                 int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C, int64_t ldc)
{
    sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans, trans_b ? CblasTrans : CblasNoTrans,
          (blasint) M, (blasint) N, (blasint) K, 1.0f, A, (blasint) lda, B, (blasint) ldb,
          accumulate ? 1.0f : 0.0f, C, (blasint) ldc);
}

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
    void (*set_threads)(int) = NULL;
    char *(*get_core)(void) = NULL, *(*get_config)(void) = NULL;
    void *library;
    char version[24] = "";

#ifdef __x86_64__
    static const char *const core[] = {
        [T2_CPU_GENERIC] = "Prescott", [T2_CPU_AVX2] = "Haswell", [T2_CPU_AVX512] = "Cooperlake"};

    setenv("OPENBLAS_CORETYPE", core[t2_cpu_variant()], 0);
#endif
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    /* lazy: a program waits 5 ms for thousands of names otherwise, of which it calls a few */
    library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!library || !find(library, "openblas_set_num_threads", &set_threads, sizeof set_threads) ||
        !find(library, "openblas_get_corename", &get_core, sizeof get_core) ||
        !find(library, "openblas_get_config", &get_config, sizeof get_config) ||
        !find(library, "cblas_sgemm", &sgemm, sizeof sgemm))
        return;
    set_threads(1);
    sscanf(get_config(), "OpenBLAS %20s", version);
    snprintf(here.name, sizeof here.name, "OpenBLAS %s (%.32s)", version, get_core());
    here.bf16 =
        "bfloat16 multiplied as floats (not faster: only oneDNN 2 is asked for such products)";
    here.gemm = gemm;
    here.code_bytes = 1 << 20; /* most was fetched when it was loaded */
}

const struct dev_cpu_gemm_lib *dev_cpu_openblas(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return here.gemm ? &here : NULL;
}

#else

const struct dev_cpu_gemm_lib *dev_cpu_openblas(void)
{
    return NULL;
}

#endif
