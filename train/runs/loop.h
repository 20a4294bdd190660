/*
 * train/runs/loop.h - the training loop.
 *
 * A step is: next batch, forward and backward, update.  Every log_step_count_steps steps a report
 * line; every local_eval_frequency steps a checkpoint and an evaluation, and both at the end.
 * (T2T's max(iterations_per_loop, local_eval_frequency) is not followed: a small number means
 * itself.)
 *
 * Nothing that could be saved is lost, nothing that is broken is saved: a loss, gradient or
 * variable that is not finite stops the run before the checkpoint, SIGINT and SIGTERM finish the
 * step, save and end with T2_EINTERRUPTED, and a disk that is full leaves the checkpoint before as
 * it is.
 */
#ifndef TR_LOOP_H
#define TR_LOOP_H

#include "base/err.h"
#include "train/runs/run.h"

/* Trains until options.train_steps, or pause_at_step, which ends in the same way and changes no
 * step; does nothing but evaluate when that is reached already.  The
 * run has begun (tr_run_begin). */
T2_MUST_CHECK enum t2_status tr_train(struct tr_run *run, struct t2_err *err);

/* Time of one training step, from a few that are computed and thrown away. */
T2_MUST_CHECK enum t2_status tr_estimate(struct tr_run *run, double *seconds_per_step,
                                         double *target_tokens_per_s, struct t2_err *err);

#endif
