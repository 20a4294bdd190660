/*
 * train/tune/study.h - a study: what a search for hparams is asked to do.
 *
 * Tensor2Tensor gave these flags to Cloud ML Engine (spec t2t-trainer.md §11).  A study is fixed by
 * its first process, in the first line of its file (study_log.h); the others take it from there.
 */
#ifndef TUNE_STUDY_H
#define TUNE_STUDY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "train/tune/trial_draw.h"

enum tune_algorithm { TUNE_RANDOM, TUNE_GRID, TUNE_TPE, TUNE_GP, TUNE_ASHA, TUNE_HALVING };
/* Where the hparams of a new trial come from: tune_draw, tune_tpe_draw, tune_gp_draw. */
enum tune_sampler { TUNE_DRAW, TUNE_DRAW_TPE, TUNE_DRAW_GP };

/* Trials that are drawn before any is drawn by what others gave. */
enum { TUNE_FIRST = 10 };

enum { TUNE_MOST_TRIALS = 1000000, TUNE_MOST_RUNGS = 64 };

struct tune_study {
    struct tune_range *range;
    char *objective; /* as given: "metrics-x/neg_log_perplexity" */
    bool maximize;
    enum tune_algorithm algorithm;
    enum tune_sampler sampler; /* TUNE_TPE and TUNE_GP have their own, TUNE_RANDOM and TUNE_GRID
                                * TUNE_DRAW, the others any */
    uint64_t seed;
    int64_t max_trials, grid_points;
    int64_t reduction; /* TUNE_ASHA, TUNE_HALVING: one of so many goes on */
    int64_t
        rungs[TUNE_MOST_RUNGS]; /* steps at which trials are compared; the last is train_steps */
    int n_rungs;                /* 1 but for TUNE_ASHA and TUNE_HALVING */
    char *cwd;                  /* that relative paths of args begin at */
    struct t2_strs args;        /* flags of every trial: "--problem=x" */
    char *hparams;              /* --hparams of every trial, "" for none */
};

const char *tune_algorithm_name(enum tune_algorithm a);
/* False when there is no such algorithm. */
bool tune_algorithm_parse(const char *name, enum tune_algorithm *a);

const char *tune_sampler_name(enum tune_sampler sampler);
/* Sets the sampler of s->algorithm, by its name or, NULL, what the algorithm has without one.
 * T2_EUSAGE: there is no such sampler, or not of this algorithm. */
T2_MUST_CHECK enum t2_status tune_study_set_sampler(struct tune_study *s, const char *name,
                                                    struct t2_err *err);
/* Appends "random", "asha with tpe". */
void tune_study_way(const struct tune_study *s, struct t2_buf *text);

/* Sets rungs to min_steps, min_steps * reduction, ... below train_steps, and that; min_steps 0:
 * three rungs.  T2_EUSAGE: numbers that make no sense. */
T2_MUST_CHECK enum t2_status tune_study_set_rungs(struct tune_study *s, int64_t train_steps,
                                                  int64_t min_steps, struct t2_err *err);

struct tune_drawing tune_study_drawing(const struct tune_study *s);
/* Trials at most: max_trials, or fewer when there are no more to draw. */
int64_t tune_study_trials(const struct tune_study *s);
/* Trials that enter a rung when nothing fails. */
int64_t tune_study_at_rung(const struct tune_study *s, int rung);
/* Training steps of all trials together, when nothing fails. */
int64_t tune_study_steps(const struct tune_study *s);

/* The key of metrics.jsonl that the objective means: what is behind its last '/'.  Borrowed. */
const char *tune_study_metric(const struct tune_study *s);
/* True when value a is better than b. */
bool tune_study_better(const struct tune_study *s, double a, double b);

/* Members of the open object; and back.  T2_EFORMAT names the key that is wrong.  *s is zero before
 * and released by tune_study_release, also after a failure. */
void tune_study_write(const struct tune_study *s, struct t2_json *j);
T2_MUST_CHECK enum t2_status tune_study_read(const struct t2_json_value *object, const char *origin,
                                             struct tune_study *s, struct t2_err *err);
/* T2_EUSAGE names the first thing in which `wanted` is not the study of the folder; max_trials may
 * be another where trials do not depend on it. */
T2_MUST_CHECK enum t2_status tune_study_check_same(const struct tune_study *there,
                                                   const struct tune_study *wanted, const char *dir,
                                                   struct t2_err *err);
void tune_study_release(struct tune_study *s);

/* Appends the command line of a trial, for a shell: program, args, --output_dir, --hparams. */
void tune_study_command(const struct tune_study *s, const char *output_dir, const char *hparams,
                        struct t2_buf *text);
/* Appends the text of --hparams: the study's and the trial's. */
void tune_study_hparams(const struct tune_study *s, const char *hparams, struct t2_buf *text);

#endif
