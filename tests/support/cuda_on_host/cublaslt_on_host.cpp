/*
 * tests/support/cuda_on_host/cublaslt_on_host.cpp - products of matrices as cuBLASLt defines them,
 * column by column, in plain loops; late, on the stream.
 *
 * What a real library would refuse is refused: shapes that do not fit each other, rows longer than
 * their stride, an algorithm that was chosen for another shape, a workspace that is too small.
 */
#include "tests/support/cuda_on_host/cublasLt.h"

#include <vector>

#include "tests/support/cuda_on_host/internal.h"
#include "train/device/types.h"

struct cublasLtContext {
    int opened;
};

struct cublas_on_host_matmul {
    cublasComputeType_t compute;
    int32_t trans_a, trans_b, epilogue, bias_type;
    const void *bias;
};

struct cublas_on_host_layout {
    cudaDataType_t type;
    int64_t rows, cols, ld;
};

struct cublas_on_host_preference {
    size_t workspace_bytes;
    uint32_t schemes, align[4];
};

/* To 10 bits of fraction, to nearest; halves away from 0. */
static float tf32(float x)
{
    return dev_bits_float((dev_float_bits(x) + 0x1000u) & 0xffffe000u);
}

enum { WORKSPACE_WANTED = 4096 };

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = new cublasLtContext{1};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
    return 130000;
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS         ? "CUBLAS_STATUS_SUCCESS"
           : status == CUBLAS_STATUS_INVALID_VALUE ? "CUBLAS_STATUS_INVALID_VALUE"
                                                   : "CUBLAS_STATUS_NOT_SUPPORTED";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    if (scale != CUDA_R_32F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    *desc = new cublas_on_host_matmul{compute, 0, 0, CUBLASLT_EPILOGUE_DEFAULT, -1, nullptr};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    delete desc;
    return CUBLAS_STATUS_SUCCESS;
}

