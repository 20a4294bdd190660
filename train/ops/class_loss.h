/*
 * train/ops/class_loss.h - softmax cross-entropy of class labels.
 */
#ifndef NN_CLASS_LOSS_H
#define NN_CLASS_LOSS_H

#include "train/graph/graph.h"

/*
 * Loss of logits (…, V) against one label per row of V, with T2T's smoothing; every row counts,
 * also label 0 (struct dev_class_xent, device/kernels.h).  Its gradient is multiplied by
 * context->grad_scale.  Returns the node for gr_finish; *row_stats (rows, 4): loss, hit,
 * log-probability, weight.
 */
struct gr_node *nn_class_loss(struct gr_graph *g, struct gr_tensor *logits,
                              struct gr_tensor *labels, double smoothing,
                              struct gr_tensor **row_stats);

/* The labels of rows: one each, or two with the weight of the first (struct dev_class_xent). */
struct nn_class_labels {
    struct gr_tensor *labels;                 /* (rows, 1) */
    struct gr_tensor *other_labels, *weights; /* (rows, 1), (rows); or both NULL */
};
/* uniform: with smoothing as in tf.losses.softmax_cross_entropy: the label has
 * 1 - smoothing + smoothing / V, the others smoothing / V. */
struct gr_node *nn_class_loss_of(struct gr_graph *g, struct gr_tensor *logits,
                                 const struct nn_class_labels *of, double smoothing, bool uniform,
                                 struct gr_tensor **row_stats);

/*
 * x, whose backward pass adds to logits (rows, V) the gradients of a second loss, which is no mean
 * over targets: `weight` times the mean of the loss without smoothing over all rows of the batch,
 * of other ranks, too.  labels (rows, 1); *row_stats as above.
 */
struct gr_tensor *nn_class_loss_beside(struct gr_graph *g, struct gr_tensor *x,
                                       struct gr_tensor *logits, struct gr_tensor *labels,
                                       double weight, struct gr_tensor **row_stats);

#endif
