/*
 * train/device/cuda/dropped.cuh - elements with their dropout factor, eight to a thread.
 *
 * A block of Philox's numbers decides over eight elements that lie 16 apart in a group of 128
 * (dropout_bits.h).  A thread takes these eight, so each number is computed once, and 16 threads
 * read 16 neighbours: half of a line of memory, all of it used.
 */
#ifndef DEV_CUDA_DROPPED_CUH
#define DEV_CUDA_DROPPED_CUH

#include "train/device/cuda/launch.cuh"

/* f(i, factor of element i) for i = 0 .. n-1. */
template <class F>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    each_dropped(int64_t n, struct dev_dropout drop, F f)
{
    int64_t step = (int64_t) gridDim.x * blockDim.x;

    int64_t first = (int64_t) dev_dropout_first(&drop), in_group = first % 128;

    for (int64_t t = (int64_t) blockIdx.x * blockDim.x + threadIdx.x;
         t < (in_group + n + 127) / 128 * 16; t += step) {
        uint32_t counter[4], bits[4];

        dev_dropout_counter(&drop, (uint32_t) (first / 128 * 16 + t), counter);
        t2_philox_block(counter, drop.step->dropout_key, bits);
        for (int j = 0; j < 8; j++) {
            int64_t i = t / 16 * 128 + j * 16 + t % 16 - in_group;
            uint32_t own = bits[j / 2] >> (16 * (j % 2)) & 0xffffu;

            if (i >= 0 && i < n)
                f(i, own < drop.threshold ? 0.0f : drop.scale);
        }
    }
}

/* The same where rows share a mask: each element looks for its number. */
template <class F>
__global__ void __launch_bounds__(DEV_CUDA_BLOCK)
    each_shared(int64_t n, struct dev_dropout drop, F f)
{
    int64_t step = (int64_t) gridDim.x * blockDim.x;

    for (int64_t i = (int64_t) blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        f(i, dev_dropout_factor(&drop, (uint64_t) i));
}

template <class F>
static void for_each_dropped(struct dev *d, const char *name, int64_t n,
                             const struct dev_dropout *drop, F f)
{
    if (n == 0)
        return;
    if (drop->threshold == 0 || drop->shared_rows != 0)
        LAUNCH(d, name, each_shared<F>, grid_for(d, n, DEV_CUDA_BLOCK), DEV_CUDA_BLOCK, 0, n, *drop,
               f);
    else
        LAUNCH(d, name, each_dropped<F>, grid_for(d, div_up(n + 127, 8), DEV_CUDA_BLOCK),
               DEV_CUDA_BLOCK, 0, n, *drop, f);
}

/* f(c, factor of element first + c) for c = 0 .. n-1, by the lanes of a warp: groups of the mask
 * where the row begins with one, else each element looks for its number. */
template <class F>
static __device__ __forceinline__ void row_dropped(const struct dev_dropout *drop, int64_t first,
                                                   int64_t n, F f)
{
    int lane = (int) threadIdx.x % DEV_CUDA_WARP;
    int64_t number = drop->threshold ? (int64_t) dev_dropout_first(drop) + first : 0;

    if (drop->threshold == 0) {
        for (int64_t c = lane; c < n; c += DEV_CUDA_WARP)
            f(c, 1.0f);
        return;
    }
    if (drop->shared_rows != 0 || number % 128 != 0) {
        for (int64_t c = lane; c < n; c += DEV_CUDA_WARP)
            f(c, dev_dropout_factor(drop, (uint64_t) (first + c)));
        return;
    }
    for (int64_t t = lane; t < (n + 127) / 128 * 16; t += DEV_CUDA_WARP) {
        uint32_t counter[4], bits[4];

        dev_dropout_counter(drop, (uint32_t) (number / 128 * 16 + t), counter);
        t2_philox_block(counter, drop->step->dropout_key, bits);
        for (int j = 0; j < 8; j++) {
            int64_t c = t / 16 * 128 + j * 16 + t % 16;
            uint32_t own = bits[j / 2] >> (16 * (j % 2)) & 0xffffu;

            if (c < n)
                f(c, own < drop->threshold ? 0.0f : drop->scale);
        }
    }
}

/* i / cols, in 32 bits where these are enough: a division of 64 bits takes a hundred
 * instructions. */
static __device__ __forceinline__ int64_t row_of(int64_t i, int64_t cols)
{
    return ((uint64_t) i | (uint64_t) cols) >> 32 ? i / cols
                                                  : (int64_t) ((uint32_t) i / (uint32_t) cols);
}

#endif
