/*
 * train/runs/run_study.c - from the trainer's flags to a study.
 *
 * A trial gets the flags that were given, but for those of the search and those that name its
 * folder.
 */
#include "train/runs/run_study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "train/eval/report.h"
#include "train/models/layer_file.h"
#include "train/runs/loop.h"
#include "train/runs/model_text.h"
#include "train/runs/run_flags.h"
#include "train/tune/study_report.h"
#include "train/tune/study_worker.h"

enum { MOST_PARALLEL = 4096 };

/* ---- flags ---- */

enum t2_status tr_study_is_asked(bool *asked, struct t2_err *err)
{
    *asked = tr_flags.autotune || tr_flags.hparams_range;
    if (*asked && (!tr_flags.hparams_range || !tr_flags.autotune_objective))
        return t2_fail(err, T2_EUSAGE, "a search needs --hparams_range and --autotune_objective");
    if (!*asked && (tr_flags.autotune_objective || tr_flags.autotune_trainer))
        return t2_fail(err, T2_EUSAGE,
                       "--autotune_objective and --autotune_trainer are of a search: which "
                       "hparams, with --hparams_range?");
    return T2_OK;
}

/* "--name=value" or "--name" of a flag that the trials do not get. */
static bool is_of_search(const char *name)
{
    static const char *const names[] = {"hparams_range", "output_dir",  "model_dir",
                                        "hparams",       "json",        "dry_run",
                                        "resume",        "max_memory",  "registry_help",
                                        "pause_at_step", "train_steps", "generate_data",
                                        "text",          "tmp_dir",     "job_dir"};

    if (t2_starts_with(name, "autotune"))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_default(const struct t2_flag *f, const struct tr_trainer_flags *defaults)
{
    const char *at = f->value, *was = (const char *) defaults + (at - (const char *) &tr_flags);
    const char *const *now = f->value, *const *then = (const char *const *) (const void *) was;

    switch (f->type) {
    case T2_FLAG_STRING:
    case T2_FLAG_OPTION:
        return *now == *then || (*now && *then && strcmp(*now, *then) == 0);
    case T2_FLAG_BOOL:
        return *(const bool *) f->value == *(const bool *) (const void *) was;
    case T2_FLAG_INT:
    case T2_FLAG_SIZE:
    case T2_FLAG_DOUBLE:
        return memcmp(at, was, 8) == 0;
    case T2_FLAG_LIST:
        return ((const struct t2_strs *) f->value)->n == 0;
    case T2_FLAG_GROUP:
        break;
    }
    return true;
}

static void put_args(const struct tr_trainer_flags *defaults, struct tune_study *s)
{
    for (size_t i = 0; i < tr_trainer_tool.n_flags; i++) {
        const struct t2_flag *f = &tr_trainer_tool.flags[i];

        if (f->type != T2_FLAG_GROUP && !is_of_search(f->name) &&
            ((f->given && *f->given) || !is_default(f, defaults)))
            tr_flags_put(f, &s->args);
    }
    t2_strs_printf(&s->args, "--train_steps=%" PRId64, tr_flags.train_steps);
    if (!tr_flags.given_keep)
        t2_strs_push(&s->args, "--keep_checkpoint_max=1");
}

static enum t2_status check_flags(const struct tr_options *o, struct t2_err *err)
{
    if (tr_flags.experiment)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--hparams_range with --experiment is not supported; take its model and "
                       "hparams by --model and --hparams_set");
    if (!o->output_dir || o->output_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--output_dir is missing: the folder of the search");
    if (!o->train || !o->evaluate || (tr_flags.eval_steps_given && tr_flags.eval_steps == 0))
        return t2_fail(err, T2_EUSAGE,
                       "a search compares evaluations of trials: no --schedule=%s, no "
                       "--eval_steps=0",
                       tr_flags.schedule);
    if (tr_flags.pause_at_step > 0)
        return t2_fail(err, T2_EUSAGE,
                       "--pause_at_step is for one run; a search has --autotune_min_steps");
    if (tr_flags.autotune_max_trials < 1 || tr_flags.autotune_max_trials > TUNE_MOST_TRIALS)
        return t2_fail(err, T2_EUSAGE, "--autotune_max_trials must be between 1 and %d",
                       TUNE_MOST_TRIALS);
    if (tr_flags.autotune_parallel_trials < 1 || tr_flags.autotune_parallel_trials > MOST_PARALLEL)
        return t2_fail(err, T2_EUSAGE, "--autotune_parallel_trials must be between 1 and %d",
                       MOST_PARALLEL);
    if (tr_flags.autotune_grid_points < 1 || tr_flags.autotune_grid_points > TUNE_MOST_GRID_POINTS)
        return t2_fail(err, T2_EUSAGE, "--autotune_grid_points must be between 1 and %d",
                       TUNE_MOST_GRID_POINTS);
    if (tr_flags.autotune_seed < 0)
        return t2_fail(err, T2_EUSAGE, "--autotune_seed must not be negative");
    return T2_OK;
}

static enum t2_status check_objective(const char *objective, const char *metric, struct t2_err *err)
{
    struct t2_buf names = {0};

    for (int i = 0; ev_score_names[i]; i++) {
        if (strcmp(ev_score_names[i], metric) == 0) {
            t2_buf_release(&names);
            return T2_OK;
        }
        t2_buf_printf(&names, "%s%s", i > 0 ? ", " : "", ev_score_names[i]);
    }
    (void) t2_fail(err, T2_EUSAGE,
                   "--autotune_objective='%s': evaluations do not say that; there are %s",
                   objective, t2_buf_cstr(&names));
    t2_buf_release(&names);
    return T2_EUSAGE;
}

/* Less is better of these, whatever the default of --autotune_maximize says. */
static bool is_loss(const char *metric)
{
    return t2_ends_with(metric, "loss") || t2_ends_with(metric, "error") ||
           t2_ends_with(metric, "error_rate") || t2_ends_with(metric, "edit_distance");
}

static enum t2_status make_study(const struct tr_trainer_flags *defaults, struct tune_study *s,
                                 struct t2_err *err)
{
    char *cwd = realpath(".", NULL);

    s->cwd = t2_strdup(cwd ? cwd : "/");
    free(cwd);
    s->objective = t2_strdup(tr_flags.autotune_objective);
    T2_TRY(check_objective(s->objective, tune_study_metric(s), err));
    s->maximize = tr_flags.autotune_maximize;
    if (!tr_flags.given_maximize && is_loss(tune_study_metric(s)))
        s->maximize = false;
    else if (s->maximize && is_loss(tune_study_metric(s)))
        t2_warn("--autotune_maximize: looks for the largest %s", tune_study_metric(s));
    if (!tune_algorithm_parse(tr_flags.autotune_algorithm, &s->algorithm))
        return t2_fail(err, T2_EUSAGE,
                       "--autotune_algorithm is random, grid, tpe, gp, asha or halving, not '%s'",
                       tr_flags.autotune_algorithm);
    T2_TRY(tune_study_set_sampler(s, tr_flags.autotune_sampler, err));
    s->seed = (uint64_t) tr_flags.autotune_seed;
    s->max_trials = tr_flags.autotune_max_trials;
    s->grid_points = tr_flags.autotune_grid_points;
    s->reduction = tr_flags.autotune_reduction;
    s->hparams = t2_strdup(tr_flags.hparams ? tr_flags.hparams : "");
    put_args(defaults, s);
    T2_TRY(tune_study_set_rungs(s, tr_flags.train_steps, tr_flags.autotune_min_steps, err));
    return tune_range_open(tr_flags.hparams_range, &s->range, err);
}

/* ---- the range and the model ---- */

/* The parameters of a layer file, which are hparams, too. */
static enum t2_status declare_parameters(struct mdl_hparams *hp, struct t2_err *err)
{
    const char *model = tr_flags.model;
    char *text;
    enum t2_status st = tr_model_text_read(&model, &text, err);

    if (st == T2_OK && text)
        st = mdl_layer_file_declare(text, model, hp, err);
    t2_free(text);
    return st;
}

/* "name=text" over the hparams that all trials share; *hp may be looked at with it. */
static enum t2_status try_value(const struct tune_study *s, const char *set, const char *clause,
                                struct mdl_hparams **hp, struct t2_err *err)
{
    struct t2_buf all = {0};
    enum t2_status st;

    tune_study_hparams(s, clause, &all);
    st = mdl_hparams_new(set, hp, err);
    if (st == T2_OK)
        st = declare_parameters(*hp, err);
    if (st == T2_OK)
        st = mdl_hparams_override(*hp, t2_buf_cstr(&all), err);
    t2_buf_release(&all);
    return st;
}

static enum t2_status check_value(const struct tune_study *s, const char *set,
                                  const struct tune_param *p, const char *value, struct t2_err *err)
{
    char *clause = t2_asprintf("%s=%s", p->name, value);
    struct mdl_hparams *hp = NULL;
    enum t2_status st = try_value(s, set, clause, &hp, err);

    mdl_hparams_free(hp);
    t2_free(clause);
    return st == T2_OK ? st : t2_wrap(err, "--hparams_range");
}

/* Each hparam of the range is one of the set, is not fixed by --hparams, and is of such a type. */
static enum t2_status check_range(const struct tune_study *s, const char *set, struct t2_err *err)
{
    for (size_t i = 0; i < s->range->n; i++) {
        const struct tune_param *p = &s->range->params[i];

        if (strcmp(p->name, "batch_size") == 0 && tr_flags.batch_size)
            return t2_fail(err, T2_EUSAGE,
                           "the range varies batch_size: leave --batch_size out, which would "
                           "override it");
        for (size_t k = 0; k < p->values.n; k++)
            T2_TRY(check_value(s, set, p, p->values.items[k], err));
        if (p->kind == TUNE_FLOAT)
            T2_TRY(check_value(s, set, p, "0.5", err));
        if (p->kind == TUNE_INT)
            T2_TRY(check_value(s, set, p, "1", err));
    }
    return T2_OK;
}

/* Names hparams of the range that no part of a run reads: trials differ in them in vain. */
static void name_unread(const struct tune_study *s)
{
    struct t2_buf names = {0};

    for (size_t i = 0; i < s->range->n; i++)
        if (!mdl_hparams_was_read(s->range->params[i].name))
            t2_buf_printf(&names, "%s%s", names.len_bytes > 0 ? ", " : "",
                          s->range->params[i].name);
    if (names.len_bytes > 0)
        t2_warn("the range varies hparams that have no meaning here (nothing reads them in a run "
                "with the hparams that all trials share): %s",
                t2_buf_cstr(&names));
    t2_buf_release(&names);
}

/* A run with what all trials share; *run is owned by the caller. */
static enum t2_status open_shared(const struct tr_options *o, const struct tune_study *s,
                                  struct tr_run **run, struct t2_err *err)
{
    struct tr_options shared = *o;
    char *dir = t2_path_join(o->output_dir, "trials/shared"); /* is never made */
    enum t2_status st;

    shared.output_dir = dir;
    *run = NULL;
    st = tr_run_open(&shared, run, err);
    t2_free(dir);
    if (st == T2_OK)
        st = check_range(s, (*run)->state.hparams_set, err);
    if (st == T2_OK)
        name_unread(s);
    return st;
}

/* ---- --dry_run ---- */

/* Why hparams_*.c would refuse it; "" if not.  Owned by the caller. */
static char *refusal_of(const struct tune_study *s, const char *set, const char *hparams)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    if (try_value(s, set, hparams, &hp, &err) == T2_OK && mdl_hparams_check(hp, &err) == T2_OK)
        err.message[0] = '\0';
    mdl_hparams_free(hp);
    return t2_strdup(err.message);
}

