/*
 * train/tune/trials.h - where the trials of a study stand: the sum of the lines of its file.
 *
 * A trial goes from rung to rung: a process claims it, trains it to the steps of the rung, and says
 * what the objective is there.  A claim without a result counts as long as its process lives
 * (study_log.h, locks); then another one goes on with the trial.
 */
#ifndef TUNE_TRIALS_H
#define TUNE_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/tune/study.h"
#include "train/tune/study_log.h"

struct tune_trial {
    char *hparams;      /* "name=value,name=value" */
    char *by;           /* host and process that claimed it last: "node7/4711" */
    char *reason;       /* of a failure; of the last death; NULL: none */
    int entered;        /* the highest rung it was claimed for */
    int n_values;       /* rungs that it has finished */
    double *values;     /* n_values: the objective at each */
    double seconds;     /* of all rungs that it has finished */
    int n_deaths;       /* of its process in this rung, without a checkpoint in between */
    int64_t death_step; /* the newest checkpoint at the last one */
    bool is_failed, is_stopped;
};

struct tune_trials {
    struct tune_study study;
    bool has_study;
    struct tune_trial *items;
    int64_t n, capacity;
    const char *origin; /* the file's path, for messages; borrowed */
};

/* T2_EFORMAT when the lines of the file make no sense.  Also after a failure, release. */
T2_MUST_CHECK enum t2_status tune_trials_read(struct tune_trials *t, struct tune_log *log,
                                              struct t2_err *err);
void tune_trials_release(struct tune_trials *t);

/* The value at the highest rung that it has finished; NaN without one. */
double tune_trial_value(const struct tune_trial *trial);
/* The best trial: of those that finished the highest rung, the one with the best value; -1: none
 * has finished any. */
int64_t tune_trials_best(const struct tune_trials *t);
/* Indexes of all trials, from the best to those that failed; owned by the caller. */
int64_t *tune_trials_ranked(const struct tune_trials *t);

/* ---- lines to append (tune_log_add) ---- */

void tune_say_study(struct tune_log *log, const struct tune_study *s);
void tune_say_max_trials(struct tune_log *log, int64_t max_trials);
void tune_say_claim(struct tune_log *log, int64_t trial, int rung, const char *hparams,
                    const char *by);
void tune_say_done(struct tune_log *log, int64_t trial, int rung, double value, double seconds);
void tune_say_failed(struct tune_log *log, int64_t trial, int rung, const char *reason);
/* Its process ended by a signal; step of its newest checkpoint, -1 without. */
void tune_say_died(struct tune_log *log, int64_t trial, int rung, const char *reason, int64_t step);
/* Asks that nobody works on the trial; and takes that back, a failure too. */
void tune_say_stop(struct tune_log *log, int64_t trial);
void tune_say_continue(struct tune_log *log, int64_t trial);

#endif
