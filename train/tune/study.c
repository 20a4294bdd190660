/*
 * train/tune/study.c - a study as members of a JSON object, compared, and its numbers.
 */
#include "train/tune/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/flags.h"
#include "base/json_want.h"

/* Grows with what a line of the file means.  A study whose trials are drawn as before has the
 * number that it had before. */
enum { FILE_VERSION = 3 };

static const char *const algorithm_names[] = {"random", "grid", "tpe", "gp", "asha", "halving"};
static const struct {
    const char *name;
    int version; /* of the file of a study that draws so */
} samplers[] = {{"random", 1}, {"tpe", 2}, {"gp", 3}};

const char *tune_algorithm_name(enum tune_algorithm a)
{
    return algorithm_names[a];
}

bool tune_algorithm_parse(const char *name, enum tune_algorithm *a)
{
    for (int i = 0; i <= TUNE_HALVING; i++) {
        if (strcmp(name, algorithm_names[i]) == 0) {
            *a = (enum tune_algorithm) i;
            return true;
        }
    }
    return false;
}

static bool has_rungs(const struct tune_study *s)
{
    return s->algorithm == TUNE_ASHA || s->algorithm == TUNE_HALVING;
}

/* ---- samplers ---- */

const char *tune_sampler_name(enum tune_sampler sampler)
{
    return samplers[sampler].name;
}

static enum tune_sampler own_sampler(enum tune_algorithm a)
{
    return a == TUNE_TPE ? TUNE_DRAW_TPE : a == TUNE_GP ? TUNE_DRAW_GP : TUNE_DRAW;
}

enum t2_status tune_study_set_sampler(struct tune_study *s, const char *name, struct t2_err *err)
{
    enum tune_sampler wanted = TUNE_DRAW;

    s->sampler = own_sampler(s->algorithm);
    if (!name)
        return T2_OK;
    while (strcmp(name, samplers[wanted].name) != 0)
        if (wanted++ == TUNE_DRAW_GP)
            return t2_fail(err, T2_EUSAGE, "--autotune_sampler is random, tpe or gp, not '%s'",
                           name);
    if (wanted != s->sampler && !has_rungs(s))
        return t2_fail(err, T2_EUSAGE,
                       "--autotune_sampler=%s is of the algorithms asha and halving, not of %s; "
                       "--autotune_algorithm=%s trains each trial to the end",
                       name, algorithm_names[s->algorithm], name);
    s->sampler = wanted;
    return T2_OK;
}

void tune_study_way(const struct tune_study *s, struct t2_buf *text)
{
    t2_buf_puts(text, algorithm_names[s->algorithm]);
    if (s->sampler != own_sampler(s->algorithm))
        t2_buf_printf(text, " with %s", samplers[s->sampler].name);
}

/* ---- numbers ---- */

enum t2_status tune_study_set_rungs(struct tune_study *s, int64_t train_steps, int64_t min_steps,
                                    struct t2_err *err)
{
    enum { DEFAULT_RUNGS = 3 };

    s->n_rungs = 0;
    if (train_steps < 1)
        return t2_fail(err, T2_EUSAGE, "--train_steps of a search must be at least 1");
    if (has_rungs(s)) {
        if (s->reduction < 2 || s->reduction > INT32_MAX)
            return t2_fail(err, T2_EUSAGE, "--autotune_reduction must be at least 2");
        if (min_steps < 0 || min_steps > train_steps)
            return t2_fail(err, T2_EUSAGE,
                           "--autotune_min_steps must be between 1 and --train_steps=%" PRId64,
                           train_steps);
        if (min_steps == 0) {
            min_steps = train_steps;
            for (int i = 1; i < DEFAULT_RUNGS; i++)
                min_steps = (min_steps + s->reduction - 1) / s->reduction;
        }
        for (int64_t steps = min_steps; steps < train_steps; steps *= s->reduction) {
            s->rungs[s->n_rungs++] = steps;
            if (steps > train_steps / s->reduction)
                break;
        }
    }
    s->rungs[s->n_rungs++] = train_steps;
    return T2_OK;
}

