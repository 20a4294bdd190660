/*
 * train/runs/problem_metrics.h - what evaluations of a problem say beside accuracy: the original's
 * eval_metrics() of each of its problems.
 */
#ifndef TR_PROBLEM_METRICS_H
#define TR_PROBLEM_METRICS_H

#include "datagen/problem.h"

/* EV_APPROX_BLEU, ... (eval/id_scores.h), as bits.  Problems that the original has not are taken
 * for what they are most like: text for text, speech for speech. */
unsigned tr_problem_metrics(const struct dg_view *view);

#endif
