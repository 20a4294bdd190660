/*
 * train/tune/study_report.c - a study in words and in JSON; the page is study_page.html with the
 * JSON in it.
 */
#include "train/tune/study_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/json_page.h"
#include "train/tune/importance.h"
#include "train/tune/param_scale.h"
#include "train/tune/trial_metrics.h"
#include "train/tune/trial_process.h"

/* ---- where a trial stands ---- */

enum state { FINISHED, AT_RUNG, RUNNING, INTERRUPTED, STOPPED, FAILED, N_STATES };
static const char *const state_names[] = {"finished",    "at rung", "running",
                                          "interrupted", "stopped", "failed"};

static enum state state_of(const struct tune_trials *t, const struct tune_log *log, int64_t i)
{
    const struct tune_trial *trial = &t->items[i];

    if (trial->is_failed)
        return FAILED;
    if (trial->n_values == t->study.n_rungs)
        return FINISHED;
    if (trial->n_values > trial->entered)
        return trial->is_stopped ? STOPPED : AT_RUNG;
    if (tune_log_is_held(log, i))
        return RUNNING;
    return trial->is_stopped ? STOPPED : INTERRUPTED;
}

static void count_states(const struct tune_trials *t, const struct tune_log *log,
                         int64_t counts[N_STATES])
{
    memset(counts, 0, N_STATES * sizeof *counts);
    for (int64_t i = 0; i < t->n; i++)
        counts[state_of(t, log, i)]++;
}

static int64_t step_of(const struct tune_trials *t, const struct tune_trial *trial)
{
    return trial->n_values > 0 ? t->study.rungs[trial->n_values - 1] : 0;
}

/* The command that trains with a trial's hparams from the start; from another folder than the
 * search's with a `cd` in front. */
static void put_command(const struct tune_trials *t, const struct tune_log *log, int64_t best,
                        struct t2_buf *text)
{
    char *real = realpath(log->dir, NULL), *here = realpath(".", NULL);
    char *output_dir = t2_path_join(real ? real : log->dir, "best");

    if (!here || strcmp(here, t->study.cwd) != 0) {
        char *argv[] = {t2_strdup("cd"), t->study.cwd}, *cd = t2_flags_command_line(2, argv);

        t2_buf_printf(text, "%s && ", cd);
        t2_free(argv[0]);
        t2_free(cd);
    }
    tune_study_command(&t->study, output_dir, t->items[best].hparams, text);
    t2_free(output_dir);
    free(real);
    free(here);
}

/* ---- words ---- */

static void put_heading(const struct tune_trials *t, const struct tune_log *log,
                        struct t2_buf *text)
{
    const struct tune_study *s = &t->study;
    int64_t counts[N_STATES];

    count_states(t, log, counts);
    t2_buf_printf(text, "study '%s': ", log->dir);
    tune_study_way(s, text);
    t2_buf_printf(text, ", %s to be %s, %" PRId64 " trials, steps", tune_study_metric(s),
                  s->maximize ? "maximized" : "minimized", tune_study_trials(s));
    for (int i = 0; i < s->n_rungs; i++)
        t2_buf_printf(text, "%s%" PRId64, i > 0 ? ", " : " ", s->rungs[i]);
    t2_buf_puts(text, "\ntrials: ");
    for (int i = 0; i < N_STATES; i++)
        if (counts[i] > 0)
            t2_buf_printf(text, "%" PRId64 " %s, ", counts[i], state_names[i]);
    t2_buf_printf(text, "%" PRId64 " to begin\n", tune_study_trials(s) - t->n);
}

void tune_report_status(const struct tune_trials *t, const struct tune_log *log,
                        struct t2_buf *text)
{
    int64_t best = tune_trials_best(t);

    put_heading(t, log, text);
    for (int64_t i = 0; i < t->n; i++) {
        const struct tune_trial *trial = &t->items[i];
        enum state state = state_of(t, log, i);

        if (state == RUNNING)
            t2_buf_printf(text, "trial %" PRId64 ": to step %" PRId64 " by %s  %s\n", i,
                          t->study.rungs[trial->entered], trial->by, trial->hparams);
        else if (state == FAILED || state == STOPPED || state == INTERRUPTED)
            t2_buf_printf(text, "trial %" PRId64 ": %s%s%s  %s\n", i, state_names[state],
                          trial->reason ? ": " : "", trial->reason ? trial->reason : "",
                          trial->hparams);
    }
    if (best >= 0)
        t2_buf_printf(text, "best so far: trial %" PRId64 ", %.6g at step %" PRId64 "  %s\n", best,
                      tune_trial_value(&t->items[best]), step_of(t, &t->items[best]),
                      t->items[best].hparams);
}

static void put_param_names(const struct tune_range *r, const int *widths, struct t2_buf *text)
{
    for (size_t i = 0; i < r->n; i++)
        t2_buf_printf(text, "  %*s", widths[i], r->params[i].name);
    t2_buf_push(text, '\n');
}