struct tune_drawing tune_study_drawing(const struct tune_study *s)
{
    return (struct tune_drawing){.range = s->range,
                                 .grid = s->algorithm == TUNE_GRID,
                                 .grid_points = s->grid_points,
                                 .n_spread = s->sampler == TUNE_DRAW_GP ? TUNE_FIRST : 0,
                                 .seed = s->seed};
}

int64_t tune_study_trials(const struct tune_study *s)
{
    struct tune_drawing d = tune_study_drawing(s);
    uint64_t n = tune_draw_count(&d);

    return n < (uint64_t) s->max_trials ? (int64_t) n : s->max_trials;
}

int64_t tune_study_at_rung(const struct tune_study *s, int rung)
{
    int64_t n = tune_study_trials(s);

    for (int i = 0; i < rung; i++)
        n = n / s->reduction > 0 ? n / s->reduction : 1;
    return n;
}

int64_t tune_study_steps(const struct tune_study *s)
{
    int64_t sum = 0, before = 0;

    for (int i = 0; i < s->n_rungs; i++) {
        int64_t more = s->rungs[i] - before, n = tune_study_at_rung(s, i);
        if (more > (INT64_MAX - sum) / n)
            return INT64_MAX;
        sum += more * n;
        before = s->rungs[i];
    }
    return sum;
}

const char *tune_study_metric(const struct tune_study *s)
{
    const char *slash = strrchr(s->objective, '/');

    return slash ? slash + 1 : s->objective;
}

bool tune_study_better(const struct tune_study *s, double a, double b)
{
    return s->maximize ? a > b : a < b;
}

/* ---- JSON ---- */

