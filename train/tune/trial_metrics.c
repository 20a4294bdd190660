/*
 * train/tune/trial_metrics.c - lines of metrics.jsonl whose kind is "eval".  A run that is killed
 * and continued may evaluate a step twice; the later line counts.
 */
#include "train/tune/trial_metrics.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

enum { MOST_BYTES = 1 << 28 };

/* Called with each evaluation; false ends it. */
typedef void (*eval_fn)(void *context, int64_t step, const struct t2_json_value *line);

static void take_line(const char *line, size_t n, const char *path, eval_fn on_eval, void *context)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *root;

    if (t2_json_parse(line, n, path, &doc, &ignored) != T2_OK)
        return; /* a run that is killed leaves a piece of a line */
    root = t2_json_root(doc);
    if (strcmp(t2_json_as_string(t2_json_get(root, "kind"), ""), "eval") == 0)
        on_eval(context, t2_json_as_i64(t2_json_get(root, "step"), -1), root);
    t2_json_free(doc);
}

static enum t2_status each_eval(const char *trial_dir, eval_fn on_eval, void *context,
                                struct t2_err *err)
{
    char *path = t2_path_join(trial_dir, "metrics.jsonl");
    struct t2_buf text = {0};
    enum t2_status st = t2_read_file(path, MOST_BYTES, &text, err);
    const char *at = t2_buf_cstr(&text), *end = at + text.len_bytes;

    while (st == T2_OK && at < end) {
        const char *newline = memchr(at, '\n', (size_t) (end - at));
        size_t n = (size_t) ((newline ? newline : end) - at);

        take_line(at, n, path, on_eval, context);
        at += n + 1;
    }
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* NaN where it is no finite number. */
static double value_of(const struct t2_json_value *line, const char *metric)
{
    double v = t2_json_as_double(t2_json_get(line, metric), (double) NAN);

    return isfinite(v) ? v : (double) NAN;
}

/* ---- one step ---- */

struct wanted {
    const char *metric;
    int64_t step;
    bool is_there;
    double value;
    struct t2_buf others; /* the metrics of a line that does not have ours */
};

/* What an evaluation says besides its metrics (train/eval/report.c). */
static bool is_metric(const char *key)
{
    static const char *const others[] = {"kind",      "step",          "split",  "batches",
                                         "sequences", "target_tokens", "seconds"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return true;
}

static void look_for(void *context, int64_t step, const struct t2_json_value *line)
{
    struct wanted *w = context;
    const struct t2_json_value *value;

    if (step != w->step)
        return;
    w->is_there = true;
    w->value = value_of(line, w->metric);
    t2_buf_clear(&w->others);
    if (is_metric(w->metric) && t2_json_get(line, w->metric))
        return;
    for (size_t i = 0; i < t2_json_size(line); i++) {
        const char *key = t2_json_member(line, i, &value);
        if (is_metric(key))
            t2_buf_printf(&w->others, "%s%s", w->others.len_bytes > 0 ? ", " : "", key);
    }
}

enum t2_status tune_metric_at(const char *trial_dir, const char *metric, int64_t step,
                              double *value, struct t2_err *err)
{
    struct wanted w = {.metric = metric, .step = step};
    enum t2_status st = each_eval(trial_dir, look_for, &w, err);

    if (st == T2_OK && !w.is_there)
        st = t2_fail(err, T2_EFORMAT, "'%s/metrics.jsonl' has no evaluation at step %" PRId64,
                     trial_dir, step);
    else if (st == T2_OK && w.others.len_bytes > 0)
        st = t2_fail(err, T2_EUSAGE,
                     "the evaluations of these trials have no '%s' (--autotune_objective); there "
                     "are %s",
                     metric, t2_buf_cstr(&w.others));
    *value = w.value;
    t2_buf_release(&w.others);
    return st;
}

/* ---- all steps ---- */

struct curve {
    const char *metric;
    struct tune_point *points;
    size_t n, capacity;
};

static void add_point(void *context, int64_t step, const struct t2_json_value *line)
{
    struct curve *c = context;
    double value = value_of(line, c->metric);

    while (c->n > 0 && c->points[c->n - 1].step >= step) /* from before it was continued */
        c->n--;
    if (isnan(value))
        return;
    if (c->n == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 16;
        c->points = t2_realloc(c->points, c->capacity, sizeof *c->points);
    }
    c->points[c->n++] = (struct tune_point){step, value};
}

enum t2_status tune_metric_curve(const char *trial_dir, const char *metric,
                                 struct tune_point **points, size_t *n, struct t2_err *err)
{
    struct curve c = {.metric = metric};
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st = each_eval(trial_dir, add_point, &c, &why);

    *points = c.points;
    *n = c.n;
    if (st == T2_OK || st == T2_ENOTFOUND)
        return T2_OK;
    t2_free(c.points);
    *points = NULL;
    *n = 0;
    *err = why;
    return st;
}
