/*
 * train/ops/xent.h - softmax cross-entropy with label smoothing over a vocabulary.
 */
#ifndef NN_XENT_H
#define NN_XENT_H

#include "train/graph/graph.h"

/*
 * Loss of x (B, L, D) against labels (B, L) with logits x table^T, table (V, D); T2T's smoothing,
 * labels that are 0 do not count (struct dev_xent, device/kernels.h).  In a training graph the loss
 * is computed in the backward pass, together with its gradients, which are multiplied by
 * context->grad_scale; otherwise in the forward pass.
 *
 * weights (B, L), or NULL: loss and gradients of each row are multiplied by its own.
 *
 * Returns the node for gr_finish; *row_stats (B * L, 4): loss, hit, log-probability, weight.
 */
struct gr_node *nn_xent(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table,
                        struct gr_tensor *labels, struct gr_tensor *weights, double smoothing,
                        struct gr_tensor **row_stats);

#endif
