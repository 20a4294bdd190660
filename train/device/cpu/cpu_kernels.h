/*
 * train/device/cpu/cpu_kernels.h - the kernels of the cpu device, compiled once per CPU variant
 * (DEV_CPU_VARIANT: generic, avx2, avx512); DEV_CPU(name) appends the variant to a symbol.
 */
#ifndef DEV_CPU_KERNELS_H
#define DEV_CPU_KERNELS_H

#ifdef DEV_CPU_VARIANT
#include "train/device/cpu/simd.h"
#endif
#include "train/device/kernels.h"

/* Calls fn for pieces 0 .. n-1 on the device's pool. */
static inline void dev_cpu_run(struct dev *d, int64_t n, t2_pool_fn fn, void *arg)
{
    t2_pool_run(d->pool, n, fn, arg);
}

static inline int64_t dev_cpu_div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ---- gemm.c (not per variant): tiles of a gemm on the pool; each tile is one call of the
 * library (gemm_lib.h), followed by the epilogue of the variant ---- */
typedef void (*dev_cpu_epilogue)(const struct dev_gemm *a, int64_t row, int64_t n_rows, int64_t col,
                                 int64_t n_cols);
void dev_cpu_gemm_tiled(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue);
/* The factors as bfloat16, rows one behind the other. */
void dev_cpu_gemm_tiled_bf16(struct dev *d, const struct dev_gemm *a, const uint16_t *A,
                             const uint16_t *B, dev_cpu_epilogue epilogue);

/* ---- per variant ---- */
#ifdef DEV_CPU_VARIANT
#define KERNEL(name, args) void DEV_CPU(dev_cpu_##name)(struct dev * d, const struct args *a);
#define SCRATCH(name, parameters) int64_t DEV_CPU(dev_cpu_##name##_scratch) parameters;
#include "train/device/kernels.def"

/* (rows, cols) with row stride `stride`, rounded to bfloat16, rows one behind the other: as
 * bfloat16; as floats. */
void DEV_CPU(dev_cpu_to_halves)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                int64_t stride, uint16_t *to);
void DEV_CPU(dev_cpu_to_rounded)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                 int64_t stride, float *to);
#endif

#endif
