/*
 * train/optim/optimizer.h - from gradients to new variables.
 *
 * tensor2tensor/utils/optimize.py; spec t2t-trainer.md §4.1, §4.3, §4.4.
 */
#ifndef OPT_OPTIMIZER_H
#define OPT_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

struct opt_optimizer;

void opt_free(struct opt_optimizer *o);

/*
 * The state of an optimizer may be shared by the ranks of a run (ZeRO's first stage): the arena of
 * values is cut into n parts, about as long as each other, and a share has the slots, averages and
 * slow weights of one part and updates it alone.  Gradients and values are whole on every rank.
 * What a step does to an element does not depend on n.  {0, 1}: all of it.
 */
struct opt_share {
    int index, n;
};

/* Floats first .. end - 1 of the arena of values, which belong to a share.  Parts meet at pieces of
 * a variable, or at variables where the device has layouts of its own. */
void opt_share_floats(const struct gr_params *params, struct opt_share share, int64_t *first,
                      int64_t *end);
/*
 * The optimizer that hparam `optimizer` names, with its slots on the parameters' device.  params is
 * frozen and borrowed for the optimizer's life; hp is copied.  T2_EUSAGE for an unknown name or
 * hparams that make no sense, T2_EUNSUPPORTED for what the original has and this program does not
 * (bfloat16 weights), T2_ENOMEM.  Names: docs/optimizers.md.  T2_EUNSUPPORTED also for n > 1 and a
 * rule that is about whole variables or all gradients (Adafactor, LARS, YellowFin).
 */
T2_MUST_CHECK enum t2_status opt_new_share(const struct mdl_hparams *hp, struct gr_params *params,
                                           struct opt_share share, struct opt_optimizer **o,
                                           struct t2_err *err);
/* All of it. */
T2_MUST_CHECK static inline enum t2_status opt_new(const struct mdl_hparams *hp,
                                                   struct gr_params *params,
                                                   struct opt_optimizer **o, struct t2_err *err)
{
    return opt_new_share(hp, params, (struct opt_share){0, 1}, o, err);
}
struct opt_share opt_share_of(const struct opt_optimizer *o);

/* Device memory. */
struct opt_bytes {
    uint64_t slots;    /* and what else the rule needs */
    uint64_t averages; /* moving averages, lookahead's slow weights */
    size_t n_slots;    /* opt_slot_count */
};
/* What opt_new would allocate, for parameters that are frozen and need not be placed.  The same
 * refusals, but for memory. */
T2_MUST_CHECK enum t2_status opt_plan(const struct mdl_hparams *hp, struct gr_params *params,
                                      struct opt_bytes *bytes, struct t2_err *err);
/* Likewise opt_new_share. */
T2_MUST_CHECK enum t2_status opt_plan_share(const struct mdl_hparams *hp, struct gr_params *params,
                                            struct opt_share share, struct opt_bytes *bytes,
                                            struct t2_err *err);
/* The seed of noise on gradients and weights (hparams grad_noise_scale, weight_noise); 0 at
 * first. */
void opt_set_seed(struct opt_optimizer *o, uint64_t seed);
/* "adam": the registered name, whatever the hparam's spelling. */
const char *opt_name(const struct opt_optimizer *o);

struct opt_report {
    double learning_rate;
    double gradient_norm;     /* global, before clipping, with decay and noise */
    double weight_decay_loss; /* weight_decay * sum of half squares; 0 without */
};

/*
 * One training step after the gradients are there (spec §4.1): weight noise, weight decay's
 * gradient and gradient noise (added to params->grads), global norm, clipping, update.  global_step
 * is the step before the update; train_steps is what some schedules end at.  Same gradients, same
 * bits, for any number of threads.
 *
 * T2_EFORMAT when the norm is not finite: the message names the first variable whose gradient is
 * not, and nothing was updated.  T2_EUSAGE from the schedule.
 */
T2_MUST_CHECK enum t2_status opt_step(struct opt_optimizer *o, int64_t global_step,
                                      int64_t train_steps, struct opt_report *report,
                                      struct t2_err *err);

/*
 * The same in two halves, for a host that does not wait: what opt_queue_step queued is answered by
 * opt_take_step, in the same order; at most DEV_READBACKS steps are without an answer.  After a
 * step that was not finite those queued behind it change nothing either and have no answer: the
 * optimizer is as before it.
 */
T2_MUST_CHECK enum t2_status opt_queue_step(struct opt_optimizer *o, int64_t global_step,
                                            int64_t train_steps, struct t2_err *err);
T2_MUST_CHECK enum t2_status opt_take_step(struct opt_optimizer *o, struct opt_report *report,
                                           struct t2_err *err);
/* mdl_queue_step and opt_queue_step of a model that is computed whole, by one rank: on a device
 * that keeps recordings a step is one, from the first that an update came before on.  The loss is
 * mdl_take_loss's. */
T2_MUST_CHECK enum t2_status opt_queue_whole_step(struct opt_optimizer *o, struct mdl *m,
                                                  const struct mdl_batch *batch, uint64_t seed,
                                                  int64_t global_step, int64_t train_steps,
                                                  struct t2_err *err);
/* A number in device memory, set by the time of each step, that must be finite for its update:
 * mdl_loss_on_device. */
void opt_watch_loss(struct opt_optimizer *o, const double *loss);

/*
 * Moving averages of the variables (hparam moving_average_decay, 0: none; optim/moving_average.c),
 * which evaluation and decoding use in place of the variables.  They begin as the variables' values
 * at opt_start_averages, or at the first step; a restored optimizer has them.  opt_swap_averages
 * exchanges both, and back when called again; it does nothing before the first step and without
 * averages, and says so: false.  A share exchanges its part.  In checkpoints they are slots,
 * "<variable>/ExponentialMovingAverage".
 */
#define OPT_AVERAGE_SUFFIX "/ExponentialMovingAverage"
void opt_start_averages(struct opt_optimizer *o);
bool opt_swap_averages(struct opt_optimizer *o);

/* Slots for checkpoints: device tensors with TensorFlow's names ("training/<variable>/Adam",
 * "training/<variable>/Adam_1"). */
struct opt_slot {
    const char *name;
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n;
    int64_t n_unsigned;    /* so many floats at its start are never negative: squares, whose root is
                              taken, or sizes; a checkpoint in which one is negative is damaged */
    int64_t first, n_here; /* elements first .. first + n_here - 1 are this share's */
    float *values;         /* device memory, borrowed: of element `first`; NULL: none is here */
    const struct gr_variable *like; /* laid like it (graph/layouts.h), or NULL */
};
size_t opt_slot_count(const struct opt_optimizer *o);
struct opt_slot opt_slot_at(const struct opt_optimizer *o, size_t i);

/* Elements *first .. *end - 1 of slot i, in the order of checkpoints, are those that a share puts
 * into one. */
void opt_part_of_slot(const struct opt_optimizer *o, size_t i, int share, int64_t *first,
                      int64_t *end);
/* The number of steps taken, from which Adam's k and the place in multistep_adam's cycle follow;
 * saved with the state. */
int64_t opt_updates(const struct opt_optimizer *o);
void opt_set_updates(struct opt_optimizer *o, int64_t updates);
/* The number of steps that TensorFlow's variable beta2_power tells, which is beta2^(k + 1) after k
 * of them; global_step where it does not tell: other optimizers than Adam, and when it has become
 * too small. */
int64_t opt_updates_of_power(const struct opt_optimizer *o, float beta2_power, int64_t global_step);

#endif