static void put_range(const struct tune_study *s, struct t2_json *j)
{
    struct t2_buf text = {0};

    tune_range_text(s->range, &text);
    t2_json_kv_string(j, "range", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

void tune_study_write(const struct tune_study *s, struct t2_json *j)
{
    t2_json_kv_i64(j, "version", samplers[s->sampler].version);
    put_range(s, j);
    t2_json_kv_string(j, "objective", s->objective);
    t2_json_kv_bool(j, "maximize", s->maximize);
    t2_json_kv_string(j, "algorithm", tune_algorithm_name(s->algorithm));
    t2_json_kv_string(j, "sampler", tune_sampler_name(s->sampler));
    t2_json_kv_u64(j, "seed", s->seed);
    t2_json_kv_i64(j, "max_trials", s->max_trials);
    t2_json_kv_i64(j, "grid_points", s->grid_points);
    t2_json_kv_i64(j, "reduction", s->reduction);
    t2_json_key(j, "rungs");
    t2_json_array(j);
    for (int i = 0; i < s->n_rungs; i++)
        t2_json_i64(j, s->rungs[i]);
    t2_json_end_array(j);
    t2_json_kv_string(j, "cwd", s->cwd);
    t2_json_key(j, "args");
    t2_json_array(j);
    for (size_t i = 0; i < s->args.n; i++)
        t2_json_string(j, s->args.items[i]);
    t2_json_end_array(j);
    t2_json_kv_string(j, "hparams", s->hparams);
}

static void want_between(struct t2_json_want *w, const char *key, int64_t value, int64_t least,
                         int64_t most)
{
    if (value < least || value > most)
        t2_json_complain(w, key, "a number that makes sense");
}

static void read_rungs(struct t2_json_want *w, const struct t2_json_value *object,
                       struct tune_study *s)
{
    const struct t2_json_value *list = t2_json_get(object, "rungs");
    size_t n = t2_json_size(list);

    if (t2_json_type(list) != T2_JSON_ARRAY || n < 1 || n > TUNE_MOST_RUNGS) {
        t2_json_complain(w, "rungs", "a list of steps");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t steps = t2_json_as_i64(t2_json_item(list, i), 0);
        if (steps <= (i > 0 ? s->rungs[i - 1] : 0))
            t2_json_complain(w, "rungs", "a list of steps that grow");
        s->rungs[i] = steps;
    }
    s->n_rungs = (int) n;
}

/* Studies of version 1 may not say it. */
static void read_sampler(struct t2_json_want *w, const struct t2_json_value *object,
                         struct tune_study *s)
{
    const char *name = t2_json_as_string(t2_json_get(object, "sampler"), NULL);
    struct t2_err ignored = T2_ERR_INIT;

    if (tune_study_set_sampler(s, name, &ignored) != T2_OK)
        t2_json_complain(w, "sampler", "random, tpe or gp");
}

static void read_args(struct t2_json_want *w, const struct t2_json_value *object,
                      struct tune_study *s)
{
    const struct t2_json_value *list = t2_json_get(object, "args");

    if (t2_json_type(list) != T2_JSON_ARRAY)
        t2_json_complain(w, "args", "a list of flags");
    for (size_t i = 0; i < t2_json_size(list); i++) {
        const char *arg = t2_json_as_string(t2_json_item(list, i), "");
        if (!t2_starts_with(arg, "--"))
            t2_json_complain(w, "args", "a list of flags");
        t2_strs_push(&s->args, arg);
    }
}

enum t2_status tune_study_read(const struct t2_json_value *object, const char *origin,
                               struct tune_study *s, struct t2_err *err)
{
    struct t2_json_want w = {.origin = origin, .err = err};
    char *algorithm, *range;
    enum t2_status st;

    if (t2_json_want_i64(&w, object, "version") > FILE_VERSION)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': made by a newer version of this program",
                       origin);
    s->objective = t2_json_want_string(&w, object, "objective");
    s->maximize = t2_json_want_bool(&w, object, "maximize");
    algorithm = t2_json_want_string(&w, object, "algorithm");
    if (!tune_algorithm_parse(algorithm, &s->algorithm))
        t2_json_complain(&w, "algorithm", "random, grid, tpe, asha or halving");
    t2_free(algorithm);
    read_sampler(&w, object, s);
    s->seed = t2_json_want_u64(&w, object, "seed");
    s->max_trials = t2_json_want_i64(&w, object, "max_trials");
    want_between(&w, "max_trials", s->max_trials, 1, TUNE_MOST_TRIALS);
    s->grid_points = t2_json_want_i64(&w, object, "grid_points");
    want_between(&w, "grid_points", s->grid_points, 1, TUNE_MOST_GRID_POINTS);
    s->reduction = t2_json_want_i64(&w, object, "reduction");
    want_between(&w, "reduction", s->reduction, 2, INT32_MAX);
    read_rungs(&w, object, s);
    s->cwd = t2_json_want_string(&w, object, "cwd");
    read_args(&w, object, s);
    s->hparams = t2_json_want_string(&w, object, "hparams");
    range = t2_json_want_string(&w, object, "range");
    st = w.status;
    if (st == T2_OK)
        st = tune_range_parse(range, strlen(range), origin, &s->range, err);
    t2_free(range);
    return st;
}

/* ---- comparing ---- */

static enum t2_status differ(const char *dir, const char *what, const char *there,
                             const char *wanted, struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE,
                   "'%s' has a study with another %s: '%.200s', not '%.200s'; give the same, or "
                   "another --output_dir",
                   dir, what, there, wanted);
}

static enum t2_status differ_numbers(const char *dir, const char *what, int64_t there,
                                     int64_t wanted, struct t2_err *err)
{
    char a[32], b[32];

    snprintf(a, sizeof a, "%" PRId64, there);
    snprintf(b, sizeof b, "%" PRId64, wanted);
    return differ(dir, what, a, b, err);
}

static enum t2_status check_range(const struct tune_study *there, const struct tune_study *wanted,
                                  const char *dir, struct t2_err *err)
{
    struct t2_buf a = {0}, b = {0};
    enum t2_status st = T2_OK;

    tune_range_text(there->range, &a);
    tune_range_text(wanted->range, &b);
    if (!t2_slice_eq(t2_buf_slice(&a), t2_buf_slice(&b)))
        st = differ(dir, "hparams_range", t2_buf_cstr(&a), t2_buf_cstr(&b), err);
    t2_buf_release(&a);
    t2_buf_release(&b);
    return st;
}

