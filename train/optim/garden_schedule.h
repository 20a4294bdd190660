/*
 * train/optim/garden_schedule.h - Model Garden's learning rates:
 * learning_rate_schedule=model_garden.
 *
 * official/modeling/optimization/lr_schedule.py and Keras's schedules; spec
 * formats-and-experiments.md D3.
 */
#ifndef OPT_GARDEN_SCHEDULE_H
#define OPT_GARDEN_SCHEDULE_H

#include "base/err.h"
#include "train/models/hparams.h"

/*
 * The rate before the update at step s (0 for the first).  Hparam learning_rate_main names the
 * schedule, learning_rate_warmup what comes before step W = learning_rate_warmup_steps; s' = s -
 * learning_rate_offset:
 *
 *   constant      I = learning_rate_initial
 *   stepwise      learning_rate_step_values[k], k = number of learning_rate_step_boundaries < s'
 *   exponential   I * learning_rate_decay_rate ^ (s'/D), whole powers with
 *                 learning_rate_decay_staircase
 *   polynomial    (I - E) * (1 - min(s', D)/D) ^ learning_rate_power + E; with learning_rate_cycle
 *                 D grows to its multiple at or above s'
 *   cosine        I * ((1 - a) * (1 + cos(pi * min(s', D)/D))/2 + a), a = learning_rate_alpha
 *   power         I * max(s', 1) ^ learning_rate_power
 *   power_linear  that * min(1, (D - s')/(D * learning_rate_linear_fraction)), not below 0
 *   power_with_offset  before s' = 1 learning_rate_ceiling, then power, at most that
 *
 *   linear warm-up      w0 + s/W * (F - w0), w0 = learning_rate_warmup_initial, F = schedule at W
 *   polynomial warm-up  F * (max(s, 1)/W) ^ learning_rate_warmup_power
 *
 * D = learning_rate_decay_steps, E = learning_rate_end.  T2_EUSAGE for an unknown name, steps below
 * 1, lists that do not belong together.
 */
T2_MUST_CHECK enum t2_status opt_garden_rate(const struct mdl_hparams *hp, double step,
                                             double *rate, struct t2_err *err);

#endif
