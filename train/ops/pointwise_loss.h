/*
 * train/ops/pointwise_loss.h - losses of each value against a target of its own: sigmoid
 * cross-entropy, squared differences.
 */
#ifndef NN_POINTWISE_LOSS_H
#define NN_POINTWISE_LOSS_H

#include "train/graph/graph.h"

/*
 * Loss of each row of x (B, …) against targets of x's shape (GR_FLOATS or another tensor without
 * gradient): `weight` times the sum over the row (struct dev_pointwise_loss, device/kernels.h; with
 * weight 1 / n of a row of n it is TensorFlow's mean).  Its gradient is multiplied by
 * context->grad_scale.  Returns the node for gr_finish; *row_stats (B, 4) as for nn_class_loss.
 */
struct gr_node *nn_pointwise_loss(struct gr_graph *g, enum dev_pointwise kind, struct gr_tensor *x,
                                  struct gr_tensor *targets, double weight,
                                  struct gr_tensor **row_stats);

#endif
