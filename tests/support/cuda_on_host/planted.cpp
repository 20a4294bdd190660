/*
 * tests/support/cuda_on_host/planted.cpp - kernels with a mistake in them, and without.
 */
#include "tests/support/cuda_on_host/planted.h"

#include "tests/support/cuda_on_host/cuda_runtime.h"

static __global__ void reverse(const float *in, float *out, bool missing)
{
    DEV_SHARED(float, all, [PLANTED_THREADS]);

    all[threadIdx.x] = in[threadIdx.x];
    if (!missing)
        __syncthreads();
    out[threadIdx.x] = all[PLANTED_THREADS - 1 - threadIdx.x];
}

static __global__ void sum(const float *in, float *out, bool part)
{
    DEV_SHARED(float, all, [PLANTED_THREADS]);

    all[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned half = PLANTED_THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            all[threadIdx.x] += all[threadIdx.x + half];
            if (part)
                __syncthreads();
        }
        if (!part)
            __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = all[0];
}

static __global__ void shift(const float *in, float *out, int by)
{
    out[threadIdx.x] = in[(int) threadIdx.x + by];
}

static __global__ void warp_max(const float *in, float *out, bool half)
{
    float x = in[threadIdx.x];

    if (half && threadIdx.x % 32 >= 16)
        return;
    for (int step = 16; step > 0; step /= 2)
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
    out[threadIdx.x] = x;
}

static __global__ void unset(float *out)
{
    DEV_SHARED(float, nothing, [1]);

    out[threadIdx.x] = nothing[0];
}

static __global__ void shared_end(float *out)
{
    DEV_SHARED(float, few, [4]);
    float *behind = few + 4;

    behind[threadIdx.x] = 1.0f;
    out[threadIdx.x] = behind[threadIdx.x];
}

static __global__ void multiply_add(float *x, float factor, float term)
{
    *x = *x * factor + term;
}

void planted_reverse(const float *in, float *out, bool missing, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("reverse", reverse, dim3(1), dim3(PLANTED_THREADS), 0, stream, in, out,
                    missing);
}

void planted_sum(const float *in, float *out, bool part, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("sum", sum, dim3(1), dim3(PLANTED_THREADS), 0, stream, in, out, part);
}

void planted_shift(const float *in, float *out, int n, int by, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("shift", shift, dim3(1), dim3((unsigned) n), 0, stream, in, out, by);
}

void planted_warp_max(const float *in, float *out, bool half, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("warp_max", warp_max, dim3(1), dim3(32), 0, stream, in, out, half);
}

void planted_unset(float *out, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("unset", unset, dim3(1), dim3(1), 0, stream, out);
}

void planted_shared_end(float *out, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("shared_end", shared_end, dim3(1), dim3(1), 0, stream, out);
}

void planted_step(float *x, float factor, float term, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("multiply_add", multiply_add, dim3(1), dim3(1), 0, stream, x, factor, term);
}

void planted_large_block(float *out, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("unset", unset, dim3(1), dim3(2048), 0, stream, out);
}
