/*
 * train/runs/run_profile.h - where the time of training steps goes, for people and as JSON.
 */
#ifndef TR_RUN_PROFILE_H
#define TR_RUN_PROFILE_H

#include "train/graph/profile.h"
#include "train/runs/run.h"

struct tr_profile {
    struct gr_profile operators;
    double input_s, model_s, optimizer_s; /* of n_steps steps */
    int64_t n_steps;
    struct gr_trace trace; /* of one step: */
    int64_t traced_step;   /* 0: none yet */
    double traced_at_s[4];
};

/* Begins to measure the run's model and the products of its device; tr_profile_stop ends it and
 * frees run->profile (NULL is nothing). */
void tr_profile_start(struct tr_run *r);
void tr_profile_stop(struct tr_run *r);

/* Before a step; the tenth is traced, or the last one. */
void tr_profile_begin_step(struct tr_run *r, int64_t number, bool last);
/* A step: the times before it, and behind batch, gradients and update.  Nothing without a
 * profile. */
void tr_profile_step(struct tr_run *r, const double at_s[4]);

/* The object's share per operator, and GFLOP/s per shape of a product: op(A) (M,K) times op(B)
 * (K,N), of two operations per multiply-add. */
void tr_profile_text(const struct tr_run *r, struct t2_buf *text);
void tr_profile_json(const struct tr_run *r, struct t2_json *json);
/* The step that was traced as OUTPUT_DIR/trace-<step>.json, in the format of Chrome's viewer. */
T2_MUST_CHECK enum t2_status tr_profile_save_trace(const struct tr_run *r, struct t2_err *err);

#endif
