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
void DEV_CPU(dev_cpu_gemm)(struct dev *d, const struct dev_gemm *a);
int64_t DEV_CPU(dev_cpu_gemm_scratch)(const struct dev *d, int64_t M, int64_t N, int64_t K);
/* (rows, cols) with row stride `stride`, rounded to bfloat16, rows one behind the other: as
 * bfloat16; as floats. */
void DEV_CPU(dev_cpu_to_halves)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                int64_t stride, uint16_t *to);
void DEV_CPU(dev_cpu_to_rounded)(struct dev *d, const float *from, int64_t rows, int64_t cols,
                                 int64_t stride, float *to);
void DEV_CPU(dev_cpu_col_sum)(struct dev *d, const float *x, int64_t rows, int64_t cols,
                              bool accumulate, float *out, float *scratch);
int64_t DEV_CPU(dev_cpu_col_sum_scratch)(int64_t rows, int64_t cols);
void DEV_CPU(dev_cpu_relu_bwd)(struct dev *d, const float *y, const float *dy, int64_t n,
                               float scale, float *dx);
void DEV_CPU(dev_cpu_dropout)(struct dev *d, const float *x, int64_t n,
                              const struct dev_dropout *dropout, bool accumulate, float *y);
void DEV_CPU(dev_cpu_residual)(struct dev *d, const float *x, const float *y,
                               const int32_t *row_ids, int64_t rows, int64_t cols,
                               const struct dev_dropout *dropout, float *out);
void DEV_CPU(dev_cpu_residual_bwd)(struct dev *d, const float *dout, const int32_t *row_ids,
                                   int64_t rows, int64_t cols, const struct dev_dropout *dropout,
                                   bool accumulate, float *dy);
void DEV_CPU(dev_cpu_copy)(struct dev *d, const float *x, int64_t n, bool accumulate, float *y);
void DEV_CPU(dev_cpu_embed)(struct dev *d, const struct dev_embed *a, float *out);
void DEV_CPU(dev_cpu_embed_bwd)(struct dev *d, const struct dev_embed *a, const float *dout,
                                int64_t V, float *dtable, bool accumulate_table, float *dextra,
                                bool accumulate_extra, float *dpositions,
                                bool accumulate_positions);
void DEV_CPU(dev_cpu_layer_norm)(struct dev *d, const float *x, const float *scale,
                                 const float *bias, int64_t rows, int64_t D, float eps, float *y,
                                 float *stats);
void DEV_CPU(dev_cpu_layer_norm_bwd)(struct dev *d, const float *x, const float *scale,
                                     const float *stats, const float *dy, int64_t rows, int64_t D,
                                     float *dx, bool accumulate_x, float *dscale,
                                     bool accumulate_scale, float *dbias, bool accumulate_bias,
                                     float *scratch);
int64_t DEV_CPU(dev_cpu_layer_norm_scratch)(int64_t rows, int64_t D);
void DEV_CPU(dev_cpu_attention)(struct dev *d, const struct dev_attention *a, float *scratch);
void DEV_CPU(dev_cpu_attention_bwd)(struct dev *d, const struct dev_attention *a,
                                    const struct dev_attention_grads *g, float *scratch);
int64_t DEV_CPU(dev_cpu_attention_scratch)(const struct dev *d, const struct dev_attention *a,
                                           bool backward);
void DEV_CPU(dev_cpu_xent)(struct dev *d, const struct dev_xent *a);
int64_t DEV_CPU(dev_cpu_xent_scratch)(const struct dev *d, int64_t N, int64_t D, int64_t V);
void DEV_CPU(dev_cpu_unfold)(struct dev *d, const struct dev_unfold *a, float *out);
void DEV_CPU(dev_cpu_unfold_bwd)(struct dev *d, const struct dev_unfold *a, const float *dout,
                                 bool accumulate, float *dx);
void DEV_CPU(dev_cpu_depthwise)(struct dev *d, const struct dev_depthwise *a, float *y);
void DEV_CPU(dev_cpu_depthwise_bwd)(struct dev *d, const struct dev_depthwise *a, const float *dy,
                                    float *dx, bool accumulate_x, float *dw, bool accumulate_w);
void DEV_CPU(dev_cpu_scale)(struct dev *d, const float *x, int64_t n, float scale, bool accumulate,
                            float *y);
