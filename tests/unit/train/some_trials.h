/*
 * tests/unit/train/some_trials.h - trials of a study that are written down, for what draws the next
 * one from them.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SOME_TRIALS_H
#define T2_TESTS_UNIT_TRAIN_SOME_TRIALS_H

#include <stdlib.h>

#include "base/alloc.h"
#include "tests/unit/train/small_range.h"
#include "train/tune/param_scale.h"
#include "train/tune/trials.h"

/* No trial yet, of 1000; released with tune_trials_release. */
static inline struct tune_trials trials_of(const char *yaml, enum tune_sampler sampler,
                                           uint64_t seed, int n_rungs)
{
    struct tune_trials t = {.has_study = true};

    t.study = (struct tune_study){.range = range_of(yaml),
                                  .algorithm = n_rungs > 1 ? TUNE_ASHA : TUNE_TPE,
                                  .sampler = sampler,
                                  .seed = seed,
                                  .max_trials = 1000,
                                  .reduction = 3,
                                  .n_rungs = n_rungs};
    t.capacity = 1000;
    t.items = t2_alloc((size_t) t.capacity, sizeof *t.items);
    return t;
}

/* A trial that runs. */
static inline struct tune_trial *add_trial(struct tune_trials *t, const char *hparams)
{
    struct tune_trial *trial = &t->items[t->n++];

    assert_true(t->n <= t->capacity);
    trial->hparams = t2_strdup(hparams);
    trial->values = t2_alloc((size_t) t->study.n_rungs, sizeof *trial->values);
    return trial;
}

static inline void finish_trial(struct tune_trial *trial, double value)
{
    trial->entered = trial->n_values;
    trial->values[trial->n_values++] = value;
}

static inline double hparam_of(const char *hparams, const char *name)
{
    size_t n;
    const char *value = tune_hparam_value(hparams, name, &n);

    assert_non_null(value);
    return strtod(value, NULL);
}

typedef void (*draw_fn)(const struct tune_trials *t, struct t2_buf *hparams);

/* Owned by the caller. */
static inline char *drawn_by(draw_fn draw, const struct tune_trials *t)
{
    struct t2_buf text = {0};
    char *hparams;

    draw(t, &text);
    hparams = t2_strdup(t2_buf_cstr(&text));
    t2_buf_release(&text);
    return hparams;
}

#endif
