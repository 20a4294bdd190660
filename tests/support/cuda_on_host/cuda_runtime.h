/*
 * tests/support/cuda_on_host/cuda_runtime.h - the language of kernels as C++ for the host.
 *
 * A kernel is a function that is called once per thread, each call on a fiber of its own
 * (grid.cpp). What differs from nvcc's language is behind the macros of
 * train/device/cuda/launch.cuh: launches and shared memory.
 */
#ifndef CUDA_ON_HOST_RUNTIME_H
#define CUDA_ON_HOST_RUNTIME_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <functional>

#include "tests/support/cuda_on_host/cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};

struct alignas(16) float4 {
    float x, y, z, w;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

static inline float4 make_float4(float x, float y, float z, float w)
{
    return float4{x, y, z, w};
}

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
static const int warpSize = 32;

namespace cuda_on_host
{

/* All threads of the block, or of the warp, come here before one goes on; `place` is the line. */
void block_barrier(const char *file, int line);
void warp_barrier(unsigned mask, const char *file, int line);
/* The slot of the lane for what it gives to others in this exchange, and another lane's. */
void *own_slot();
void *slot_of(int lane);
/* Memory of the block for the variable that `key` stands for; the same for all its threads. */
void *shared(const void *key, size_t bytes, size_t align);
void *dynamic_shared();

template <class T> T exchange(unsigned mask, T value, int lane, const char *file, int line)
{
    static_assert(sizeof(T) <= 16, "a register");
    memcpy(own_slot(), &value, sizeof value);
    warp_barrier(mask, file, line);
    memcpy(&value, slot_of(lane), sizeof value);
    return value;
}

struct warp_meeting {
    const char *file;
    int line;
    void operator()(unsigned mask = ~0u) const
    {
        warp_barrier(mask, file, line);
    }
};

/* mma.m16n8k16 of bfloat16 and ldmatrix.x4, as train/device/cuda/fragments.cuh says. */
void product_of_fragments(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                          const char *file, int line);
void matrices_of_rows(unsigned (&to)[4], const void *row, bool turned, const char *file, int line);

int lane();
unsigned ballot(unsigned mask, bool predicate, const char *file, int line);

void queue_kernel(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                  cudaStream_t stream, std::function<void()> thread);

template <class... P, class... A>
void launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes,
            cudaStream_t stream, A... args)
{
    queue_kernel(name, (const void *) (uintptr_t) kernel, grid, block, shared_bytes, stream,
                 [=] { kernel(P(args)...); });
}

} /* namespace cuda_on_host */

#define __syncthreads() cuda_on_host::block_barrier(__FILE__, __LINE__)
#define __syncwarp                                                                                 \
    cuda_on_host::warp_meeting                                                                     \
    {                                                                                              \
        __FILE__, __LINE__                                                                         \
    }
#define __shfl_sync(mask, value, from)                                                             \
    cuda_on_host::exchange(mask, value, (from) &31, __FILE__, __LINE__)
#define __shfl_xor_sync(mask, value, bits)                                                         \
    cuda_on_host::exchange(mask, value, cuda_on_host::lane() ^ (bits), __FILE__, __LINE__)
#define __shfl_down_sync(mask, value, n)                                                           \
    cuda_on_host::exchange(mask, value,                                                            \
                           cuda_on_host::lane() + (int) (n) < 32                                   \
                               ? cuda_on_host::lane() + (int) (n)                                  \
                               : cuda_on_host::lane(),                                             \
                           __FILE__, __LINE__)
#define __shfl_up_sync(mask, value, n)                                                             \
    cuda_on_host::exchange(mask, value,                                                            \
                           cuda_on_host::lane() >= (int) (n) ? cuda_on_host::lane() - (int) (n)    \
                                                             : cuda_on_host::lane(),               \
                           __FILE__, __LINE__)
#define __ballot_sync(mask, predicate)                                                             \
    cuda_on_host::ballot(mask, (predicate) != 0, __FILE__, __LINE__)
#define __any_sync(mask, predicate) (__ballot_sync(mask, predicate) != 0)
#define __popc(x) __builtin_popcount(x)
#define __ffs(x) __builtin_ffs((int) (x))

template <class T> static inline T __ldg(const T *p)
{
    return *p;
}

/* Threads run one at a time. */
static inline int atomicAdd(int *p, int n)
{
    int old = *p;

    *p = old + n;
    return old;
}

static inline unsigned long long atomicMin(unsigned long long *p, unsigned long long n)
{
    unsigned long long old = *p;

    *p = n < old ? n : old;
    return old;
}

static inline float __uint_as_float(unsigned u)
{
    float f;

    memcpy(&f, &u, sizeof f);
    return f;
}

static inline unsigned __float_as_uint(float f)
{
    unsigned u;

    memcpy(&u, &f, sizeof u);
    return u;
}

#define DEV_CUDA_MULTIPLY_FRAGMENTS
#define multiply_fragments(sum, a, b0, b1)                                                         \
    cuda_on_host::product_of_fragments(sum, a, b0, b1, __FILE__, __LINE__)
#define load_matrices(to, row) cuda_on_host::matrices_of_rows(to, row, false, __FILE__, __LINE__)
#define load_turned(to, row) cuda_on_host::matrices_of_rows(to, row, true, __FILE__, __LINE__)

#define DEV_UNROLL
/* What the compiler may take for granted is looked at here. */
#define DEV_ASSUME(condition) ((condition) ? (void) 0 : abort())
/* launch.cuh takes these instead of <<< >>> and __shared__. */
#define DEV_CUDA_LAUNCH(name, kernel, grid, block, shared_bytes, stream, ...)                      \
    cuda_on_host::launch(name, kernel, grid, block, shared_bytes, stream, __VA_ARGS__)
#define DEV_SHARED(type, name, dims)                                                               \
    static const char cuda_key_##name = 0;                                                         \
    typedef type cuda_type_##name dims;                                                            \
    cuda_type_##name &name =                                                                       \
        *(cuda_type_##name *) cuda_on_host::shared(&cuda_key_##name, sizeof(cuda_type_##name),     \
                                                   alignof(cuda_type_##name))
#define DEV_DYNAMIC_SHARED(type, name) type *name = (type *) cuda_on_host::dynamic_shared()

#endif
