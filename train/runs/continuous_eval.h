/*
 * train/runs/continuous_eval.h - evaluate every checkpoint that a training elsewhere writes.
 *
 * Orbit's Controller.evaluate_continuously, Tensor2Tensor's schedule continuous_eval; spec
 * formats-and-experiments.md D6, t2t-trainer.md §1.4.
 */
#ifndef TR_CONTINUOUS_EVAL_H
#define TR_CONTINUOUS_EVAL_H

#include "base/err.h"
#include "train/eval/report.h"
#include "train/runs/run.h"

/* After each evaluation; the run and the scores are borrowed. */
typedef void (*tr_scores_fn)(void *context, const struct tr_run *run,
                             const struct ev_scores *scores);

/*
 * Evaluates the newest checkpoint of options->output_dir, waits for the next, and so on, until one
 * of step >= options->train_steps was evaluated or none came for timeout_s seconds (both T2_OK).
 * Checkpoints that appear while another is evaluated are passed over, but for the newest.
 * options->train is false.
 */
T2_MUST_CHECK enum t2_status tr_evaluate_continuously(const struct tr_options *options,
                                                      double timeout_s, tr_scores_fn done,
                                                      void *context, struct t2_err *err);

#endif
