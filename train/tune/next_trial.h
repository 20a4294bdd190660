/*
 * train/tune/next_trial.h - which trial is trained next, and how far.
 *
 * Successive halving: Jamieson and Talwalkar 2016, "Non-stochastic best arm identification and
 * hyperparameter optimization".  ASHA: Li et al. 2020, "A system for massively parallel
 * hyperparameter tuning", algorithm 2 (get_job).
 */
#ifndef TUNE_NEXT_TRIAL_H
#define TUNE_NEXT_TRIAL_H

#include "train/tune/trials.h"

enum tune_turn {
    TUNE_JOB,  /* *job is to be claimed */
    TUNE_WAIT, /* until one of those that run ends */
    TUNE_OVER  /* nothing is left to do, but for trials that were stopped */
};

struct tune_job {
    int64_t trial; /* == t->n: a new one */
    int rung;
};

enum tune_life {
    TUNE_GONE,  /* no process works on the trial */
    TUNE_ALIVE, /* one does */
    TUNE_ENDING /* its trainer still does, whose worker was killed: it saves and ends */
};
typedef enum tune_life (*tune_life_fn)(void *context, int64_t trial);

/*
 * First come trials whose process is gone.  Where what comes next depends on results (TUNE_ASHA,
 * TUNE_DRAW_TPE, TUNE_DRAW_GP), trials that are ending are waited for and gone on with, so that a
 * search of one trial at a time is the same when it was killed.  Then, of TUNE_ASHA: from the
 * highest rung down, the best trial that is among the best 1 / reduction of those that finished the
 * rung and has not gone on; else a new one.  Of TUNE_HALVING: all trials of a rung first, then as
 * many of them as tune_study_at_rung has for the next.  When that leaves nothing to do and no trial
 * in the last rung, the best of the highest rung goes on: a study ends with a trial that is trained
 * to the end.
 */
enum tune_turn tune_next(const struct tune_trials *t, tune_life_fn life_of, void *context,
                         struct tune_job *job);

#endif
