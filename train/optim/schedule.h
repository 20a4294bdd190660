/*
 * train/optim/schedule.h - the learning rate as a function of the step.
 *
 * tensor2tensor/utils/learning_rate.py; spec t2t-trainer.md §4.2.
 */
#ifndef OPT_SCHEDULE_H
#define OPT_SCHEDULE_H

#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

/*
 * What the official Transformer counts from (spec official-transformer.md §7.8): 0 in its custom
 * training loop (hparam use_ctl), as everybody, but 1 in Keras' fit, where a callback counts a step
 * before it is made: the first rate is that of step 1, and Adam's k begins at 2.  The original
 * begins its count, and so the warm-up, again in every process; a run that continues goes on
 * counting here.
 */
int64_t opt_first_count(const struct mdl_hparams *hp);

/* Rate before the update at global_step (0 for the first).  T2_EUSAGE for an unknown factor. */
T2_MUST_CHECK enum t2_status opt_learning_rate(const struct mdl_hparams *hp, int64_t global_step,
                                               int64_t train_steps, double *rate,
                                               struct t2_err *err);

#endif
