/*
 * train/models/value_loss.h - the end of models whose targets are values: numbers, or sets of
 * labels; and the targets of a graph that has one label or one row of values an example.
 *
 * The losses are means over all values, as those of the same names in Keras and as
 * Tensor2Tensor's real_l2_loss and sigmoid_class_label_loss (utils/modalities.py).
 */
#ifndef MDL_VALUE_LOSS_H
#define MDL_VALUE_LOSS_H

#include "train/models/kind.h"

/* x (B, K) against values v (B, K), summed over the K values of an example, by K:
 *   MDL_LOSS_SQUARES   (x - v)^2
 *   MDL_LOSS_SIGMOID   -v log(sigmoid(x)) - (1 - v) log(1 - sigmoid(x)) */
enum mdl_value_loss { MDL_LOSS_SQUARES, MDL_LOSS_SIGMOID };

/* The one that a kind of targets has where nothing else is said; not of ids. */
enum mdl_value_loss mdl_value_loss_of(enum mdl_target_kind target);

/* Sets out->targets (B, 1) or, of targets that are no ids, out->values (B, K). */
void mdl_class_targets(const struct mdl_build *b, const struct mdl_shape *shape,
                       struct mdl_graph *out);

/*
 * What mdl_cnn_loss is for labels: x (B, …) of K = problem.targets_vocab numbers an example becomes
 * out->logits, or out->loss with out->row_stats against out->values.  In evaluation out->given is
 * x.
 */
void mdl_value_loss(const struct mdl_build *b, enum mdl_value_loss kind, struct gr_tensor *x,
                    bool want_logits, struct mdl_graph *out);

#endif
