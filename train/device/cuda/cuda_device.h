/*
 * train/device/cuda/cuda_device.h - the device "cuda" as its own files see it.
 *
 * Each queue is a stream.  Errors of the runtime are sticky: the first is kept with
 * the call that saw it, and dev_check gives it.  Kernels run behind the host, so an error inside of
 * one is seen by a later call; with T2_CUDA_WAIT=1 the device waits behind each kernel, and the
 * message names the one that failed.
 */
#ifndef DEV_CUDA_DEVICE_H
#define DEV_CUDA_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif
#include "base/err.h"
#include "train/device/device.h"
#include "train/device/kernels.h"
#ifdef __cplusplus
}
#endif

struct dev_cuda_blaslt; /* cublaslt.c */
struct dev_cuda_dnn;    /* cudnn.c */

struct dev_cuda {
    struct dev dev; /* first: a struct dev * of this device is a struct dev_cuda * */
    int ordinal;    /* of the GPU */
    int n_processors;
    cudaStream_t stream, streams[DEV_N_QUEUES]; /* stream: that of DEV_COMPUTE */
    struct dev_cuda_blaslt *blaslt;             /* NULL: our own products (product_cuda.cu) */
    struct dev_cuda_dnn *dnn;                   /* NULL: our own convolutions (conv2d_cuda.cu) */
    char *staging;                              /* pinned, a ring: what upload_now has read */
    size_t staged;                              /* bytes of it in use since staging_free */
    void *workspace; /* dev_cuda_workspace; smaller ones stay, for recordings */
    size_t workspace_bytes;
    bool recording;                /* between record_begin and record_end */
    uint64_t used_bytes;           /* of alloc and the workspace */
    struct dev_cuda_block *blocks; /* sizes of what alloc gave */
    bool wait;                     /* T2_CUDA_WAIT */
    const char *kernel;            /* queued last */
    struct t2_err error;           /* the first failure; T2_OK: none */
    char name[80], description[400], tf32_description[420], bf16_description[420],
        f16_description[420];
};

#ifdef __cplusplus
extern "C" {
#endif

static inline struct dev_cuda *dev_cuda_of(struct dev *d)
{
    return (struct dev_cuda *) d;
}

/* Keeps the failure of a call of the runtime; returns whether it went well. */
bool dev_cuda_ok(struct dev *d, cudaError_t rc, const char *call);
/* As dev_cuda_ok for a library: `why` is its own word for the failure. */
void dev_cuda_fails(struct dev *d, const char *call, const char *why);
/* Memory for one call of a kernel that has none of its own, full of rubbish; another when that is
 * not enough, so its pointer is asked for in each call.  NULL after a failure. */
void *dev_cuda_workspace(struct dev *d, size_t bytes);
/* Behind the launch of a kernel. */
void dev_cuda_launched(struct dev *d, const char *kernel);

/* struct dev's. */
void dev_cuda_sum_on(struct dev *d, enum dev_queue queue, const float *x, const float *y, int64_t n,
                     float *to);

#define KERNEL(name, args) void dev_cuda_##name(struct dev *d, const struct args *a);
#define SCRATCH(name, parameters) int64_t dev_cuda_##name##_scratch parameters;
#include "train/device/kernels.def"

extern const struct dev_kernels dev_cuda_kernels;

#ifdef __cplusplus
}
#endif

#endif
