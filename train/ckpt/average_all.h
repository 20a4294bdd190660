/*
 * train/ckpt/average_all.h - every mean of n consecutive checkpoints, as t2t-avg-all makes them.
 *
 * tensor2tensor/bin/t2t_avg_all.py; spec t2t-trainer.md §9.4.  Only the variables are averaged: the
 * results can be decoded, evaluated and exported, not trained on.
 */
#ifndef CKPT_AVERAGE_ALL_H
#define CKPT_AVERAGE_ALL_H

#include <stdint.h>

#include "base/err.h"

struct ckpt_average_all {
    const char *model_dir;
    const char *output_dir; /* another folder, made when absent */
    int n;                  /* checkpoints in a mean, at least 1 */
    int64_t min_steps;      /* older ones are left out */
    double wait_seconds;    /* how long to wait for a further checkpoint; 0: not at all */
    /* After each mean of the checkpoints from step `first` to step `last`; may be NULL. */
    void (*written)(void *context, int64_t first, int64_t last);
    void *context;
};

/* From the oldest checkpoint on: once n have been seen, the mean of the last n is written as a
 * checkpoint of the newest one's step, with its time.  T2_ENOTFOUND when there were fewer than n;
 * T2_EINTERRUPTED between two means. */
T2_MUST_CHECK enum t2_status ckpt_average_all(const struct ckpt_average_all *a, struct t2_err *err);

#endif
