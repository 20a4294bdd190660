/*
 * train/device/cuda/cudnn_api.h - what cudnn.c calls of NVIDIA's cuDNN, 8 or 9: its functions, and
 * the values of its constants.
 *
 * Declared here, as its headers are often not where the library is; tests/lint/check_nvcc.sh holds
 * them against cudnn.h where that is.  Descriptors and handles are addresses of what only the
 * library knows, enumerations are ints, 0 is success.
 */
#ifndef DEV_CUDA_CUDNN_API_H
#define DEV_CUDA_CUDNN_API_H

#include <stddef.h>

enum { DNN_FLOAT = 0, DNN_HALF = 2, DNN_BFLOAT16 = 9 }; /* cudnnDataType_t */
enum { DNN_NHWC = 1 };                                  /* cudnnTensorFormat_t */
enum { DNN_CROSS_CORRELATION = 1 };                     /* cudnnConvolutionMode_t */
/* cudnnMathType_t: DEFAULT lets float32 use TF32, FMA does not. */
enum { DNN_DEFAULT_MATH = 0, DNN_TENSOR_OP_MATH = 1, DNN_FMA_MATH = 3 };
enum { DNN_DETERMINISTIC = 1 }; /* cudnnDeterminism_t */

/* cudnnConvolutionFwdAlgoPerf_t, and the same of the backward passes */
struct dnn_algorithm {
    int algo, status;
    float time;
    size_t memory;
    int determinism, math_type, reserved[3];
};

/* clang-format off: a table */
#define DNN_FUNCTIONS(F)                                                                           \
    F(int, cudnnCreate, (void **handle))                                                           \
    F(int, cudnnDestroy, (void *handle))                                                           \
    F(size_t, cudnnGetVersion, (void) )                                                            \
    F(const char *, cudnnGetErrorString, (int status))                                             \
    F(int, cudnnSetStream, (void *handle, void *stream))                                           \
    F(int, cudnnCreateTensorDescriptor, (void **desc))                                             \
    F(int, cudnnDestroyTensorDescriptor, (void *desc))                                             \
    F(int, cudnnSetTensor4dDescriptor,                                                             \
      (void *desc, int format, int type, int n, int c, int h, int w))                              \
    F(int, cudnnCreateFilterDescriptor, (void **desc))                                             \
    F(int, cudnnDestroyFilterDescriptor, (void *desc))                                             \
    F(int, cudnnSetFilter4dDescriptor,                                                             \
      (void *desc, int type, int format, int k, int c, int h, int w))                              \
    F(int, cudnnCreateConvolutionDescriptor, (void **desc))                                        \
    F(int, cudnnDestroyConvolutionDescriptor, (void *desc))                                        \
    F(int, cudnnSetConvolution2dDescriptor,                                                        \
      (void *desc, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,               \
       int dilation_w, int mode, int compute_type))                                                \
    F(int, cudnnSetConvolutionMathType, (void *desc, int math_type))                               \
    F(int, cudnnGetConvolutionForwardAlgorithm_v7,                                                 \
      (void *handle, const void *x, const void *w, const void *conv, const void *y, int wanted,    \
       int *found, struct dnn_algorithm *results))                                                 \
    F(int, cudnnGetConvolutionBackwardDataAlgorithm_v7,                                            \
      (void *handle, const void *w, const void *dy, const void *conv, const void *dx, int wanted,  \
       int *found, struct dnn_algorithm *results))                                                 \
    F(int, cudnnGetConvolutionBackwardFilterAlgorithm_v7,                                          \
      (void *handle, const void *x, const void *dy, const void *conv, const void *dw, int wanted,  \
       int *found, struct dnn_algorithm *results))                                                 \
    F(int, cudnnConvolutionForward,                                                                \
      (void *handle, const void *alpha, const void *x_desc, const void *x, const void *w_desc,     \
       const void *w, const void *conv, int algo, void *workspace, size_t bytes, const void *beta, \
       const void *y_desc, void *y))                                                               \
    F(int, cudnnConvolutionBackwardData,                                                           \
      (void *handle, const void *alpha, const void *w_desc, const void *w, const void *dy_desc,    \
       const void *dy, const void *conv, int algo, void *workspace, size_t bytes,                  \
       const void *beta, const void *dx_desc, void *dx))                                           \
    F(int, cudnnConvolutionBackwardFilter,                                                         \
      (void *handle, const void *alpha, const void *x_desc, const void *x, const void *dy_desc,    \
       const void *dy, const void *conv, int algo, void *workspace, size_t bytes,                  \
       const void *beta, const void *dw_desc, void *dw))
/* clang-format on */

#ifdef DEV_CUDA_ON_HOST /* tests/support/cuda_on_host/cudnn_on_host.cpp */
#ifdef __cplusplus
extern "C" {
#endif
#define F(result, name, parameters) result name parameters;
DNN_FUNCTIONS(F)
#undef F
#ifdef __cplusplus
}
#endif
#endif

#endif