template <class T> static cublasStatus_t take(T *to, const void *value, size_t bytes)
{
    if (bytes != sizeof *to)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return take(&desc->trans_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
        return take(&desc->trans_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return take(&desc->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return take(&desc->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
        return take(&desc->bias_type, value, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType_t type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
    if (ld < (int64_t) rows || rows == 0 || cols == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    *layout = new cublas_on_host_layout{type, (int64_t) rows, (int64_t) cols, ld};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    delete layout;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    *preference = new cublas_on_host_preference{0, 7, {256, 256, 256, 256}};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    delete preference;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
    switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
        return take(&preference->workspace_bytes, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
        return take(&preference->schemes, value, bytes);
    default:
        return take(&preference->align[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
                    value, bytes);
    }
}

/* ---- the product ---- */

namespace
{

typedef cublas_on_host_layout layout;

bool fits(const cublas_on_host_matmul *m, const layout *A, const layout *B, const layout *C)
{
    int64_t rows = m->trans_a ? A->cols : A->rows, k = m->trans_a ? A->rows : A->cols;
    int64_t cols = m->trans_b ? B->rows : B->cols, other_k = m->trans_b ? B->cols : B->rows;

    return rows == C->rows && cols == C->cols && k == other_k && A->type == B->type;
}

enum dev_type type_of(cudaDataType_t type)
{
    return type == CUDA_R_32F ? DEV_FLOAT32 : type == CUDA_R_16F ? DEV_FLOAT16 : DEV_BFLOAT16;
}

size_t width(cudaDataType_t type)
{
    return dev_type_bytes(type_of(type));
}

/* op(X) as floats: lines of n_k, one for each row of op(A) or column of op(B). */
std::vector<float> lines_of(const void *p, const layout &l, bool along_rows, bool rounds)
{
    int64_t lines = along_rows ? l.cols : l.rows, n = along_rows ? l.rows : l.cols;
    std::vector<float> all((size_t) (lines * n));

    for (int64_t i = 0; i < lines; i++)
        for (int64_t k = 0; k < n; k++) {
            float x = dev_get(type_of(l.type), p, along_rows ? i * l.ld + k : k * l.ld + i);

            all[(size_t) (i * n + k)] = rounds ? tf32(x) : x;
        }
    return all;
}

struct product {
    cublas_on_host_matmul m;
    layout A, B, C;
    const void *a, *b, *c;
    void *d;
    float alpha, beta;
    void *workspace;

    void operator()() const
    {
        bool rounds = m.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
        std::vector<float> left = lines_of(a, A, m.trans_a != 0, rounds);
        std::vector<float> right = lines_of(b, B, m.trans_b == 0, rounds);
        int64_t n = m.trans_a ? A.rows : A.cols;

        memset(workspace, 0x5a, WORKSPACE_WANTED);
        for (int64_t j = 0; j < C.cols; j++)
            for (int64_t i = 0; i < C.rows; i++) {
                const float *x = &left[(size_t) (i * n)], *y = &right[(size_t) (j * n)];
                float parts[8] = {}, sum = 0.0f;

                for (int64_t k = 0; k < n; k++)
                    parts[k % 8] += x[k] * y[k];
                for (float part : parts)
                    sum += part;
                sum *= alpha;
                if (beta != 0.0f)
                    sum += beta * dev_get(type_of(C.type), c, j * C.ld + i);
                if (m.epilogue & CUBLASLT_EPILOGUE_BIAS)
                    sum +=
                        dev_get(type_of(m.bias_type >= 0 ? (cudaDataType_t) m.bias_type : C.type),
                                m.bias, i);
                if (m.epilogue & CUBLASLT_EPILOGUE_RELU && sum < 0.0f)
                    sum = 0.0f;
                dev_put(type_of(C.type), d, j * C.ld + i, sum);
            }
    }
};

cublasLtMatmulAlgo_t algorithm_for(const cublas_on_host_matmul *m, const layout *A, const layout *B,
                                   const layout *C)
{
    return {{(uint64_t) C->rows, (uint64_t) C->cols, (uint64_t) (m->trans_a ? A->rows : A->cols),
             (uint64_t) A->type, (uint64_t) B->ld, (uint64_t) C->type, (uint64_t) m->epilogue,
             (uint64_t) m->compute}};
}

} /* namespace */

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B,
                                              cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    *found = 0;
    if (!handle || wanted < 1 || C != D || !fits(desc, A, B, C))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (desc->epilogue & CUBLASLT_EPILOGUE_BIAS && desc->bias_type >= 0 &&
        desc->bias_type != (int32_t) C->type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (preference->workspace_bytes < WORKSPACE_WANTED || preference->schemes & 1 ||
        preference->align[0] < width(A->type) || preference->align[1] < width(B->type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    results[0].algo = algorithm_for(desc, A, B, C);
    results[0].workspaceSize = WORKSPACE_WANTED;
    results[0].state = CUBLAS_STATUS_SUCCESS;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                              const void *A, cublasLtMatrixLayout_t Adesc, const void *B,
                              cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C,
                              cublasLtMatrixLayout_t Cdesc, void *D, cublasLtMatrixLayout_t Ddesc,
                              const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspace_bytes, cudaStream_t stream)
{
    cublasLtMatmulAlgo_t right;

    if (!handle || Cdesc != Ddesc || C != D || !fits(desc, Adesc, Bdesc, Cdesc))
        return CUBLAS_STATUS_INVALID_VALUE;
    right = algorithm_for(desc, Adesc, Bdesc, Cdesc);
    if (memcmp(&right, algo, sizeof right) != 0 || workspace_bytes < WORKSPACE_WANTED)
        return CUBLAS_STATUS_INVALID_VALUE;
    cuda_on_host::queue_call(stream,
                             product{*desc, *Adesc, *Bdesc, *Cdesc, A, B, C, D,
                                     *(const float *) alpha, *(const float *) beta, workspace});
    return CUBLAS_STATUS_SUCCESS;
}
