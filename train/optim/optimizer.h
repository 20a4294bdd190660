/*
 * train/optim/optimizer.h - from gradients to new variables.
 *
 * tensor2tensor/utils/optimize.py; spec t2t-trainer.md §4.1, §4.3, §4.4.
 */
#ifndef OPT_OPTIMIZER_H
#define OPT_OPTIMIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"

struct opt_optimizer;

/* The optimizer that hparam `optimizer` names, with its slots on the parameters' device. */
T2_MUST_CHECK enum t2_status opt_new(const struct mdl_hparams *hp, struct gr_params *params,
                                     struct opt_optimizer **o, struct t2_err *err);
void opt_free(struct opt_optimizer *o);

struct opt_report {
    double learning_rate;
    double gradient_norm;     /* global, before clipping, after weight decay's share */
    double weight_decay_loss; /* weight_decay * sum of half squares; 0 without */
};

/*
 * One training step after the gradients are there (spec §4.1): weight decay's gradient, global norm,
 * clipping, update.  global_step is the step before the update; train_steps is what some schedules
 * end at.  T2_EFORMAT when the norm is not finite: nothing was updated.
 */
T2_MUST_CHECK enum t2_status opt_step(struct opt_optimizer *o, int64_t global_step,
                                      int64_t train_steps, struct opt_report *report,
                                      struct t2_err *err);

/* Slots for checkpoints: device tensors with T2T's names ("<variable>/Adam", "<variable>/Adam_1")
 * plus host scalars. */
struct opt_slot {
    const char *name;
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n;
    float *values; /* device memory */
};
size_t opt_slot_count(const struct opt_optimizer *o);
struct opt_slot opt_slot_at(const struct opt_optimizer *o, size_t i);
/* The number of updates that were applied (Adam's k); saved with the state. */
int64_t opt_updates(const struct opt_optimizer *o);
void opt_set_updates(struct opt_optimizer *o, int64_t updates);

#endif