void DEV_CPU(dev_cpu_swap_axes)(struct dev *d, const float *x, int64_t A, int64_t B, int64_t D,
                                bool accumulate, float *y);
void DEV_CPU(dev_cpu_mean_axis)(struct dev *d, const float *x, int64_t B, int64_t L, int64_t D,
                                float *y);
void DEV_CPU(dev_cpu_mean_axis_bwd)(struct dev *d, const float *dy, int64_t B, int64_t L, int64_t D,
                                    bool accumulate, float *dx);
void DEV_CPU(dev_cpu_copy_columns)(struct dev *d, const float *x, int64_t rows, int64_t cols,
                                   int64_t x_stride, bool accumulate, float *y, int64_t y_stride);
void DEV_CPU(dev_cpu_shift_pixels)(struct dev *d, const float *x, const int64_t dims[4],
                                   int64_t rows, int64_t columns, bool accumulate, float *y);
void DEV_CPU(dev_cpu_mirror_pixels)(struct dev *d, const float *x, const int64_t dims[4], float *y);
void DEV_CPU(dev_cpu_excite)(struct dev *d, const struct dev_excite *a);
void DEV_CPU(dev_cpu_excite_bwd)(struct dev *d, const struct dev_excite *a);
void DEV_CPU(dev_cpu_class_xent)(struct dev *d, const struct dev_class_xent *a);
void DEV_CPU(dev_cpu_targeted)(struct dev *d, const struct dev_targeted *a);
void DEV_CPU(dev_cpu_batch_moments)(struct dev *d, const float *x, int64_t rows, int64_t C,
                                    float *mean, float *variance, float *scratch);
void DEV_CPU(dev_cpu_batch_norm)(struct dev *d, const struct dev_batch_norm *a, float *y);
void DEV_CPU(dev_cpu_batch_norm_bwd)(struct dev *d, const struct dev_batch_norm *a,
                                     const struct dev_batch_norm_grads *g);
int64_t DEV_CPU(dev_cpu_batch_norm_scratch)(int64_t rows, int64_t C);
void DEV_CPU(dev_cpu_pointwise_loss)(struct dev *d, const struct dev_pointwise_loss *a);
void DEV_CPU(dev_cpu_max_pool)(struct dev *d, const struct dev_pool *a, const float *x, float *y,
                               int32_t *argmax);
void DEV_CPU(dev_cpu_max_pool_bwd)(struct dev *d, const struct dev_pool *a, const float *dy,
                                   const int32_t *argmax, bool accumulate, float *dx);
void DEV_CPU(dev_cpu_avg_pool)(struct dev *d, const struct dev_pool *a, const float *x, float *y);
void DEV_CPU(dev_cpu_avg_pool_bwd)(struct dev *d, const struct dev_pool *a, const float *dy,
                                   bool accumulate, float *dx);
void DEV_CPU(dev_cpu_relu)(struct dev *d, const float *x, int64_t n, float *y);
void DEV_CPU(dev_cpu_gelu)(struct dev *d, const float *x, int64_t n, float *y);
void DEV_CPU(dev_cpu_gelu_bwd)(struct dev *d, const float *x, const float *dy, int64_t n,
                               bool accumulate, float *dx);
void DEV_CPU(dev_cpu_scale_rows)(struct dev *d, const float *x, int64_t rows, int64_t cols,
                                 const float *factors, bool accumulate, float *y);
void DEV_CPU(dev_cpu_blend)(struct dev *d, const float *x, int64_t n, float keep, float take,
                            float *y);
void DEV_CPU(dev_cpu_conv2d)(struct dev *d, const struct dev_conv2d *a, float *y);
void DEV_CPU(dev_cpu_conv2d_bwd_data)(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                      bool accumulate, float *dx);
void DEV_CPU(dev_cpu_conv2d_bwd_weights)(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                         bool accumulate, float *dw);
int64_t DEV_CPU(dev_cpu_conv2d_scratch)(const struct dev *d, const struct dev_conv2d *a,
                                        enum dev_conv2d_pass pass);
void DEV_CPU(dev_cpu_cache_put)(struct dev *d, const float *x, int64_t B, int64_t D,
                                int64_t cache_rows, int64_t row, float *cache);
void DEV_CPU(dev_cpu_cache_gather)(struct dev *d, const float *from, const int32_t *index,
                                   int64_t B, int64_t D, int64_t cache_rows, int64_t rows,
                                   float *to);
#endif

#endif
