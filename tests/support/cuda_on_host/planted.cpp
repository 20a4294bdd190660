/*
 * tests/support/cuda_on_host/planted.cpp - kernels with a mistake in them, and without.
 */
#include "tests/support/cuda_on_host/planted.h"

#include "tests/support/cuda_on_host/cuda_runtime.h"
#include "train/device/cuda/fragments.cuh"

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

static __global__ void product(const uint16_t *x, float *out, int fault)
{
    DEV_SHARED(uint4, pieces, [16 * fragment_tile<16>::PIECES]);
    struct fragment_tile<16> tile = {
        pieces
    };
    int lane = (int) threadIdx.x, row = lane / 2, piece = lane % 2;
    float sum[2][4] = {};
    unsigned a[4], b[4];

    memcpy(&pieces[row * fragment_tile<16>::PIECES + piece], x + 16 * row + 8 * piece, 16);
    if (fault != 1)
        __syncwarp();
    tile.left(0, 0, a);
    tile.columns(0, 0, b);
    if (fault == 2)
        load_matrices(b, tile.row(lane % 8, 0) + 1);
    multiply_fragments(sum[0], a, b[0], b[1]);
    multiply_fragments(sum[1], a, b[2], b[3]);
    for (int n = 0; n < 2; n++)
        for (int e = 0; e < 4; e++)
            out[(lane / 4 + e / 2 * 8) * 16 + 8 * n + lane % 4 * 2 + e % 2] = sum[n][e];
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

void planted_product(const uint16_t *x, float *out, int fault, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("product", product, dim3(1), dim3(32), 0, stream, x, out, fault);
}

void planted_step(float *x, float factor, float term, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("multiply_add", multiply_add, dim3(1), dim3(1), 0, stream, x, factor, term);
}

void planted_large_block(float *out, cudaStream_t stream)
{
    DEV_CUDA_LAUNCH("unset", unset, dim3(1), dim3(2048), 0, stream, out);
}
