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

/* Rate before the update at global_step (0 for the first).  T2_EUSAGE for an unknown factor. */
T2_MUST_CHECK enum t2_status opt_learning_rate(const struct mdl_hparams *hp, int64_t global_step,
                                               int64_t train_steps, double *rate,
                                               struct t2_err *err);

#endif