/* Trials whose hparams do not depend on what others give. */
static int64_t count_known(const struct tune_study *s)
{
    int64_t n = tune_study_trials(s);

    return s->sampler != TUNE_DRAW && n > TUNE_FIRST ? TUNE_FIRST : n;
}

static void forecast_text(const struct tune_study *s, const char *set, double seconds_per_step,
                          struct t2_buf *text)
{
    struct tune_drawing d = tune_study_drawing(s);
    int64_t n = tune_study_trials(s), known = count_known(s), steps = tune_study_steps(s);
    char whole[32];

    for (int64_t i = 0; i < known; i++) {
        struct t2_buf hparams = {0};
        char *refusal;

        tune_draw(&d, (uint64_t) i, &hparams);
        refusal = refusal_of(s, set, t2_buf_cstr(&hparams));
        t2_buf_printf(text, "trial %" PRId64 ": %s%s%s\n", i, t2_buf_cstr(&hparams),
                      refusal[0] ? "  will be refused: " : "", refusal);
        t2_buf_release(&hparams);
        t2_free(refusal);
    }
    if (known < n)
        t2_buf_printf(text, "trials %" PRId64 " to %" PRId64 ": by what those before them give\n",
                      known, n - 1);
    for (int r = 0; s->n_rungs > 1 && r < s->n_rungs; r++)
        t2_buf_printf(text, "to step %" PRId64 ": %" PRId64 " trials\n", s->rungs[r],
                      tune_study_at_rung(s, r));
    t2_buf_printf(text,
                  "estimate: %" PRId64 " trials, %" PRId64
                  " steps in all, %.3f s per step with all cores: %s and the evaluations\n",
                  n, steps, seconds_per_step,
                  t2_human_seconds(seconds_per_step * (double) steps, whole, sizeof whole));
}

