/*
 * train/device/conv_kernels.h - arguments of the kernels of convolutions, along positions and of
 * images; a part of kernels.h.
 */
#ifndef DEV_CONV_KERNELS_H
#define DEV_CONV_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/layer_kernels.h"
#include "train/device/step_block.h"
#include "train/device/types.h"

/*
 * What the taps of a convolution along positions read, side by side, so that a gemm with the
 * weights (taps*D, N) computes it: out (B,L,taps*D), out[b,l, t*D + c] = scale * x[b, at + l +
 * offset(t), c],  offset(0) = 0, offset(t) = first + t and 0 outside of the rows at' = 0 .. at + L
 * - 1 or where row_ids[b, at'] == 0 (row_ids NULL: nowhere; at is 0 then).  Tap 0 is not shifted,
 * as in the original (tpu_conv1d).  x (B,x_rows,D); in training x_rows is L and at 0, in decoding x
 * is a cache and L is 1; with cache_index row at' of element b is that of cache_index[b,at'].
 */
struct dev_unfold {
    int64_t B, L, D, taps, first;
    int64_t x_rows, at;
    const struct dev_step *at_step; /* NULL, or `at` is its position */
    float scale;
    const int32_t *row_ids;
    enum dev_type type; /* of x, out and their gradients */
    const void *x;
    const int32_t *cache_index; /* NULL, or (2, B, x_rows): the table of at_step */
};

struct dev_unfold_args {
    struct dev_unfold of;
    void *out; /* (B,L,taps*D) */
};

struct dev_unfold_bwd_args {
    struct dev_unfold of;
    const void *dout; /* (B,L,taps*D) */
    bool accumulate;
    void *dx; /* (B,L,D) */
};

/* Convolution of each channel along positions, padded on the left: y (B,L,C),
 *   y[b,l,c] = sum over t of x[b, l - (taps - 1) + t, c] w[t,c], w (taps,C). */
struct dev_depthwise {
    int64_t B, L, C, taps;
    enum dev_type type; /* of x, y and their gradients */
    const void *x;
    const float *w;
};

struct dev_depthwise_args {
    struct dev_depthwise of;
    void *y; /* (B,L,C) */
};

/* Sums over rows in their order. */
struct dev_depthwise_bwd_args {
    struct dev_depthwise of;
    const void *dy; /* (B,L,C) */
    void *dx;       /* (B,L,C) */
    bool accumulate_x;
    float *dw; /* (taps,C) */
    bool accumulate_w;
};

/*
 * Convolution of images x (B,H,W,C) with w (kh,kw,C,N), y (B,Ho,Wo,N):
 *   y[b,i,j,n] = activation(bias[n] + sum over u, v, c of
 *                x[b, i*stride + u*dilation - top, j*stride + v*dilation - left, c] w[u,v,c,n])
 * with zeros outside of x.  depthwise: w is (kh,kw,C,N/C), channel c gives the outputs n with
 * n / (N/C) = c and takes part in no other.  bias (N) may be NULL.  On a device of another
 * precision than float32 the factors (elements of x, w and dy) are rounded to it first, but for
 * depthwise.
 */
struct dev_conv2d {
    int64_t B, H, W, C;
    int64_t kh, kw;
    int64_t Ho, Wo, N;
    int64_t stride, dilation;
    /* rows and columns of zeros before the first of x; behind the last one as many as are read */
    int64_t top, left;
    bool depthwise;
    enum dev_type type; /* of x, y and their gradients */
    const void *x;
    const float *w, *bias;
    int32_t w_layout; /* of w and dw (param_layout.h) */
    enum dev_activation activation;
    float *scratch; /* dev_kernels.conv2d_scratch_floats() */
};

/* The three gemms of a convolution: y, dx and dw. */
enum dev_conv2d_pass { DEV_CONV2D_FORWARD, DEV_CONV2D_DATA, DEV_CONV2D_WEIGHTS };

struct dev_conv2d_args {
    struct dev_conv2d of;
    void *y; /* (B,Ho,Wo,N) */
};

/* From dy (B,Ho,Wo,N), the gradient before the activation; x, bias and activation are not used. */
struct dev_conv2d_bwd_data_args {
    struct dev_conv2d of;
    const void *dy;
    bool accumulate;
    void *dx; /* (B,H,W,C) */
};

/* Likewise; w, bias and activation are not used. */
struct dev_conv2d_bwd_weights_args {
    struct dev_conv2d of;
    const void *dy;
    bool accumulate;
    float *dw; /* as w */
};

#endif
