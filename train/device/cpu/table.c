/*
 * train/device/cpu/table.c - the kernel table of one CPU variant.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/plain/plain_kernels.h"

extern const struct dev_kernels DEV_CPU(dev_cpu_kernels);

const struct dev_kernels DEV_CPU(dev_cpu_kernels) = {
    .gemm = DEV_CPU(dev_cpu_gemm),
    .gemm_scratch_floats = DEV_CPU(dev_cpu_gemm_scratch),
    .col_sum = DEV_CPU(dev_cpu_col_sum),
    .col_sum_scratch_floats = DEV_CPU(dev_cpu_col_sum_scratch),
    .relu_bwd = DEV_CPU(dev_cpu_relu_bwd),
    .dropout = DEV_CPU(dev_cpu_dropout),
    .residual = DEV_CPU(dev_cpu_residual),
    .residual_bwd = DEV_CPU(dev_cpu_residual_bwd),
    .copy = DEV_CPU(dev_cpu_copy),
    .embed = DEV_CPU(dev_cpu_embed),
    .embed_bwd = DEV_CPU(dev_cpu_embed_bwd),
    .layer_norm = DEV_CPU(dev_cpu_layer_norm),
    .layer_norm_bwd = DEV_CPU(dev_cpu_layer_norm_bwd),
    .layer_norm_scratch_floats = DEV_CPU(dev_cpu_layer_norm_scratch),
    .attention = DEV_CPU(dev_cpu_attention),
    .attention_bwd = DEV_CPU(dev_cpu_attention_bwd),
    .attention_scratch_floats = DEV_CPU(dev_cpu_attention_scratch),
    .xent = DEV_CPU(dev_cpu_xent),
    .xent_scratch_floats = DEV_CPU(dev_cpu_xent_scratch),
    .unfold = DEV_CPU(dev_cpu_unfold),
    .unfold_bwd = DEV_CPU(dev_cpu_unfold_bwd),
    .depthwise = DEV_CPU(dev_cpu_depthwise),
    .depthwise_bwd = DEV_CPU(dev_cpu_depthwise_bwd),
    .scale = DEV_CPU(dev_cpu_scale),
    .swap_axes = DEV_CPU(dev_cpu_swap_axes),
    .mean_axis = DEV_CPU(dev_cpu_mean_axis),
    .mean_axis_bwd = DEV_CPU(dev_cpu_mean_axis_bwd),
    .copy_columns = DEV_CPU(dev_cpu_copy_columns),
    .shift_pixels = DEV_CPU(dev_cpu_shift_pixels),
    .excite = DEV_CPU(dev_cpu_excite),
    .excite_bwd = DEV_CPU(dev_cpu_excite_bwd),
    .class_xent = DEV_CPU(dev_cpu_class_xent),
    .conv2d = dev_plain_conv2d,
    .conv2d_bwd_data = dev_plain_conv2d_bwd_data,
    .conv2d_bwd_weights = dev_plain_conv2d_bwd_weights,
    .conv2d_scratch_floats = dev_plain_conv2d_scratch,
    .cache_put = DEV_CPU(dev_cpu_cache_put),
    .cache_gather = DEV_CPU(dev_cpu_cache_gather),
};
