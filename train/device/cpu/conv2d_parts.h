/*
 * train/device/cpu/conv2d_parts.h - the ways to a convolution of images on the cpu device;
 * conv2d_cpu.c chooses.  Compiled once per CPU variant.
 */
#ifndef DEV_CPU_CONV2D_PARTS_H
#define DEV_CPU_CONV2D_PARTS_H

#include "train/device/cpu/cpu_kernels.h"

/* Bias and ReLU of n pixels of y, in place. */
DEV_INLINE void conv2d_finish(const struct dev_conv2d *a, float *y, int64_t n)
{
    if (!a->bias && a->activation == DEV_LINEAR)
        return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < a->N; c++) {
            float x = y[i * a->N + c] + (a->bias ? a->bias[c] : 0.0f);

            /* NaN stays */
            y[i * a->N + c] = a->activation == DEV_RELU && x < 0.0f ? 0.0f : x;
        }
}

/* Numbers in w: (kh,kw,C,N), or (kh,kw,C,N/C) where it is depthwise. */
static inline int64_t conv2d_weights(const struct dev_conv2d *a)
{
    return a->kh * a->kw * a->C * (a->depthwise ? a->N / a->C : a->N);
}

/*
 * The row (column) of x that tap u of output row (column) i reads; negative outside, on both sides.
 */
static inline int64_t conv2d_read(int64_t i, int64_t u, const struct dev_conv2d *a, int64_t before,
                                  int64_t n)
{
    int64_t at = i * a->stride + u * a->dilation - before;

    return at < n ? at : -1;
}

/* conv2d_unfold.c: the pixels that each output reads side by side, multiplied with w as a matrix;
 * x, y and their gradients are float32. */
void DEV_CPU(dev_cpu_conv2d_unfold)(struct dev *d, const struct dev_conv2d *a, float *y);
void DEV_CPU(dev_cpu_conv2d_unfold_data)(struct dev *d, const struct dev_conv2d *a, const float *dy,
                                         bool accumulate, float *dx);
/* The gradient of w from images first .. first + n - 1, on the calling thread. */
void DEV_CPU(dev_cpu_conv2d_unfold_weights)(const struct dev_conv2d *a, const float *dy,
                                            int64_t first, int64_t n, float *dw, float *scratch);
int64_t DEV_CPU(dev_cpu_conv2d_unfold_scratch)(const struct dev_conv2d *a); /* of one thread */
/* The pixels that a kernel of one pixel reads with its stride, one behind the other (B,Ho,Wo,C);
 * of a->type; and their gradients as floats back to dx, where those of the pixels between them are
 * 0. */
void DEV_CPU(dev_cpu_conv2d_gather)(struct dev *d, const struct dev_conv2d *a, void *pixels);
void DEV_CPU(dev_cpu_conv2d_scatter)(struct dev *d, const struct dev_conv2d *a, const float *pixels,
                                     bool accumulate, void *dx);

/* conv2d_depthwise.c */
/* Floats that each thread takes of a->scratch. */
int64_t DEV_CPU(dev_cpu_conv2d_depthwise_scratch)(const struct dev_conv2d *a,
                                                  enum dev_conv2d_pass pass);
void DEV_CPU(dev_cpu_conv2d_depthwise)(struct dev *d, const struct dev_conv2d *a, void *y);
void DEV_CPU(dev_cpu_conv2d_depthwise_data)(struct dev *d, const struct dev_conv2d *a,
                                            const void *dy, bool accumulate, void *dx);
void DEV_CPU(dev_cpu_conv2d_depthwise_weights)(struct dev *d, const struct dev_conv2d *a,
                                               const void *dy, bool accumulate, float *dw);

#endif
