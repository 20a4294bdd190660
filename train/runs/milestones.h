/*
 * train/runs/milestones.h - what follows from evaluations and from the clock: when a run stops
 * early, and which checkpoints stay whatever --keep_checkpoint_max says.
 */
#ifndef TR_MILESTONES_H
#define TR_MILESTONES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/runs/run.h"
#include "train/tune/trial_metrics.h"

/*
 * The plateau test of T2T (early_stopping, spec t2t-trainer.md §9.2): with j the latest of the
 * points at or before `steps` steps before the last, no point from j on is better than j's by
 * `delta` or more.  False where there is no such j, or no point behind it.
 */
bool tr_is_plateau(const struct tune_point *points, size_t n, int64_t steps, double delta,
                   bool minimize);

/* T2_EUSAGE: evaluations do not say what --eval_early_stopping_metric names. */
T2_MUST_CHECK enum t2_status tr_check_milestones(const struct tr_options *o, struct t2_err *err);

/* After an evaluation that metrics.jsonl has: *stop says that --eval_early_stopping_steps ends the
 * run here; the best checkpoints (--keep_checkpoint_best) are protected, and
 * the best one is exported (best_export.h).  All ranks are told. */
T2_MUST_CHECK enum t2_status tr_after_evaluation(struct tr_run *r, bool *stop, struct t2_err *err);

/* Is the step that the run is at in metrics.jsonl as evaluated?  All ranks are told. */
T2_MUST_CHECK enum t2_status tr_is_evaluated(struct tr_run *r, bool *is, struct t2_err *err);

/* Before a checkpoint is saved: every --keep_checkpoint_every_n_hours of training one is
 * protected. */
T2_MUST_CHECK enum t2_status tr_before_save(struct tr_run *r, struct t2_err *err);

#endif
