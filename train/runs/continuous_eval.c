/*
 * train/runs/continuous_eval.c - continuous evaluation: polls the folder for checkpoints, and opens
 * a run for each new one, until none has come for the timeout.
 */
#include "train/runs/continuous_eval.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"
#include "base/log.h"
#include "base/progress.h"
#include "train/runs/corrupt_bill.h"
#include "train/runs/evaluate.h"

/* -1: none yet. */
static enum t2_status newest(const char *output_dir, int64_t *step, struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0;

    *step = -1;
    if (!t2_exists(output_dir))
        return T2_OK;
    T2_TRY(ckpt_list(output_dir, &steps, &n, err));
    if (n > 0)
        *step = steps[n - 1];
    t2_free(steps);
    return T2_OK;
}

/* Until there is a checkpoint newer than `after`; *step stays `after` when time is up. */
static enum t2_status wait_for(const char *output_dir, int64_t after, double timeout_s,
                               int64_t *step, struct t2_err *err)
{
    double began = t2_now_s();

    for (;;) {
        T2_TRY(newest(output_dir, step, err));
        if (*step > after)
            return T2_OK;
        if (t2_now_s() - began >= timeout_s)
            break;
        T2_TRY(t2_nap(0.2, err));
    }
    *step = after;
    return T2_OK;
}

static enum t2_status evaluate_newest(const struct tr_options *options, tr_scores_fn done,
                                      void *context, int64_t *step, struct t2_err *err)
{
    struct tr_run *run = NULL;
    struct ev_scores scores;
    enum t2_status st;

    T2_TRY(tr_run_open(options, &run, err));
    st = tr_run_begin(run, err);
    if (st == T2_OK)
        st = tr_evaluate(run, &scores, err);
    if (st == T2_OK) {
        *step = run->state.step;
        done(context, run, &scores);
        tr_say_corrupt(run);
    }
    tr_run_free(run);
    return st;
}

enum t2_status tr_evaluate_continuously(const struct tr_options *options, double timeout_s,
                                        tr_scores_fn done, void *context, struct t2_err *err)
{
    char *output_dir = t2_path_expand(options->output_dir);
    int64_t last = -1, step;
    enum t2_status st = T2_OK;

    while (st == T2_OK && last < options->train_steps) {
        st = wait_for(output_dir, last, timeout_s, &step, err);
        if (st != T2_OK || step == last)
            break;
        st = evaluate_newest(options, done, context, &last, err);
    }
    if (st == T2_OK && last < options->train_steps)
        t2_info("no new checkpoint in '%s' within %.0f s", output_dir, timeout_s);
    t2_free(output_dir);
    return st;
}
