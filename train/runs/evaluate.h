/*
 * train/runs/evaluate.h - an evaluation of a run: its batches, added up and reported.
 */
#ifndef TR_EVALUATE_H
#define TR_EVALUATE_H

#include "base/err.h"
#include "train/runs/run.h"

/* One evaluation of at most options.eval_steps batches, reported as of the current step. */
T2_MUST_CHECK enum t2_status tr_evaluate(struct tr_run *run, struct ev_scores *scores,
                                         struct t2_err *err);

#endif