static void put_row(const struct tune_trials *t, const struct tune_log *log, int64_t i,
                    const int *widths, struct t2_buf *text)
{
    const struct tune_range *r = t->study.range;
    const struct tune_trial *trial = &t->items[i];
    char value[32] = "-";

    if (trial->n_values > 0)
        snprintf(value, sizeof value, "%.6g", tune_trial_value(trial));
    t2_buf_printf(text, "%5" PRId64 "  %-11s  %9" PRId64 "  %12s", i,
                  state_names[state_of(t, log, i)], step_of(t, trial), value);
    for (size_t k = 0; k < r->n; k++) {
        size_t n;
        const char *v = tune_hparam_value(trial->hparams, r->params[k].name, &n);

        t2_buf_printf(text, "  %*.*s", widths[k], (int) n, v ? v : "");
    }
    if (trial->is_failed)
        t2_buf_printf(text, "  %s", trial->reason);
    t2_buf_push(text, '\n');
}

/* Columns as wide as their names and what stands in them. */
static int *find_widths(const struct tune_trials *t)
{
    const struct tune_range *r = t->study.range;
    int *widths = t2_alloc(r->n, sizeof *widths);

    for (size_t k = 0; k < r->n; k++) {
        widths[k] = (int) strlen(r->params[k].name);
        for (int64_t i = 0; i < t->n; i++) {
            size_t n;

            (void) tune_hparam_value(t->items[i].hparams, r->params[k].name, &n);
            if ((int) n > widths[k])
                widths[k] = (int) n;
        }
    }
    return widths;
}

static void put_importance(const struct tune_trials *t, struct t2_buf *text)
{
    bool any = false;

    for (size_t k = 0; k < t->study.range->n; k++) {
        double share = tune_importance(t, k);

        if (isnan(share))
            continue;
        t2_buf_printf(text, "%s%s %.2f",
                      any ? ", " : "explains the differences: ", t->study.range->params[k].name,
                      share);
        any = true;
    }
    if (any)
        t2_buf_push(text, '\n');
}

void tune_report_text(const struct tune_trials *t, const struct tune_log *log, int64_t n_shown,
                      struct t2_buf *text)
{
    int64_t *order = tune_trials_ranked(t), best = tune_trials_best(t);
    int *widths = find_widths(t);

    put_heading(t, log, text);
    if (t->n > 0) {
        t2_buf_printf(text, "%5s  %-11s  %9s  %12s", "trial", "state", "step",
                      tune_study_metric(&t->study));
        put_param_names(t->study.range, widths, text);
    }
    for (int64_t i = 0; i < t->n && i < n_shown; i++)
        put_row(t, log, order[i], widths, text);
    if (t->n > n_shown)
        t2_buf_printf(text, "  ... and %" PRId64 " more\n", t->n - n_shown);
    put_importance(t, text);
    if (best >= 0) {
        t2_buf_printf(text, "best: trial %" PRId64 ", %.6g at step %" PRId64 "\n", best,
                      tune_trial_value(&t->items[best]), step_of(t, &t->items[best]));
        put_command(t, log, best, text);
        t2_buf_push(text, '\n');
    }
    t2_free(widths);
    t2_free(order);
}

/* ---- JSON ---- */

static void json_of_study(const struct tune_trials *t, const struct tune_log *log,
                          struct t2_json *j)
{
    const struct tune_study *s = &t->study;

    t2_json_kv_string(j, "dir", log->dir);
    t2_json_kv_string(j, "algorithm", tune_algorithm_name(s->algorithm));
    t2_json_kv_string(j, "sampler", tune_sampler_name(s->sampler));
    t2_json_kv_string(j, "objective", s->objective);
    t2_json_kv_string(j, "metric", tune_study_metric(s));
    t2_json_kv_bool(j, "maximize", s->maximize);
    t2_json_kv_i64(j, "max_trials", tune_study_trials(s));
    t2_json_kv_u64(j, "seed", s->seed);
    t2_json_key(j, "rungs");
    t2_json_array(j);
    for (int i = 0; i < s->n_rungs; i++)
        t2_json_i64(j, s->rungs[i]);
    t2_json_end_array(j);
}

static void json_of_counts(const struct tune_trials *t, const struct tune_log *log,
                           struct t2_json *j)
{
    static const char *const keys[] = {"finished",    "at_rung", "running",
                                       "interrupted", "stopped", "failed"};
    int64_t counts[N_STATES];

    count_states(t, log, counts);
    t2_json_key(j, "counts");
    t2_json_object(j);
    for (int i = 0; i < N_STATES; i++)
        t2_json_kv_i64(j, keys[i], counts[i]);
    t2_json_end_object(j);
}

