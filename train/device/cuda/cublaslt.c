/*
 * train/device/cuda/cublaslt.c - the only file that knows cuBLASLt.
 *
 * The library is opened at run time, so that a program with CUDA in it starts on any machine.  It
 * thinks in columns: our C (M,N), row by row, is its C^T (N,M), column by column, so it is asked
 * for op(B)^T op(A)^T.  For each shape the heuristic's first algorithm is kept; those that add
 * partial sums in place, in the order of arrival, are not asked for.
 */
#include "train/device/cuda/cublaslt.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* What is called of it, once. */
#define FUNCTIONS(F)                                                                               \
    F(cublasLtCreate)                                                                              \
    F(cublasLtDestroy)                                                                             \
    F(cublasLtGetVersion)                                                                          \
    F(cublasLtGetStatusName)                                                                       \
    F(cublasLtMatmul)                                                                              \
    F(cublasLtMatmulAlgoGetHeuristic)                                                              \
    F(cublasLtMatmulDescCreate)                                                                    \
    F(cublasLtMatmulDescDestroy)                                                                   \
    F(cublasLtMatmulDescSetAttribute)                                                              \
    F(cublasLtMatmulPreferenceCreate)                                                              \
    F(cublasLtMatmulPreferenceDestroy)                                                             \
    F(cublasLtMatmulPreferenceSetAttribute)                                                        \
    F(cublasLtMatrixLayoutCreate)                                                                  \
    F(cublasLtMatrixLayoutDestroy)

static struct {
#define F(name) __typeof__(name) *name;
    FUNCTIONS(F)
#undef F
} lib;

/* Hopper's products want 32 MiB. */
enum { WORKSPACE_BYTES = 32 << 20, MAX_SHAPES = 512 };

/* What an algorithm is chosen for. */
struct shape {
    int64_t M, N, K, lda, ldb, ldc;
    int32_t trans_a, trans_b, type, type_c, compute, epilogue;
    int32_t align_a, align_b; /* bytes, at most 256 */
    int64_t align_c;          /* 64 bits, so that there is no padding: it is compared by memcmp */
};

struct choice {
    struct shape shape;
    cublasLtMatmulAlgo_t algo;
};

struct dev_cuda_blaslt {
    cublasLtHandle_t handle;
    char name[40];
    struct choice *choices;
    int n_choices;
};

