/*
 * train/ops/axes.h - values scaled, axes exchanged and averaged.
 */
#ifndef NN_AXES_H
#define NN_AXES_H

#include "train/graph/graph.h"

/* scale * x; for small tensors */
struct gr_tensor *nn_scale(struct gr_graph *g, struct gr_tensor *x, double scale);

/* The factor of a node of operator "scale". */
double nn_scale_of(const struct gr_node *node);

/* x (A, B, D) -> (1, B, A * D): what A heads have of B rows, side by side as attention reads it. */
struct gr_tensor *nn_heads_to_rows(struct gr_graph *g, struct gr_tensor *x);

/* x (B, L, D) -> (B, 1, D), the mean over L. */
struct gr_tensor *nn_mean_positions(struct gr_graph *g, struct gr_tensor *x);

#endif