static void forecast_json(const struct tune_study *s, const char *set, double seconds_per_step,
                          struct t2_buf *text)
{
    struct tune_drawing d = tune_study_drawing(s);
    struct t2_json j;

    t2_json_init(&j, text, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "kind", "search");
    t2_json_kv_i64(&j, "steps", tune_study_steps(s));
    t2_json_key(&j, "seconds_per_step");
    t2_json_float9(&j, seconds_per_step);
    t2_json_kv_i64(&j, "max_trials", tune_study_trials(s));
    t2_json_key(&j, "trials");
    t2_json_array(&j);
    for (int64_t i = 0; i < count_known(s); i++) {
        struct t2_buf hparams = {0};
        char *refusal;

        tune_draw(&d, (uint64_t) i, &hparams);
        refusal = refusal_of(s, set, t2_buf_cstr(&hparams));
        t2_json_object(&j);
        t2_json_kv_i64(&j, "trial", i);
        t2_json_kv_string(&j, "hparams", t2_buf_cstr(&hparams));
        t2_json_kv_string(&j, "refusal", refusal);
        t2_json_end_object(&j);
        t2_buf_release(&hparams);
        t2_free(refusal);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(text, '\n');
}

static enum t2_status forecast(struct tr_run *run, const struct tune_study *s, struct t2_buf *text,
                               struct t2_err *err)
{
    double seconds = 0, tokens = 0;

