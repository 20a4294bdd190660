/*
 * train/device/reference/reference_kernels.h - the plain kernels that have a file of their own;
 * reference_kernels.c has the table and the rest.
 */
#ifndef DEV_REFERENCE_KERNELS_H
#define DEV_REFERENCE_KERNELS_H

#include "train/device/kernels.h"

void dev_reference_attention(struct dev *d, const struct dev_attention *a, float *scratch);
void dev_reference_attention_bwd(struct dev *d, const struct dev_attention *a,
                                 const struct dev_attention_grads *g, float *scratch);
int64_t dev_reference_attention_scratch(const struct dev *d, const struct dev_attention *a,
                                        bool backward);

void dev_reference_unfold(struct dev *d, const struct dev_unfold *a, float *out);
void dev_reference_unfold_bwd(struct dev *d, const struct dev_unfold *a, const float *dout,
                              bool accumulate, float *dx);
void dev_reference_depthwise(struct dev *d, const struct dev_depthwise *a, float *y);
void dev_reference_depthwise_bwd(struct dev *d, const struct dev_depthwise *a, const float *dy,
                                 float *dx, bool accumulate_x, float *dw, bool accumulate_w);
void dev_reference_scale(struct dev *d, const float *x, int64_t n, float scale, bool accumulate,
                         float *y);
void dev_reference_swap_axes(struct dev *d, const float *x, int64_t A, int64_t B, int64_t D,
                             bool accumulate, float *y);
void dev_reference_mean_axis(struct dev *d, const float *x, int64_t B, int64_t L, int64_t D,
                             float *y);
void dev_reference_mean_axis_bwd(struct dev *d, const float *dy, int64_t B, int64_t L, int64_t D,
                                 bool accumulate, float *dx);
void dev_reference_copy_columns(struct dev *d, const float *x, int64_t rows, int64_t cols,
                                int64_t x_stride, bool accumulate, float *y, int64_t y_stride);
void dev_reference_shift_pixels(struct dev *d, const float *x, const int64_t dims[4], int64_t rows,
                                int64_t columns, bool accumulate, float *y);
void dev_reference_mirror_pixels(struct dev *d, const float *x, const int64_t dims[4], float *y);
void dev_reference_excite(struct dev *d, const struct dev_excite *a);
void dev_reference_excite_bwd(struct dev *d, const struct dev_excite *a);
void dev_reference_class_xent(struct dev *d, const struct dev_class_xent *a);
void dev_reference_targeted(struct dev *d, const struct dev_targeted *a);
void dev_reference_batch_moments(struct dev *d, const float *x, int64_t rows, int64_t C,
                                 float *mean, float *variance, float *scratch);
void dev_reference_batch_norm(struct dev *d, const struct dev_batch_norm *a, float *y);
void dev_reference_batch_norm_bwd(struct dev *d, const struct dev_batch_norm *a,
                                  const struct dev_batch_norm_grads *g);
int64_t dev_reference_batch_norm_scratch(int64_t rows, int64_t C);
void dev_reference_pointwise_loss(struct dev *d, const struct dev_pointwise_loss *a);
void dev_reference_max_pool(struct dev *d, const struct dev_pool *a, const float *x, float *y,
                            int32_t *argmax);
void dev_reference_max_pool_bwd(struct dev *d, const struct dev_pool *a, const float *dy,
                                const int32_t *argmax, bool accumulate, float *dx);
void dev_reference_avg_pool(struct dev *d, const struct dev_pool *a, const float *x, float *y);
void dev_reference_avg_pool_bwd(struct dev *d, const struct dev_pool *a, const float *dy,
                                bool accumulate, float *dx);
void dev_reference_relu(struct dev *d, const float *x, int64_t n, float *y);
void dev_reference_gelu(struct dev *d, const float *x, int64_t n, float *y);
void dev_reference_gelu_bwd(struct dev *d, const float *x, const float *dy, int64_t n,
                            bool accumulate, float *dx);
void dev_reference_scale_rows(struct dev *d, const float *x, int64_t rows, int64_t cols,
                              const float *factors, bool accumulate, float *y);
void dev_reference_blend(struct dev *d, const float *x, int64_t n, float keep, float take,
                         float *y);

void dev_reference_conv2d(struct dev *d, const struct dev_conv2d *a, float *y);
void dev_reference_conv2d_bwd_data(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                   bool accumulate, float *dx);
void dev_reference_conv2d_bwd_weights(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                      bool accumulate, float *dw);
int64_t dev_reference_conv2d_scratch(const struct dev *d, const struct dev_conv2d *a,
                                     enum dev_conv2d_pass pass);

#endif
