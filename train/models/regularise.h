/*
 * train/models/regularise.h - the regulariser of a kind of model: a multiple of the sum of squares
 * of some of its variables, in the loss and in the gradients.
 *
 * For tensorflow/tpu's and Keras's models; Tensor2Tensor's weight_decay is the optimizer's
 * (optim/).
 */
#ifndef MDL_REGULARISE_H
#define MDL_REGULARISE_H

#include "base/err.h"
#include "train/graph/params.h"
#include "train/models/kind.h"

struct mdl_regulariser;

/* True if some variable has a factor, or the kind has them by name. */
bool mdl_is_regularised(const struct gr_params *p, const struct mdl_kind *kind);

/*
 * That of a kind, for frozen params, which are borrowed; NULL where it has none.  The variables'
 * factors are kind->l2 of their names, or, where a kind has no such function, their own.  With
 * hparam optimizer lars all are 0: that one decays itself, and tensorflow/tpu adds nothing to the
 * loss then.  Sets params->regularised.  T2_ENOMEM.
 */
T2_MUST_CHECK enum t2_status mdl_regulariser_new(struct gr_params *p, const struct mdl_kind *kind,
                                                 const struct mdl_hparams *hp,
                                                 struct mdl_regulariser **r, struct t2_err *err);
/* What it allocates. */
uint64_t mdl_regulariser_bytes(const struct gr_params *p, const struct mdl_kind *kind,
                               const struct mdl_hparams *hp);
void mdl_regulariser_free(struct mdl_regulariser *r); /* before params; NULL is nothing */

/* Queues: *sum (device memory) = sum of l2 * v^2 over all values v, added up in a fixed order for
 * any number of threads; with `gradients`, 2 * l2 * v is added to the gradients.  Nothing where r
 * is NULL. */
void mdl_regularise(const struct mdl_regulariser *r, bool gradients, double *sum);

#endif
