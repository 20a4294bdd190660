/*
 * train/device/cuda/launch.cuh - what every .cu file begins with: the language, the tables of
 * kernels, launches.
 *
 * The same files compile for the host (tests/support/cuda_on_host/), where cuda_runtime.h brings
 * DEV_CUDA_LAUNCH, DEV_SHARED, DEV_DYNAMIC_SHARED and DEV_UNROLL of its own.
 */
#ifndef DEV_CUDA_LAUNCH_CUH
#define DEV_CUDA_LAUNCH_CUH

#include <cuda_runtime.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef DEV_CUDA_LAUNCH
#define DEV_UNROLL _Pragma("unroll")
#define DEV_ASSUME(condition) __builtin_assume(condition)
#define DEV_CUDA_LAUNCH(name, kernel, grid, block, shared_bytes, stream, ...)                      \
    (kernel)<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#define DEV_SHARED(type, name, dims) __shared__ type name dims
#define DEV_DYNAMIC_SHARED(type, name)                                                             \
    extern __shared__ __align__(16) unsigned char dev_dynamic_shared[];                            \
    type *name = (type *) dev_dynamic_shared
#endif

/* What host and device compute alike comes from the same headers: their inline functions are
 * compiled for both. */
#define _Noreturn [[noreturn]]
#define restrict __restrict__
#define inline __host__ __device__ inline
extern "C" {
#include "train/device/draw_bits.h"
#include "train/device/dropout_bits.h"
#include "train/device/step.h"
#include "train/device/types.h"
}
#undef inline
#include "train/device/cuda/cuda_device.h"

/* Threads of a block where a kernel has no reason for another number. */
enum { DEV_CUDA_BLOCK = 256, DEV_CUDA_WARP = 32 };

static inline int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Blocks for n pieces of work with loops that go on by the size of the grid: no more than keep the
 * processors full. */
static inline unsigned grid_for(struct dev *d, int64_t n, int64_t per_block)
{
    int64_t most = (int64_t) dev_cuda_of(d)->n_processors * 16, blocks = div_up(n, per_block);

    return (unsigned) (blocks < 1 ? 1 : blocks < most ? blocks : most);
}

/* Queues a kernel: its name for messages, blocks, threads, bytes of dynamic shared memory. */
#define LAUNCH(d, name, kernel, grid, block, shared_bytes, ...)                                    \
    do {                                                                                           \
        DEV_CUDA_LAUNCH(name, kernel, dim3(grid), dim3(block), shared_bytes,                       \
                        dev_cuda_of(d)->stream, __VA_ARGS__);                                      \
        dev_cuda_launched(d, name);                                                                \
    } while (0)

/* ---- one element a thread ---- */

/* f(i) for i = 0 .. n-1. */
template <class F> __global__ void __launch_bounds__(DEV_CUDA_BLOCK) each_element(int64_t n, F f)
{
    int64_t step = (int64_t) gridDim.x * blockDim.x;

    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f(i);
}

template <class F> static void for_each(struct dev *d, const char *name, int64_t n, F f)
{
    if (n > 0)
        LAUNCH(d, name, each_element<F>, grid_for(d, n, DEV_CUDA_BLOCK), DEV_CUDA_BLOCK, 0, n, f);
}

/* Element i of a tensor of a float type.  The type is the same for all threads, so the branch costs
 * nothing beside the memory. */
static __device__ __forceinline__ float get(enum dev_type type, const void *p, int64_t i)
{
    return type == DEV_FLOAT32    ? ((const float *) p)[i]
           : type == DEV_BFLOAT16 ? dev_from_bfloat16(((const uint16_t *) p)[i])
                                  : dev_from_float16(((const uint16_t *) p)[i]);
}

/* p[i] [+]= value, rounded once */
static __device__ __forceinline__ void put(enum dev_type type, void *p, int64_t i, float value,
                                           bool accumulate)
{
    dev_put(type, p, i, accumulate ? get(type, p, i) + value : value);
}

/* *to [+]= value */
static __device__ __forceinline__ void put(float *to, float value, bool accumulate)
{
    *to = accumulate ? *to + value : value;
}

static __device__ __forceinline__ double warp_sum(double x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* The sum over the block, in all its threads; `parts` has a place for each warp. */
static __device__ __forceinline__ double block_sum(double x, double *parts)
{
    int lane = (int) threadIdx.x % DEV_CUDA_WARP, warp = (int) threadIdx.x / DEV_CUDA_WARP;
    int n_warps = (int) blockDim.x / DEV_CUDA_WARP;

    x = warp_sum(x);
    __syncthreads();
    if (lane == 0)
        parts[warp] = x;
    __syncthreads();
    x = lane < n_warps ? parts[lane] : 0.0;
    return warp_sum(x);
}

/* ---- sums and largest values of a warp and of a block, the same order always ---- */

static __device__ __forceinline__ float warp_sum(float x)
{
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

static __device__ __forceinline__ float warp_max(float x)
{
    for (int step = 16; step > 0; step /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}

/* The sum over the block, in all its threads; `parts` has a place for each warp.  Whole warps. */
static __device__ __forceinline__ float block_sum(float x, float *parts)
{
    int lane = (int) threadIdx.x % DEV_CUDA_WARP, warp = (int) threadIdx.x / DEV_CUDA_WARP;
    int n_warps = (int) blockDim.x / DEV_CUDA_WARP;

    x = warp_sum(x);
    __syncthreads(); /* parts of the call before have been read */
    if (lane == 0)
        parts[warp] = x;
    __syncthreads();
    x = lane < n_warps ? parts[lane] : 0.0f;
    return warp_sum(x);
}

static __device__ __forceinline__ float block_max(float x, float *parts)
{
    int lane = (int) threadIdx.x % DEV_CUDA_WARP, warp = (int) threadIdx.x / DEV_CUDA_WARP;
    int n_warps = (int) blockDim.x / DEV_CUDA_WARP;

    x = warp_max(x);
    __syncthreads();
    if (lane == 0)
        parts[warp] = x;
    __syncthreads();
    x = lane < n_warps ? parts[lane] : -INFINITY;
    return warp_max(x);
}

#endif
