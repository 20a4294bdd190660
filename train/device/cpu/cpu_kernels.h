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

static inline int64_t dev_cpu_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- gemm.c (not per variant): tiles of a gemm on the pool; each tile is one call of the
 * library (gemm_lib.h), followed by the epilogue of the variant ---- */
typedef void (*dev_cpu_epilogue)(const struct dev_gemm *a, int64_t row, int64_t n_rows, int64_t col,
                                 int64_t n_cols);
void dev_cpu_gemm_tiled(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue);
/* The tiles of C, n_tiles of them, numbered row by row. */
struct dev_cpu_tiles {
    int64_t m, n, across, n_tiles; /* rows and columns of a tile; tiles side by side; all */
};
struct dev_cpu_tiles dev_cpu_gemm_tiles(const struct dev_gemm *a);
/* Where K is cut: n parts of k numbers (the last may have fewer); n = 1: it is not.  Scratch memory
 * then holds a C (M,N) of floats for each: at most so many floats. */
struct dev_cpu_parts {
    int64_t n, k;
};
struct dev_cpu_parts dev_cpu_gemm_parts(const struct dev_gemm *a);
int64_t dev_cpu_gemm_parts_floats(const struct dev_gemm *a);

/* ---- per variant ---- */
#ifdef DEV_CPU_VARIANT
#define KERNEL(name, args) void DEV_CPU(dev_cpu_##name)(struct dev * d, const struct args *a);
#define SCRATCH(name, parameters) int64_t DEV_CPU(dev_cpu_##name##_scratch) parameters;
#include "train/device/kernels.def"

/* convert_cpu.c: n elements of p from number i on as floats; floats rounded to them. */
void DEV_CPU(dev_cpu_widen)(enum dev_type type, const void *p, int64_t i, int64_t n, float *to);
void DEV_CPU(dev_cpu_narrow)(enum dev_type type, const float *x, int64_t n, void *p, int64_t i);
/* A matrix (rows, cols) from element i of p on, with row stride `stride`, rounded to a float type,
 * rows one behind the other.  On the calling thread. */
void DEV_CPU(dev_cpu_matrix_as)(enum dev_type from, const void *p, int64_t i, int64_t rows,
                                int64_t cols, int64_t stride, enum dev_type to, void *matrix);

/* elementwise_cpu.c: the factors (0 or scale; 1 without dropout) of at most DEV_CPU_GROUP elements.
 * Those of a whole group of the mask (dropout_bits.h) are drawn without a copy. */
enum { DEV_CPU_GROUP = 128 };
void DEV_CPU(dev_cpu_dropout_factors)(const struct dev_dropout *dropout, int64_t begin,
                                      int64_t count, float *factor);

/*
 * Blocks.  Kernels compute with floats.  What is stored as floats they read and write where it is;
 * of other types a block at a time goes by way of a buffer that stays in the first-level cache.
 */

/* Elements i .. i + n - 1 of p, as floats: p's own, or in the buffer (n). */
DEV_INLINE const float *dev_cpu_in(enum dev_type type, const void *p, int64_t i, int64_t n,
                                   float *buffer)
{
    if (type == DEV_FLOAT32)
        return (const float *) p + i;
    DEV_CPU(dev_cpu_widen)(type, p, i, n, buffer);
    return buffer;
}

/* Where they are to be written, and with `keep` what they are so far; then dev_cpu_done. */
DEV_INLINE float *dev_cpu_out(enum dev_type type, void *p, int64_t i, int64_t n, bool keep,
                              float *buffer)
{
    if (type == DEV_FLOAT32)
        return (float *) p + i;
    if (keep)
        DEV_CPU(dev_cpu_widen)(type, p, i, n, buffer);
    return buffer;
}

DEV_INLINE void dev_cpu_done(enum dev_type type, const float *x, int64_t n, void *p, int64_t i)
{
    if (type != DEV_FLOAT32)
        DEV_CPU(dev_cpu_narrow)(type, x, n, p, i);
}

enum { DEV_CPU_BLOCK = 1024 }; /* floats of a buffer */

/* What follows a product in a row of C: c (n) += bias, which may be NULL; then, if asked for, the
 * larger of it and 0; NaN stays, as the loss must show it. */
DEV_INLINE void dev_cpu_bias_relu(float *c, const float *bias, int64_t n, bool relu)
{
    int64_t j = 0;

    if (!bias && !relu)
        return;
    for (; j + DEV_LANES <= n; j += DEV_LANES) {
        vf x = vf_load(c + j);

        if (bias)
            x += vf_load(bias + j);
        vf_store(c + j, relu ? vf_select(vf_above((vf){0}, x), (vf){0}, x) : x);
    }
    for (; j < n; j++) {
        if (bias)
            c[j] += bias[j];
        if (relu)
            c[j] = c[j] < 0.0f ? 0.0f : c[j];
    }
}

/* How many elements are taken at once, from `at` on, of n. */
DEV_INLINE int64_t dev_cpu_block(enum dev_type type, int64_t at, int64_t n)
{
    return type == DEV_FLOAT32 || n - at < DEV_CPU_BLOCK ? n - at : DEV_CPU_BLOCK;
}
#endif

#endif
