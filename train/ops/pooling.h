/*
 * train/ops/pooling.h - maxima and means over windows of images, and over whole ones.
 */
#ifndef NN_POOLING_H
#define NN_POOLING_H

#include "train/graph/graph.h"
#include "train/ops/conv2d.h"

/* x (B,H,W,C) -> (B,Ho,Wo,C), windows of size x size, `stride` apart; what padding adds never
 * counts: the maximum is one of real pixels, a mean is divided by their number (TensorFlow's
 * pools).  The gradient of a maximum goes to the first pixel that has it, row by row.  A window
 * that holds NaN gives NaN. */
struct gr_tensor *nn_max_pool(struct gr_graph *g, struct gr_tensor *x, int64_t size, int64_t stride,
                              enum nn_padding padding);
struct gr_tensor *nn_avg_pool(struct gr_graph *g, struct gr_tensor *x, int64_t size, int64_t stride,
                              enum nn_padding padding);

/* x (B,H,W,C) -> (B,C), the mean over all pixels. */
struct gr_tensor *nn_global_mean(struct gr_graph *g, struct gr_tensor *x);

#endif
