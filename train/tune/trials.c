/*
 * train/tune/trials.c - the lines of a study's file: what each one changes, and how it is written.
 */
#include "train/tune/trials.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_want.h"

/* ---- reading ---- */

static void release_trial(struct tune_trial *trial)
{
    t2_free(trial->hparams);
    t2_free(trial->by);
    t2_free(trial->reason);
    t2_free(trial->values);
}

void tune_trials_release(struct tune_trials *t)
{
    for (int64_t i = 0; i < t->n; i++)
        release_trial(&t->items[i]);
    t2_free(t->items);
    tune_study_release(&t->study);
    *t = (struct tune_trials){0};
}

static void set_text(char **text, char *owned)
{
    t2_free(*text);
    *text = owned;
}

static struct tune_trial *add_trial(struct tune_trials *t)
{
    if (t->n == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 16;
        t->items = t2_realloc(t->items, (size_t) t->capacity, sizeof *t->items);
    }
    t->items[t->n] = (struct tune_trial){.death_step = -1};
    t->items[t->n].values = t2_alloc((size_t) t->study.n_rungs, sizeof(double));
    return &t->items[t->n++];
}

static enum t2_status no_sense(const struct tune_trials *t, const struct t2_json_value *line,
                               const char *why, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRId64 ": %s", t->origin,
                   t2_json_as_i64(t2_json_get(line, "n"), -1), why);
}

static enum t2_status take_claim(struct tune_trials *t, const struct t2_json_value *line,
                                 struct t2_err *err)
{
    struct t2_json_want w = {.origin = t->origin, .err = err};
    int64_t index = t2_json_want_i64(&w, line, "trial"), rung = t2_json_want_i64(&w, line, "rung");
    char *hparams, *by;
    struct tune_trial *trial;

    T2_TRY(w.status);
    if (index < 0 || index > t->n || index >= TUNE_MOST_TRIALS || rung < 0 ||
        rung >= t->study.n_rungs || rung > (index < t->n ? t->items[index].n_values : 0))
        return no_sense(t, line, "a claim of a trial or a rung that cannot be", err);
    hparams = t2_json_want_string(&w, line, "hparams");
    by = t2_json_want_string(&w, line, "by");
    trial = index == t->n ? add_trial(t) : &t->items[index];
    set_text(&trial->hparams, hparams);
    set_text(&trial->by, by);
    if (rung > trial->entered) {
        trial->n_deaths = 0;
        trial->death_step = -1;
        trial->entered = (int) rung;
    }
    return w.status;
}

static void take_done(struct t2_json_want *w, const struct t2_json_value *line,
                      struct tune_trial *trial)
{
    const struct t2_json_value *value = t2_json_get(line, "value");

    if (t2_json_type(value) != T2_JSON_REAL && t2_json_type(value) != T2_JSON_INT)
        t2_json_complain(w, "value", "a number");
    trial->values[trial->n_values++] = t2_json_as_double(value, 0);
    trial->seconds += t2_json_as_double(t2_json_get(line, "seconds"), 0);
    trial->n_deaths = 0;
}

static void take_died(struct t2_json_want *w, const struct t2_json_value *line,
                      struct tune_trial *trial)
{
    int64_t step = t2_json_want_i64(w, line, "step");

    set_text(&trial->reason, t2_json_want_string(w, line, "reason"));
    if (step > trial->death_step)
        trial->n_deaths = 0;
    trial->death_step = step;
    trial->n_deaths++;
}

