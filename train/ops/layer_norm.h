/*
 * train/ops/layer_norm.h - layer normalisation over the last axis.
 */
#ifndef NN_LAYER_NORM_H
#define NN_LAYER_NORM_H

#include "train/graph/graph.h"

/* y = (x - mean) / sqrt(variance + eps) * scale + bias, population variance over the last axis D of
 * x; scale, bias (D).  Saves mean and 1/sqrt(…) per row for the backward pass. */
struct gr_tensor *nn_layer_norm(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *scale,
                                struct gr_tensor *bias, double eps);

/* What a node of operator "layer_norm" adds to the variance. */
double nn_layer_norm_epsilon(const struct gr_node *node);

#endif
