/*
 * train/models/regularise.h - the regulariser of a kind of model: a multiple of the sum of squares
 * of some of its variables, in the loss and in the gradients.
 *
 * For tensorflow/tpu's and Keras's models; Tensor2Tensor's weight_decay is the optimizer's
 * (optim/).
 */
#ifndef MDL_REGULARISE_H
#define MDL_REGULARISE_H

#include "train/graph/params.h"
#include "train/models/kind.h"

/* Sets `l2` of each variable of frozen params to kind->l2 of its name.  With hparam optimizer lars
 * to 0: that one decays itself, and tensorflow/tpu adds nothing to the loss then. */
void mdl_set_regulariser(struct gr_params *p, const struct mdl_kind *kind,
                         const struct mdl_hparams *hp);

/* Sum of l2 * v^2 over all values v, added up in a fixed order for any number of threads; with
 * `gradients`, 2 * l2 * v is added to the gradients. */
double mdl_regulariser(const struct gr_params *p, bool gradients);

#endif