static enum t2_status check_args(const struct tune_study *there, const struct tune_study *wanted,
                                 const char *dir, struct t2_err *err)
{
    for (size_t i = 0; i < there->args.n || i < wanted->args.n; i++) {
        const char *a = i < there->args.n ? there->args.items[i] : "";
        const char *b = i < wanted->args.n ? wanted->args.items[i] : "";
        if (strcmp(a, b) != 0)
            return differ(dir, "flag of its trials", a, b, err);
    }
    return T2_OK;
}

enum t2_status tune_study_check_same(const struct tune_study *there,
                                     const struct tune_study *wanted, const char *dir,
                                     struct t2_err *err)
{
    T2_TRY(check_range(there, wanted, dir, err));
    if (strcmp(there->objective, wanted->objective) != 0)
        return differ(dir, "autotune_objective", there->objective, wanted->objective, err);
    if (there->maximize != wanted->maximize)
        return differ(dir, "autotune_maximize", there->maximize ? "true" : "false",
                      wanted->maximize ? "true" : "false", err);
    if (there->algorithm != wanted->algorithm)
        return differ(dir, "autotune_algorithm", tune_algorithm_name(there->algorithm),
                      tune_algorithm_name(wanted->algorithm), err);
    if (there->sampler != wanted->sampler)
        return differ(dir, "autotune_sampler", tune_sampler_name(there->sampler),
                      tune_sampler_name(wanted->sampler), err);
    if (there->seed != wanted->seed)
        return differ_numbers(dir, "autotune_seed", (int64_t) there->seed, (int64_t) wanted->seed,
                              err);
    if (there->algorithm == TUNE_GRID && there->grid_points != wanted->grid_points)
        return differ_numbers(dir, "autotune_grid_points", there->grid_points, wanted->grid_points,
                              err);
    if (has_rungs(there) && there->reduction != wanted->reduction)
        return differ_numbers(dir, "autotune_reduction", there->reduction, wanted->reduction, err);
    for (int i = 0; i < there->n_rungs || i < wanted->n_rungs; i++)
        if (i >= there->n_rungs || i >= wanted->n_rungs || there->rungs[i] != wanted->rungs[i])
            return differ_numbers(dir, "number of steps", there->rungs[i], wanted->rungs[i], err);
    T2_TRY(check_args(there, wanted, dir, err));
    if (strcmp(there->hparams, wanted->hparams) != 0)
        return differ(dir, "hparams", there->hparams, wanted->hparams, err);
    if (wanted->max_trials < there->max_trials ||
        (there->algorithm == TUNE_HALVING && wanted->max_trials > there->max_trials))
        return differ_numbers(dir, "autotune_max_trials", there->max_trials, wanted->max_trials,
                              err);
    return T2_OK;
}

void tune_study_release(struct tune_study *s)
{
    tune_range_free(s->range);
    t2_free(s->objective);
    t2_free(s->cwd);
    t2_free(s->hparams);
    t2_strs_release(&s->args);
    *s = (struct tune_study){0};
}

/* ---- command lines ---- */

void tune_study_hparams(const struct tune_study *s, const char *hparams, struct t2_buf *text)
{
    t2_buf_printf(text, "%s%s%s", s->hparams, s->hparams[0] && hparams[0] ? "," : "", hparams);
}

void tune_study_command(const struct tune_study *s, const char *output_dir, const char *hparams,
                        struct t2_buf *text)
{
    struct t2_buf all = {0};
    struct t2_strs words = {0};
    char *line;

    t2_strs_push(&words, "t2t-trainer");
    for (size_t i = 0; i < s->args.n; i++)
        t2_strs_push(&words, s->args.items[i]);
    t2_strs_printf(&words, "--output_dir=%s", output_dir);
    tune_study_hparams(s, hparams, &all);
    if (all.len_bytes > 0)
        t2_strs_printf(&words, "--hparams=%s", t2_buf_cstr(&all));
    line = t2_flags_command_line((int) words.n, words.items);
    t2_buf_puts(text, line);
    t2_free(line);
    t2_buf_release(&all);
    t2_strs_release(&words);
}