/* A line about a trial that is there: what `event` makes of it. */
static enum t2_status take_change(struct tune_trials *t, const char *event,
                                  const struct t2_json_value *line, struct t2_err *err)
{
    struct t2_json_want w = {.origin = t->origin, .err = err};
    int64_t index = t2_json_want_i64(&w, line, "trial");
    bool is_stop = strcmp(event, "stop") == 0;
    struct tune_trial *trial;

    T2_TRY(w.status);
    if (index < 0 || index >= t->n)
        return no_sense(t, line, "a trial that was never begun", err);
    trial = &t->items[index];
    if (is_stop || strcmp(event, "continue") == 0) {
        trial->is_stopped = is_stop;
        trial->is_failed &= is_stop;
        trial->n_deaths = 0;
        return T2_OK;
    }
    if (trial->n_values > trial->entered || t2_json_want_i64(&w, line, "rung") != trial->entered)
        return no_sense(t, line, "a result of a rung that was not claimed", err);
    if (strcmp(event, "done") == 0) {
        take_done(&w, line, trial);
    } else if (strcmp(event, "failed") == 0) {
        trial->is_failed = true;
        set_text(&trial->reason, t2_json_want_string(&w, line, "reason"));
    } else {
        take_died(&w, line, trial);
    }
    return w.status;
}

static enum t2_status take_max_trials(struct tune_trials *t, const struct t2_json_value *line,
                                      struct t2_err *err)
{
    int64_t n = t2_json_as_i64(t2_json_get(line, "max_trials"), 0);

    if (n < 1 || n > TUNE_MOST_TRIALS)
        return no_sense(t, line, "max_trials is no number that makes sense", err);
    t->study.max_trials = n;
    return T2_OK;
}

static enum t2_status take(void *context, int64_t n, const struct t2_json_value *line,
                           struct t2_err *err)
{
    static const char *const changes[] = {"done", "failed", "died", "stop", "continue"};
    struct tune_trials *t = context;
    const char *event = t2_json_as_string(t2_json_get(line, "event"), "");

    if ((n == 0) != (strcmp(event, "study") == 0))
        return no_sense(t, line, "the study stands in line 0, and only there", err);
    if (n == 0) {
        T2_TRY(tune_study_read(line, t->origin, &t->study, err));
        t->has_study = true;
        return T2_OK;
    }
    if (strcmp(event, "claim") == 0)
        return take_claim(t, line, err);
    if (strcmp(event, "max_trials") == 0)
        return take_max_trials(t, line, err);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        if (strcmp(event, changes[i]) == 0)
            return take_change(t, event, line, err);
    return no_sense(t, line, "an event that this program does not know", err);
}

enum t2_status tune_trials_read(struct tune_trials *t, struct tune_log *log, struct t2_err *err)
{
    t->origin = log->path;
    return tune_log_read(log, take, t, err);
}

/* ---- ranks ---- */

double tune_trial_value(const struct tune_trial *trial)
{
    return trial->n_values > 0 ? trial->values[trial->n_values - 1] : (double) NAN;
}

/* True when a stands before b: more rungs, then the better value, then the earlier trial. */
static bool is_before(const struct tune_trials *t, int64_t a, int64_t b)
{
    const struct tune_trial *x = &t->items[a], *y = &t->items[b];

    if (x->n_values != y->n_values)
        return x->n_values > y->n_values;
    if (x->n_values > 0 && tune_trial_value(x) != tune_trial_value(y))
        return tune_study_better(&t->study, tune_trial_value(x), tune_trial_value(y));
    if (x->is_failed != y->is_failed)
        return y->is_failed;
    return a < b;
}

int64_t tune_trials_best(const struct tune_trials *t)
{
    int64_t best = -1;

    for (int64_t i = 0; i < t->n; i++)
        if (t->items[i].n_values > 0 && (best < 0 || is_before(t, i, best)))
            best = i;
    return best;
}

/* Merges the sorted halves [from, middle) and [middle, to) of `order`. */
static void merge(const struct tune_trials *t, int64_t *order, int64_t *room, int64_t from,
                  int64_t middle, int64_t to)
{
    int64_t a = from, b = middle;

    for (int64_t i = from; i < to; i++)
        room[i] =
            a < middle && (b == to || !is_before(t, order[b], order[a])) ? order[a++] : order[b++];
    memcpy(order + from, room + from, (size_t) (to - from) * sizeof *order);
}