#ifdef DEV_CUDA_ON_HOST
/* linked with what stands in for it */
static bool find_functions(void)
{
#define F(name) lib.name = name;
    FUNCTIONS(F)
#undef F
    return true;
}
#else
static bool find_functions(void)
{
    static const char *const files[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
    void *library = NULL;

    for (size_t i = 0; !library && i < sizeof files / sizeof *files; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
        /* dlsym's object pointer becomes a function pointer by way of memcpy, as ISO C has no cast
         */
#define F(name)                                                                                    \
    {                                                                                              \
        void *address = dlsym(library, #name);                                                     \
                                                                                                   \
        memcpy(&lib.name, &address, sizeof address);                                               \
        if (!address)                                                                              \
            return false;                                                                          \
    }
    FUNCTIONS(F)
#undef F
    return true;
}
#endif

struct dev_cuda_blaslt *dev_cuda_blaslt_open(void)
{
    const char *wanted = getenv("T2_CUBLASLT");
    struct dev_cuda_blaslt *b;
    size_t version;

    if ((wanted && strcmp(wanted, "no") == 0) || !find_functions())
        return NULL;
    b = t2_alloc(1, sizeof *b);
    if (lib.cublasLtCreate(&b->handle) != CUBLAS_STATUS_SUCCESS) {
        t2_free(b);
        return NULL;
    }
    version = lib.cublasLtGetVersion();
    snprintf(b->name, sizeof b->name, "cuBLASLt %zu.%zu.%zu", version / 10000, version / 100 % 100,
             version % 100);
    b->choices = t2_alloc(MAX_SHAPES, sizeof *b->choices);
    return b;
}

void dev_cuda_blaslt_close(struct dev_cuda_blaslt *b)
{
    if (!b)
        return;
    (void) lib.cublasLtDestroy(b->handle);
    t2_free(b->choices);
    t2_free(b);
}

const char *dev_cuda_blaslt_name(const struct dev_cuda_blaslt *b)
{
    return b ? b->name : "own products (no cuBLASLt)";
}

/* ---- one product ---- */

struct call {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t A, B, C; /* the library's */
    cublasLtMatmulPreference_t preference;
    cublasStatus_t status; /* the first failure */
    const char *what;      /* where it was */
};

static void step(struct call *c, cublasStatus_t status, const char *what)
{
    if (c->status == CUBLAS_STATUS_SUCCESS && status != CUBLAS_STATUS_SUCCESS) {
        c->status = status;
        c->what = what;
    }
}

static void set(struct call *c, cublasLtMatmulDescAttributes_t attribute, const void *value,
                size_t bytes)
{
    if (c->status == CUBLAS_STATUS_SUCCESS)
        step(c, lib.cublasLtMatmulDescSetAttribute(c->desc, attribute, value, bytes),
             "cublasLtMatmulDescSetAttribute");
}

static void prefer(struct call *c, cublasLtMatmulPreferenceAttributes_t attribute,
                   const void *value, size_t bytes)
{
    if (c->status == CUBLAS_STATUS_SUCCESS)
        step(c, lib.cublasLtMatmulPreferenceSetAttribute(c->preference, attribute, value, bytes),
             "cublasLtMatmulPreferenceSetAttribute");
}

/* rows and columns as the library sees them. */
static void lay(struct call *c, cublasLtMatrixLayout_t *layout, cudaDataType_t type, int64_t rows,
                int64_t cols, int64_t ld)
{
    if (c->status == CUBLAS_STATUS_SUCCESS)
        step(c, lib.cublasLtMatrixLayoutCreate(layout, type, (uint64_t) rows, (uint64_t) cols, ld),
             "cublasLtMatrixLayoutCreate");
}

static cudaDataType_t type_of(enum dev_type type)
{
    return type == DEV_BFLOAT16 ? CUDA_R_16BF : type == DEV_FLOAT16 ? CUDA_R_16F : CUDA_R_32F;
}

/* float32 without TF32 unless the device is told so. */
static cublasComputeType_t compute_of(const struct dev *d, const struct dev_blaslt_gemm *a)
{
    return a->type == DEV_FLOAT32 && d->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

static void describe(struct call *c, const struct dev_blaslt_gemm *a, cublasComputeType_t compute,
                     int32_t epilogue)
{
    cudaDataType_t type = type_of(a->type);
    int32_t first = a->of.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    int32_t second = a->of.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N,
            bias_type = (int32_t) type_of(a->of.type_c);

    step(c, lib.cublasLtMatmulDescCreate(&c->desc, compute, CUDA_R_32F),
         "cublasLtMatmulDescCreate");
    set(c, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
    set(c, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
    set(c, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (a->bias) {
        set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &a->bias, sizeof a->bias);
        set(c, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &bias_type, sizeof bias_type);
    }
    lay(c, &c->A, type, a->of.trans_b ? a->of.K : a->of.N, a->of.trans_b ? a->of.N : a->of.K,
        a->ldb);
    lay(c, &c->B, type, a->of.trans_a ? a->of.M : a->of.K, a->of.trans_a ? a->of.K : a->of.M,
        a->lda);
    lay(c, &c->C, type_of(a->of.type_c), a->of.N, a->of.M, a->of.ldc);
}

static uint32_t alignment(const void *p)
{
    uintptr_t at = (uintptr_t) p;

    return at % 256 == 0 ? 256 : (uint32_t) (at & -at);
}

/* The heuristic's first algorithm within the workspace. */
static void ask(struct call *c, struct dev_cuda_blaslt *b, const struct dev_blaslt_gemm *a,
                cublasLtMatmulAlgo_t *algo)
{
    uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, align_a = alignment(a->B),
             align_b = alignment(a->A), align_c = alignment(a->of.C);
    size_t bytes = WORKSPACE_BYTES;
    cublasLtMatmulHeuristicResult_t found;
    int n = 0;

    step(c, lib.cublasLtMatmulPreferenceCreate(&c->preference), "cublasLtMatmulPreferenceCreate");
    prefer(c, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    prefer(c, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &align_a, sizeof align_a);
    prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &align_b, sizeof align_b);
    prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &align_c, sizeof align_c);
    prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &align_c, sizeof align_c);
    if (c->status != CUBLAS_STATUS_SUCCESS)
        return;
    step(c,
         lib.cublasLtMatmulAlgoGetHeuristic(b->handle, c->desc, c->A, c->B, c->C, c->C,
                                            c->preference, 1, &found, &n),
         "cublasLtMatmulAlgoGetHeuristic");
    if (c->status == CUBLAS_STATUS_SUCCESS && n == 0)
        step(c, CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmulAlgoGetHeuristic");
    else if (c->status == CUBLAS_STATUS_SUCCESS)
        *algo = found.algo;
}

static void choose(struct call *c, struct dev_cuda_blaslt *b, const struct dev_blaslt_gemm *a,
                   cublasComputeType_t compute, int32_t epilogue, cublasLtMatmulAlgo_t *algo)
{
    struct shape s;

    memset(&s, 0, sizeof s);
    s.M = a->of.M, s.N = a->of.N, s.K = a->of.K;
    s.lda = a->lda, s.ldb = a->ldb, s.ldc = a->of.ldc;
    s.trans_a = a->of.trans_a, s.trans_b = a->of.trans_b;
    s.type = (int32_t) a->type, s.type_c = (int32_t) a->of.type_c, s.compute = (int32_t) compute,
    s.epilogue = epilogue;
    s.align_a = (int32_t) alignment(a->A), s.align_b = (int32_t) alignment(a->B);
    s.align_c = (int64_t) alignment(a->of.C);
    for (int i = 0; i < b->n_choices; i++)
        if (memcmp(&b->choices[i].shape, &s, sizeof s) == 0) {
            *algo = b->choices[i].algo;
            return;
        }
    ask(c, b, a, algo);
    if (c->status == CUBLAS_STATUS_SUCCESS && b->n_choices < MAX_SHAPES)
        b->choices[b->n_choices++] = (struct choice){s, *algo};
}

bool dev_cuda_blaslt_gemm(struct dev *d, struct dev_cuda_blaslt *b, const struct dev_blaslt_gemm *a)
{
    static const float one = 1.0f, zero = 0.0f;
    bool relu = a->of.activation == DEV_RELU;
    int32_t epilogue = a->bias ? (relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
                               : (relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT);
    cublasComputeType_t compute = compute_of(d, a);
    void *workspace = dev_cuda_workspace(d, WORKSPACE_BYTES);
    struct call c = {.status = CUBLAS_STATUS_SUCCESS};
    cublasLtMatmulAlgo_t algo;

    memset(&algo, 0, sizeof algo);
    describe(&c, a, compute, epilogue);
    if (c.status == CUBLAS_STATUS_SUCCESS)
        choose(&c, b, a, compute, epilogue, &algo);
    if (c.status == CUBLAS_STATUS_SUCCESS)
        step(&c,
             lib.cublasLtMatmul(b->handle, c.desc, &one, a->B, c.A, a->A, c.B,
                                a->of.accumulate ? &one : &zero, a->of.C, c.C, a->of.C, c.C, &algo,
                                workspace, WORKSPACE_BYTES, dev_cuda_of(d)->stream),
             "cublasLtMatmul");
    if (c.status != CUBLAS_STATUS_SUCCESS && c.status != CUBLAS_STATUS_NOT_SUPPORTED)
        dev_cuda_fails(d, c.what, lib.cublasLtGetStatusName(c.status));
    dev_cuda_launched(d, "gemm");
    if (c.preference)
        (void) lib.cublasLtMatmulPreferenceDestroy(c.preference);
    if (c.C)
        (void) lib.cublasLtMatrixLayoutDestroy(c.C);
    if (c.B)
        (void) lib.cublasLtMatrixLayoutDestroy(c.B);
    if (c.A)
        (void) lib.cublasLtMatrixLayoutDestroy(c.A);
    if (c.desc)
        (void) lib.cublasLtMatmulDescDestroy(c.desc);
    return c.status != CUBLAS_STATUS_NOT_SUPPORTED;
}