    T2_TRY(tr_estimate(run, &seconds, &tokens, err));
    if (tr_flags.json)
        forecast_json(s, run->state.hparams_set, seconds, text);
    else
        forecast_text(s, run->state.hparams_set, seconds, text);
    return T2_OK;
}

/* ---- working ---- */

/* Under the lock: writes the study, or compares it with the one that is there. */
static enum t2_status settle(struct tune_log *log, struct tune_trials *t,
                             const struct tune_study *wanted, const struct tr_options *o,
                             struct t2_err *err)
{
    T2_TRY(tune_trials_read(t, log, err));
    if (t->has_study && !o->resume)
        return t2_fail(err, T2_EUSAGE, "'%s' has a study already (--noresume)", log->dir);
    if (t->has_study) {
        T2_TRY(tune_study_check_same(&t->study, wanted, log->dir, err));
        if (wanted->max_trials > t->study.max_trials)
            tune_say_max_trials(log, wanted->max_trials);
    } else {
        tune_say_study(log, wanted);
    }
    T2_TRY(tune_log_flush(log, true, err));
    return tune_trials_read(t, log, err);
}

static enum t2_status begin(struct tune_log *log, struct tune_trials *t,
                            const struct tune_study *wanted, const struct tr_options *o,
                            struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(tune_log_lock(log, err));
    st = settle(log, t, wanted, o, err);
    tune_log_unlock(log);
    return st;
}

static enum t2_status work(struct tune_log *log, struct tune_trials *t, struct t2_err *err)
{
    char *self = realpath("/proc/self/exe", NULL);
    const char *given = tr_flags.autotune_trainer;
    char *real = given && strchr(given, '/') ? realpath(given, NULL) : NULL;
    const struct tune_work_options options = {
        .trainer = given  ? real ? real : given
                   : self ? self
                          : "t2t-trainer",
        .parallel = (int) tr_flags.autotune_parallel_trials,
        .num_threads = t2_flags_num_threads(),
        .max_memory = tr_flags.max_memory,
    };
    enum t2_status st = tune_work(log, t, &options, err);

    free(self);
    free(real);
    return st;
}

static enum t2_status begin_and_work(const struct tune_study *s, const struct tr_options *o,
                                     struct t2_buf *text, struct t2_err *err)
{
    enum { SHOWN = 20 };
    char *dir = t2_path_expand(o->output_dir);
    struct tune_trials t = {0};
    struct tune_log log;
    enum t2_status st = tune_log_open(dir, true, &log, err);

    t2_free(dir);
    T2_TRY(st);
    T2_GOTO(st, out, begin(&log, &t, s, o, err));
    T2_GOTO(st, out, work(&log, &t, err));
    if (tr_flags.json) {
        st = tune_report_json(&t, &log, text, err);
        t2_buf_push(text, '\n');
    } else {
        tune_report_text(&t, &log, SHOWN, text);
    }
    if (st == T2_OK && tune_trials_best(&t) < 0)
        st = T2_EOF;
out:
    tune_trials_release(&t);
    tune_log_close(&log);
    return st;
}

/* False when a study is there: who began it has checked it. */
static bool is_new(const struct tr_options *o)
{
    char *path = t2_path_join(o->output_dir, "study.jsonl");
    bool there = t2_exists(path);

    t2_free(path);
    return !there;
}

enum t2_status tr_study(const struct tr_trainer_flags *defaults, const struct tr_options *o,
                        struct t2_buf *text, struct t2_err *err)
{
    struct tune_study s = {0};
    struct tr_run *run = NULL;
    enum t2_status st;

    T2_GOTO(st, out, check_flags(o, err));
    T2_GOTO(st, out, make_study(defaults, &s, err));
    if (tr_flags.dry_run || is_new(o))
        T2_GOTO(st, out, open_shared(o, &s, &run, err));
    if (tr_flags.dry_run) {
        st = forecast(run, &s, text, err);
        goto out;
    }
    tr_run_free(run);
    run = NULL;
    st = begin_and_work(&s, o, text, err);
out:
    tr_run_free(run);
    tune_study_release(&s);
    return st;
}