int64_t *tune_trials_ranked(const struct tune_trials *t)
{
    int64_t *order = t2_alloc((size_t) t->n, sizeof *order);
    int64_t *room = t2_alloc((size_t) t->n, sizeof *room);

    for (int64_t i = 0; i < t->n; i++)
        order[i] = i;
    for (int64_t width = 1; width < t->n; width *= 2)
        for (int64_t at = 0; at + width < t->n; at += 2 * width)
            merge(t, order, room, at, at + width, t->n - at < 2 * width ? t->n : at + 2 * width);
    t2_free(room);
    return order;
}

/* ---- writing ---- */

/* What is written of an event: its members without the braces of the object. */
struct line {
    struct t2_buf text;
    struct t2_json json;
};

static void begin(struct line *l, const char *event)
{
    *l = (struct line){0};
    t2_json_init(&l->json, &l->text, 0);
    t2_json_object(&l->json);
    t2_json_kv_string(&l->json, "event", event);
}

static void begin_trial(struct line *l, const char *event, int64_t trial)
{
    begin(l, event);
    t2_json_kv_i64(&l->json, "trial", trial);
}

static void end(struct line *l, struct tune_log *log)
{
    t2_json_end_object(&l->json);
    T2_ASSERT(l->text.data[0] == '{' && l->text.data[l->text.len_bytes - 1] == '}');
    l->text.data[l->text.len_bytes - 1] = '\0';
    tune_log_add(log, t2_buf_cstr(&l->text) + 1);
    t2_buf_release(&l->text);
}

void tune_say_study(struct tune_log *log, const struct tune_study *s)
{
    struct line l;

    begin(&l, "study");
    tune_study_write(s, &l.json);
    end(&l, log);
}

void tune_say_max_trials(struct tune_log *log, int64_t max_trials)
{
    struct line l;

    begin(&l, "max_trials");
    t2_json_kv_i64(&l.json, "max_trials", max_trials);
    end(&l, log);
}

void tune_say_claim(struct tune_log *log, int64_t trial, int rung, const char *hparams,
                    const char *by)
{
    struct line l;

    begin_trial(&l, "claim", trial);
    t2_json_kv_i64(&l.json, "rung", rung);
    t2_json_kv_string(&l.json, "hparams", hparams);
    t2_json_kv_string(&l.json, "by", by);
    end(&l, log);
}

void tune_say_done(struct tune_log *log, int64_t trial, int rung, double value, double seconds)
{
    struct line l;

    begin_trial(&l, "done", trial);
    t2_json_kv_i64(&l.json, "rung", rung);
    t2_json_kv_double(&l.json, "value", value);
    t2_json_key(&l.json, "seconds");
    t2_json_float9(&l.json, seconds);
    end(&l, log);
}

void tune_say_failed(struct tune_log *log, int64_t trial, int rung, const char *reason)
{
    struct line l;

    begin_trial(&l, "failed", trial);
    t2_json_kv_i64(&l.json, "rung", rung);
    t2_json_kv_string(&l.json, "reason", reason);
    end(&l, log);
}

void tune_say_died(struct tune_log *log, int64_t trial, int rung, const char *reason, int64_t step)
{
    struct line l;

    begin_trial(&l, "died", trial);
    t2_json_kv_i64(&l.json, "rung", rung);
    t2_json_kv_string(&l.json, "reason", reason);
    t2_json_kv_i64(&l.json, "step", step);
    end(&l, log);
}

static void say_word(struct tune_log *log, const char *event, int64_t trial)
{
    struct line l;

    begin_trial(&l, event, trial);
    end(&l, log);
}

void tune_say_stop(struct tune_log *log, int64_t trial)
{
    say_word(log, "stop", trial);
}

void tune_say_continue(struct tune_log *log, int64_t trial)
{
    say_word(log, "continue", trial);
}
