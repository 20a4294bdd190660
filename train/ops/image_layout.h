/*
 * train/ops/image_layout.h - channels of several images joined, images moved.
 */
#ifndef NN_IMAGE_LAYOUT_H
#define NN_IMAGE_LAYOUT_H

#include "train/graph/graph.h"

/* x[i] (B,H,W,C_i), 2 or more of them, at most GR_MAX_INPUTS -> (B,H,W, sum of C_i): the channels
 * of the first, then of the second, …; inputs may be without gradient. */
struct gr_tensor *nn_concat_channels(struct gr_graph *g, struct gr_tensor *const *x, int n);

/* y (B,H,W,C): y[b,i,j] = x[b,i+rows,j+columns], 0 beyond the edge. */
struct gr_tensor *nn_shift_pixels(struct gr_graph *g, struct gr_tensor *x, int64_t rows,
                                  int64_t columns);

/* y (B,H,W,C): y[b,i,j] = x[b,i,W-1-j]; has no gradient. */
struct gr_tensor *nn_mirror_pixels(struct gr_graph *g, struct gr_tensor *x);

#endif
