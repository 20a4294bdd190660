/*
 * train/input/task_mix.h - several problems in one run: which share of the samples is whose.
 *
 * T2T's MultiProblem: problem 0 is the primary one, the others share a probability that a schedule
 * gives, or all have weights of their own (hparams multiproblem_*).
 */
#ifndef IN_TASK_MIX_H
#define IN_TASK_MIX_H

#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

/* IN_MIX_EXPONENTIAL: the others' share grows up to the threshold, which it reaches with sample
 * max_examples.  IN_MIX_PRETRAIN: the primary problem alone up to there, the others alone behind.
 */
enum in_mixing { IN_MIX_CONSTANT, IN_MIX_EXPONENTIAL, IN_MIX_PRETRAIN };

enum { IN_MOST_TASKS = 64 };

struct in_task_mix {
    int n; /* problems, at least 2 */
    enum in_mixing mixing;
    double threshold;    /* of the others together, 0 .. 1 */
    double max_examples; /* samples */
    bool weighted;
    double weights[IN_MOST_TASKS]; /* (n): of sum 1, in place of the schedule */
};

/* What the hparams say for n problems.  T2_EUSAGE: an unknown schedule, a threshold outside of 0 ..
 * 1, weights that are not n, negative, or all 0. */
T2_MUST_CHECK enum t2_status in_task_mix_of(const struct mdl_hparams *hp, int n,
                                            struct in_task_mix *mix, struct t2_err *err);

/* The share of the other problems together in sample `number`, from 1. */
double in_task_mix_others(const struct in_task_mix *mix, uint64_t number);
/* Whose sample `number` is, with u uniform in [0, 1). */
int in_task_mix_draw(const struct in_task_mix *mix, uint64_t number, double u);
/* May a sample be of this problem at all? */
bool in_task_mix_uses(const struct in_task_mix *mix, int task);

#endif
