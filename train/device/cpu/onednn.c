/*
 * train/device/cpu/onednn.c - the only file that knows oneDNN.
 *
 * Opened at run time, like OpenBLAS: a machine without it still runs, and its OpenMP must be told to
 * stay on the calling thread before it is loaded, as the threads are ours.
 */
#include <stddef.h>

#include "train/device/cpu/products.h"

#ifdef T2_HAVE_ONEDNN
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

static struct dev_cpu_products here;
static dnnl_status_t (*sgemm)(char trans_a, char trans_b, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K,
                              float alpha, const float *A, dnnl_dim_t lda, const float *B,
                              dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc);

static void product(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                    int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                    int64_t ldc)
{
    dnnl_status_t st = sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', M, N, K, 1.0f, A, lda, B,
                             ldb, accumulate ? 1.0f : 0.0f, C, ldc);

    /* It has no memory of its own to pack into, or our arguments are wrong. */
    if (st != dnnl_success)
        dev_cpu_plain_products()->product(trans_a, trans_b, M, N, K, A, lda, B, ldb, accumulate, C,
                                          ldc);
}

static bool find(void *library, const char *name, void *function, size_t bytes)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, bytes);
    return address != NULL;
}

static void load(void)
{
    static const char *const isa[] = {
        [T2_CPU_GENERIC] = "SSE41", [T2_CPU_AVX2] = "AVX2", [T2_CPU_AVX512] = "AVX512_CORE"};
    const dnnl_version_t *(*get_version)(void) = NULL;
    void *library;
    char file[32];

    setenv("DNNL_MAX_CPU_ISA", isa[t2_cpu_variant()], 0);
    setenv("OMP_NUM_THREADS", "1", 1);
    snprintf(file, sizeof file, "libdnnl.so.%d", DNNL_VERSION_MAJOR);
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library || !find(library, "dnnl_version", &get_version, sizeof get_version) ||
        !find(library, "dnnl_sgemm", &sgemm, sizeof sgemm))
        return;
    snprintf(here.name, sizeof here.name, "oneDNN %d.%d.%d", get_version()->major,
             get_version()->minor, get_version()->patch);
    here.product = product;
}

const struct dev_cpu_products *dev_cpu_onednn(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return here.product != NULL ? &here : NULL;
}

#else

const struct dev_cpu_products *dev_cpu_onednn(void)
{
    return NULL;
}

#endif
