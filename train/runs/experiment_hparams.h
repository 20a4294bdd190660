/*
 * train/runs/experiment_hparams.h - model, task and optimizer of an experiment as hparams.
 */
#ifndef TR_EXPERIMENT_HPARAMS_H
#define TR_EXPERIMENT_HPARAMS_H

#include "base/buf.h"
#include "base/err.h"
#include "train/experiment/experiments.h"
#include "train/experiment/params_override.h"

/*
 * The registered model and set that the experiment stands on, and what the configuration changes,
 * as clauses for --hparams.  T2_EUSAGE: fields that do not go together, or are missing; the message
 * names them.
 */
T2_MUST_CHECK enum t2_status tr_experiment_hparams(const struct exp_config *c, enum exp_task task,
                                                   const char **model, const char **hparams_set,
                                                   struct t2_buf *clauses, struct t2_err *err);

#endif
