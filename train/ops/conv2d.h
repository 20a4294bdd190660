/*
 * train/ops/conv2d.h - convolution of images.
 */
#ifndef NN_CONV2D_H
#define NN_CONV2D_H

#include "train/graph/graph.h"

/*
 * Zeros around an axis of n values; k is the part that a kernel covers, (size - 1) * dilation + 1:
 *   NN_SAME       ceil(n / stride) outputs, as TensorFlow pads: an odd row or column of zeros at
 *                 the end
 *   NN_VALID      no zeros
 *   NN_SYMMETRIC  k - 1 zeros, (k - 1) / 2 of them at the beginning, whatever the stride (the
 *                 originals' fixed_padding); with stride 1 the same as NN_SAME
 *   NN_LEFT       k - 1 zeros in front: later positions are not seen
 */
enum nn_padding { NN_SAME, NN_VALID, NN_SYMMETRIC, NN_LEFT };

struct nn_conv2d {
    int64_t stride, dilation; /* 0 is 1 */
    enum nn_padding padding;
    bool depthwise;
    bool relu; /* after the bias */
};

/* Outputs of one axis (0 where the kernel is larger than n and its padding), and the zeros in
 * front. */
void nn_conv2d_axis(enum nn_padding padding, int64_t n, int64_t size, int64_t stride,
                    int64_t dilation, int64_t *outputs, int64_t *before);

/* x (B,H,W,C), kernel (kh,kw,C,N) -> (B,Ho,Wo,N), struct dev_conv2d in device/kernels.h; depthwise:
 * kernel (kh,kw,C,M) -> (B,Ho,Wo,C*M).  bias (N) may be NULL.  No gradient is computed for an x
 * that needs none (an image). */
struct gr_tensor *nn_conv2d(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *kernel,
                            struct gr_tensor *bias, const struct nn_conv2d *how);

#endif
