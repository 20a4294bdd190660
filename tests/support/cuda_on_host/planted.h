/*
 * tests/support/cuda_on_host/planted.h - kernels with a mistake in them, and without: what the
 * emulated device must find (tests/ops/test_cuda_on_host.c).
 */
#ifndef CUDA_ON_HOST_PLANTED_H
#define CUDA_ON_HOST_PLANTED_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/cuda_on_host/cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLANTED_THREADS = 128 };

/* out[i] = in[127 - i] by way of shared memory; without its barrier when `missing`. */
void planted_reverse(const float *in, float *out, bool missing, cudaStream_t stream);
/* The sum of a block by shared memory, the barrier only for those threads that add when `part`. */
void planted_sum(const float *in, float *out, bool part, cudaStream_t stream);
/* out[i] = in[i + shift]: a shift of 1 reads behind the end. */
void planted_shift(const float *in, float *out, int n, int shift, cudaStream_t stream);
/* The largest of a warp; half of the lanes stay away when `half`. */
void planted_warp_max(const float *in, float *out, bool half, cudaStream_t stream);
/* out[i] = a shared variable that nobody has set. */
void planted_unset(float *out, cudaStream_t stream);
/* Writes behind a shared variable. */
void planted_shared_end(float *out, cudaStream_t stream);
/* out (16,16) = x (16,16) times x turned, of bfloat16, by fragments of a warp.  fault 1: without
 * the barrier between shared memory's writing and its reading, 2: from rows that do not begin at 16
 * bytes. */
void planted_product(const uint16_t *x, float *out, int fault, cudaStream_t stream);
/* *x = *x * factor + term */
void planted_step(float *x, float factor, float term, cudaStream_t stream);
/* A block of 2048 threads, which no device takes. */
void planted_large_block(float *out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