static void json_of_params(const struct tune_trials *t, struct t2_json *j)
{
    static const char *const kinds[] = {"float", "int", "discrete", "categorical"};
    static const char *const scales[] = {"linear", "linear", "log", "reverse_log"};

    t2_json_key(j, "params");
    t2_json_array(j);
    for (size_t k = 0; k < t->study.range->n; k++) {
        const struct tune_param *p = &t->study.range->params[k];

        t2_json_object(j);
        t2_json_kv_string(j, "name", p->name);
        t2_json_kv_string(j, "kind", kinds[p->kind]);
        t2_json_kv_string(j, "scale", scales[p->scale]);
        t2_json_key(j, "importance");
        t2_json_float9(j, tune_importance(t, k));
        t2_json_key(j, "values");
        t2_json_array(j);
        for (size_t i = 0; i < p->values.n; i++)
            t2_json_string(j, p->values.items[i]);
        t2_json_end_array(j);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}

/* Numbers as numbers, words as words. */
static void json_of_hparams(const struct tune_trials *t, const struct tune_trial *trial,
                            struct t2_json *j)
{
    t2_json_key(j, "hparams");
    t2_json_object(j);
    for (size_t k = 0; k < t->study.range->n; k++) {
        const struct tune_param *p = &t->study.range->params[k];
        size_t n;
        const char *value = tune_hparam_value(trial->hparams, p->name, &n);
        char *text = value ? t2_strndup(value, n) : NULL;
        double number;

        t2_json_key(j, p->name);
        if (!text)
            t2_json_null(j);
        else if (p->kind != TUNE_CATEGORICAL && t2_parse_double(text, &number))
            t2_json_double(j, number);
        else
            t2_json_string(j, text);
        t2_free(text);
    }
    t2_json_end_object(j);
}

static enum t2_status json_of_curve(const struct tune_trials *t, const struct tune_log *log,
                                    int64_t i, struct t2_json *j, struct t2_err *err)
{
    char *dir = tune_trial_dir(log->dir, i);
    struct tune_point *points = NULL;
    size_t n = 0;
    enum t2_status st = tune_metric_curve(dir, tune_study_metric(&t->study), &points, &n, err);

    t2_json_key(j, "curve");
    t2_json_array(j);
    for (size_t k = 0; k < n; k++) {
        t2_json_array(j);
        t2_json_i64(j, points[k].step);
        t2_json_float9(j, points[k].value);
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
    t2_free(points);
    t2_free(dir);
    return st;
}

static enum t2_status json_of_trial(const struct tune_trials *t, const struct tune_log *log,
                                    int64_t i, struct t2_json *j, struct t2_err *err)
{
    const struct tune_trial *trial = &t->items[i];
    enum t2_status st;

    t2_json_object(j);
    t2_json_kv_i64(j, "trial", i);
    t2_json_kv_string(j, "state", state_names[state_of(t, log, i)]);
    t2_json_kv_i64(j, "step", step_of(t, trial));
    t2_json_kv_double(j, "value", tune_trial_value(trial));
    t2_json_key(j, "rungs");
    t2_json_array(j);
    for (int k = 0; k < trial->n_values; k++)
        t2_json_double(j, trial->values[k]);
    t2_json_end_array(j);
    t2_json_key(j, "seconds");
    t2_json_float9(j, trial->seconds);
    json_of_hparams(t, trial, j);
    t2_json_kv_string(j, "by", trial->by);
    t2_json_key(j, "reason");
    if (trial->reason)
        t2_json_string(j, trial->reason);
    else
        t2_json_null(j);
    st = json_of_curve(t, log, i, j, err);
    t2_json_end_object(j);
    return st;
}

static void json_of_best(const struct tune_trials *t, const struct tune_log *log, struct t2_json *j)
{
    int64_t best = tune_trials_best(t);
    struct t2_buf command = {0};

    t2_json_key(j, "best");
    if (best < 0) {
        t2_json_null(j);
        return;
    }
    put_command(t, log, best, &command);
    t2_json_object(j);
    t2_json_kv_i64(j, "trial", best);
    t2_json_kv_double(j, "value", tune_trial_value(&t->items[best]));
    t2_json_kv_i64(j, "step", step_of(t, &t->items[best]));
    t2_json_kv_string(j, "command", t2_buf_cstr(&command));
    t2_json_end_object(j);
    t2_buf_release(&command);
}

enum t2_status tune_report_json(const struct tune_trials *t, const struct tune_log *log,
                                struct t2_buf *text, struct t2_err *err)
{
    int64_t *order = tune_trials_ranked(t);
    enum t2_status st = T2_OK;
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    json_of_study(t, log, &j);
    json_of_counts(t, log, &j);
    json_of_params(t, &j);
    json_of_best(t, log, &j);
    t2_json_key(&j, "trials");
    t2_json_array(&j);
    for (int64_t i = 0; i < t->n && st == T2_OK; i++)
        st = json_of_trial(t, log, order[i], &j, err);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_free(order);
    return st;
}

/* ---- the page ---- */

extern const char tune_text_study_page[];
extern const size_t tune_text_study_page_bytes;

enum t2_status tune_report_page(const struct tune_trials *t, const struct tune_log *log,
                                struct t2_buf *html, struct t2_err *err)
{
    struct t2_buf json = {0};
    enum t2_status st = tune_report_json(t, log, &json, err);

    if (st == T2_OK)
        t2_put_json_page((struct t2_slice){(const uint8_t *) tune_text_study_page,
                                           tune_text_study_page_bytes},
                         "@STUDY@", t2_buf_slice(&json), html);
    t2_buf_release(&json);
    return st;
}
