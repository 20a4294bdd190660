/*
 * train/models/symbol_loss.h - the end of a teacher-forced graph of texts whose targets are
 * symbols, or class labels: logits, or the loss and, in evaluation, which ids are most likely.
 */
#ifndef MDL_SYMBOL_LOSS_H
#define MDL_SYMBOL_LOSS_H

#include "train/models/kind.h"

/* x (B, L, D) of the last layer, table (V, D).  Fills out->logits, or, without want_logits,
 * out->loss and row_stats against out->labels (NULL: the targets), with hparam label_smoothing, and
 * out->best of an evaluation with b->predicts. */
void mdl_symbol_loss(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *table,
                     bool want_logits, struct mdl_graph *out);

/* The end of a graph whose targets are one class label for a text, or values (value_loss.h), which
 * mdl_class_targets made: a dense layer of x (B, 1, D), then the same with label_smoothing over
 * classes. */
void mdl_text_class_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                        struct mdl_graph *out);

/* A model of this name ends with a dense layer of one unit in its place. */
extern const char mdl_number_model[];

#endif
