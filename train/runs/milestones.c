/*
 * train/runs/milestones.c - see the header.
 */
#include "train/runs/milestones.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "train/runs/best_export.h"
#include "train/runs/ranks.h"

bool tr_is_plateau(const struct tune_point *points, size_t n, int64_t steps, double delta,
                   bool minimize)
{
    size_t j = n;

    for (size_t i = 0; i < n; i++)
        if (points[i].step <= points[n - 1].step - steps)
            j = i;
    if (n < 2 || j == n)
        return false;
    for (size_t i = j; i < n; i++) {
        double better = points[j].value - points[i].value;

        if ((minimize ? better : -better) >= delta)
            return false;
    }
    return true;
}

/* What stands behind the last '/': a key of metrics.jsonl. */
static const char *metric_of(const struct tr_options *o)
{
    const char *name = o->early_stopping_metric;
    const char *slash = name ? strrchr(name, '/') : NULL;

    return slash ? slash + 1 : name ? name : "loss";
}

enum t2_status tr_check_milestones(const struct tr_options *o, struct t2_err *err)
{
    struct t2_buf names = {0};

    if (o->keep_checkpoint_best < 0 || o->keep_checkpoint_best > 1000 ||
        o->keep_every_n_hours < 0 || o->early_stopping_steps < 0)
        return t2_fail(err, T2_EUSAGE,
                       "--keep_checkpoint_every_n_hours and --eval_early_stopping_steps must not "
                       "be negative, --keep_checkpoint_best is 0 to 1000");
    for (int i = 0; ev_score_names[i]; i++) {
        if (strcmp(ev_score_names[i], metric_of(o)) == 0) {
            t2_buf_release(&names);
            return T2_OK;
        }
        t2_buf_printf(&names, "%s%s", i > 0 ? ", " : "", ev_score_names[i]);
    }
    (void) t2_fail(err, T2_EUSAGE, "--eval_early_stopping_metric '%s' is none of %s",
                   o->early_stopping_metric, t2_buf_cstr(&names));
    t2_buf_release(&names);
    return err->status;
}

static bool has_checkpoint(const int64_t *steps, size_t n, int64_t step)
{
    for (size_t i = 0; i < n; i++)
        if (steps[i] == step)
            return true;
    return false;
}

/* Of the evaluated steps that have a checkpoint still, the best; of equal ones the earlier. */
static enum t2_status keep_best(struct tr_run *r, struct tune_point *points, size_t n,
                                struct t2_err *err)
{
    int64_t *steps = NULL, *best = t2_alloc((size_t) r->options.keep_checkpoint_best, sizeof *best);
    size_t n_steps = 0, n_best = 0;
    enum t2_status st = ckpt_list(r->output_dir, &steps, &n_steps, err);

    while (st == T2_OK && n_best < (size_t) r->options.keep_checkpoint_best) {
        size_t found = n;

        for (size_t i = 0; i < n; i++)
            if (has_checkpoint(steps, n_steps, points[i].step) &&
                !has_checkpoint(best, n_best, points[i].step) &&
                (found == n ||
                 (r->options.early_stopping_maximize ? points[i].value > points[found].value
                                                     : points[i].value < points[found].value)))
                found = i;
        if (found == n)
            break;
        best[n_best++] = points[found].step;
    }
    if (st == T2_OK)
        st = ckpt_protect(r->output_dir, "best", best, n_best, true, err);
    t2_free(steps);
    t2_free(best);
    return st;
}

/* Rank 0, which has the reports. */
static enum t2_status look_at_curve(struct tr_run *r, bool *stop, struct t2_err *err)
{
    const struct tr_options *o = &r->options;
    struct tune_point *points = NULL;
    enum t2_status st = T2_OK;
    size_t n = 0;

    T2_TRY(tune_metric_curve(r->output_dir, metric_of(o), &points, &n, err));
    *stop = o->early_stopping_steps > 0 &&
            tr_is_plateau(points, n, o->early_stopping_steps, o->early_stopping_delta,
                          !o->early_stopping_maximize);
    if (*stop)
        t2_info("step %" PRId64 ": %s has not become better by %g in %" PRId64
                " steps: the run stops early",
                r->state.step, metric_of(o), o->early_stopping_delta, o->early_stopping_steps);
    if (o->keep_checkpoint_best > 0)
        st = keep_best(r, points, n, err);
    t2_free(points);
    return st;
}

enum t2_status tr_after_evaluation(struct tr_run *r, bool *stop, struct t2_err *err)
{
    const struct tr_options *o = &r->options;
    bool says[2] = {false, false}; /* stop; the step is the best */
    enum t2_status st = T2_OK;

    *stop = false;
    if (o->early_stopping_steps <= 0 && o->keep_checkpoint_best <= 0 && !o->best_subdir)
        return T2_OK;
    if (tr_ranks_writes(r)) {
        st = look_at_curve(r, &says[0], err);
        if (st == T2_OK)
            st = tr_best_is_here(r, &says[1], err);
    }
    T2_TRY(dist_agree(r->dist, st, err));
    T2_TRY(dist_broadcast(r->dist, says, sizeof says, 0, err));
    *stop = says[0];
    return says[1] ? tr_export_best(r, err) : T2_OK;
}

enum t2_status tr_is_evaluated(struct tr_run *r, bool *is, struct t2_err *err)
{
    *is = r->report && ev_report_last_eval(r->report) == r->state.step;
    return dist_broadcast(r->dist, is, sizeof *is, 0, err);
}

enum t2_status tr_before_save(struct tr_run *r, struct t2_err *err)
{
    double period = 3600.0 * (double) r->options.keep_every_n_hours;

    if (period <= 0.0 ||
        floor(r->state.wall_seconds / period) <= floor(r->saved_wall_seconds / period))
        return T2_OK;
    return ckpt_protect(r->output_dir, "hours", &r->state.step, 1, false, err);
}
