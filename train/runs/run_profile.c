/*
 * train/runs/run_profile.c - shares of time in training steps, for people and as JSON: per operator
 * and direction (graph/profile.h), per shape of a gemm (device/gemm_times.h), and waiting for data.
 */
#include "train/runs/run_profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "train/device/gemm_times.h"

void tr_profile_start(struct tr_run *r)
{
    T2_ASSERT(!r->profile);
    r->profile = t2_alloc(1, sizeof *r->profile);
    (void) dev_gemm_times_start(r->dev);
    mdl_set_profile(r->model, &r->profile->operators);
}

void tr_profile_stop(struct tr_run *r)
{
    if (!r->profile)
        return;
    mdl_set_profile(r->model, NULL);
    gr_profile_release(&r->profile->operators);
    gr_trace_release(&r->profile->trace);
    dev_gemm_times_stop(r->dev);
    t2_free(r->profile);
    r->profile = NULL;
}

void tr_profile_begin_step(struct tr_run *r, int64_t number, bool last)
{
    enum { TRACED = 10 }; /* graphs and memory are there by then */
    struct tr_profile *p = r->profile;

    if (!p)
        return;
    p->operators.trace = NULL;
    if (p->traced_step > 0 || (p->n_steps + 1 < TRACED && !last))
        return;
    gr_trace_release(&p->trace); /* of a step that was not finite */
    p->operators.trace = &p->trace;
    p->traced_step = -number;
}

void tr_profile_step(struct tr_run *r, const double at_s[4])
{
    struct tr_profile *p = r->profile;

    if (!p)
        return;
    p->input_s += at_s[1] - at_s[0];
    p->model_s += at_s[2] - at_s[1];
    p->optimizer_s += at_s[3] - at_s[2];
    p->n_steps++;
    if (!p->operators.trace)
        return;
    p->operators.trace = NULL;
    p->traced_step = -p->traced_step;
    memcpy(p->traced_at_s, at_s, sizeof p->traced_at_s);
}

/* ---- rows ---- */

struct row {
    const char *name;
    double forward_s, backward_s;
};

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    double s = x->forward_s + x->backward_s, t = y->forward_s + y->backward_s;

    return s < t ? 1 : s > t ? -1 : strcmp(x->name, y->name);
}

/* Rows for the operators, and for the optimizer, the wait for input and the rest of a step; returns
 * the sum. */
static double rows_of(const struct tr_profile *p, struct row rows[GR_MAX_PROFILE + 3], int *n)
{
    double total = p->input_s + p->model_s + p->optimizer_s, operators = 0.0;

    for (*n = 0; *n < p->operators.n; ++*n) {
        rows[*n] = (struct row){p->operators.op[*n], p->operators.forward_s[*n],
                                p->operators.backward_s[*n]};
        operators += rows[*n].forward_s + rows[*n].backward_s;
    }
    rows[(*n)++] = (struct row){"(optimizer)", p->optimizer_s, 0.0};
    rows[(*n)++] = (struct row){"(input)", p->input_s, 0.0};
    rows[(*n)++] = (struct row){"(rest)", p->model_s - operators, 0.0};
    qsort(rows, (size_t) *n, sizeof *rows, by_time);
    return total;
}

static int by_seconds(const void *a, const void *b)
{
    const struct dev_gemm_time *x = a, *y = b;

    return x->seconds < y->seconds ? 1 : x->seconds > y->seconds ? -1 : 0;
}

/* A sorted copy; owned by the caller. */
static struct dev_gemm_time *gemms_of(const struct tr_run *r, int *n)
{
    const struct dev_gemm_times *t = r->dev->gemm_times;
    struct dev_gemm_time *sorted = t2_alloc((size_t) t->n, sizeof *sorted);

    *n = t->n;
    memcpy(sorted, t->items, (size_t) t->n * sizeof *sorted);
    qsort(sorted, (size_t) t->n, sizeof *sorted, by_seconds);
    return sorted;
}

/* Two operations per multiply-add, as GFLOP/s is counted everywhere. */
static double gflops(const struct dev_gemm_time *p)
{
    return p->seconds > 0.0 ? 2.0 * p->multiply_adds / p->seconds * 1e-9 : 0.0;
}

/* ---- text ---- */

static void text_of_gemms(const struct tr_run *r, double total, struct t2_buf *b)
{
    enum { MOST = 24 };
    struct dev_gemm_time *p, all = {.M = 0};
    int n;

    p = gemms_of(r, &n);
    for (int i = 0; i < n; i++) {
        all.seconds += p[i].seconds;
        all.multiply_adds += p[i].multiply_adds;
    }
    t2_buf_printf(b, "products: %.1f %% of the time, %.1f GFLOP/s\n", 100.0 * all.seconds / total,
                  gflops(&all));
    for (int i = 0; i < n && i < MOST; i++)
        t2_buf_printf(b,
                      "  %6" PRId64 " x %6" PRId64 " x %6" PRId64
                      "  A%s B%s  %5.1f %%  %7.1f GFLOP/s  (%" PRId64 " times)\n",
                      p[i].M, p[i].N, p[i].K, p[i].trans_a ? "'" : " ", p[i].trans_b ? "'" : " ",
                      100.0 * p[i].seconds / total, gflops(&p[i]), p[i].calls);
    if (n > MOST)
        t2_buf_printf(b, "  and %d other shapes\n", n - MOST);
    t2_free(p);
}

void tr_profile_text(const struct tr_run *r, struct t2_buf *text)
{
    struct row rows[GR_MAX_PROFILE + 3];
    double total;
    int n;

    total = rows_of(r->profile, rows, &n);
    if (r->profile->n_steps == 0 || total <= 0.0)
        return;
    t2_buf_printf(text, "profile: %" PRId64 " steps of %.4f s\n", r->profile->n_steps,
                  total / (double) r->profile->n_steps);
    for (int i = 0; i < n; i++)
        t2_buf_printf(text, "  %-24s forward %5.1f %%  backward %5.1f %%\n", rows[i].name,
                      100.0 * rows[i].forward_s / total, 100.0 * rows[i].backward_s / total);
    text_of_gemms(r, total, text);
}

/* ---- JSON ---- */

static void put(struct t2_json *j, const char *key, double v)
{
    t2_json_key(j, key);
    t2_json_float9(j, v);
}

static void json_of_gemms(const struct tr_run *r, struct t2_json *j)
{
    struct dev_gemm_time *p;
    int n;

    p = gemms_of(r, &n);
    t2_json_key(j, "products");
    t2_json_array(j);
    for (int i = 0; i < n; i++) {
        t2_json_object(j);
        t2_json_kv_i64(j, "m", p[i].M);
        t2_json_kv_i64(j, "n", p[i].N);
        t2_json_kv_i64(j, "k", p[i].K);
        t2_json_kv_bool(j, "trans_a", p[i].trans_a);
        t2_json_kv_bool(j, "trans_b", p[i].trans_b);
        t2_json_kv_i64(j, "calls", p[i].calls);
        put(j, "seconds", p[i].seconds);
        put(j, "gflops", gflops(&p[i]));
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_free(p);
}

void tr_profile_json(const struct tr_run *r, struct t2_json *j)
{
    struct row rows[GR_MAX_PROFILE + 3];
    double total;
    int n;

    total = rows_of(r->profile, rows, &n);
    t2_json_kv_i64(j, "steps", r->profile->n_steps);
    put(j, "seconds", total);
    t2_json_key(j, "operators");
    t2_json_array(j);
    for (int i = 0; i < n; i++) {
        t2_json_object(j);
        t2_json_kv_string(j, "name", rows[i].name);
        put(j, "forward_s", rows[i].forward_s);
        put(j, "backward_s", rows[i].backward_s);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    json_of_gemms(r, j);
}

/* ---- a step for Chrome's viewer ---- */

enum { TRACK_STEP = 1, TRACK_OPERATORS = 2 };

static void put_name(struct t2_json *j, const char *what, int track, const char *name)
{
    t2_json_object(j);
    t2_json_kv_string(j, "name", what);
    t2_json_kv_string(j, "ph", "M");
    t2_json_kv_i64(j, "pid", 1);
    t2_json_kv_i64(j, "tid", track);
    t2_json_key(j, "args");
    t2_json_object(j);
    t2_json_kv_string(j, "name", name);
    t2_json_end_object(j);
    t2_json_end_object(j);
}

/* Times are microseconds.  Closed by the caller, who may add what is known of it. */
static void put_event(struct t2_json *j, const char *name, int track, double begin_s,
                      double seconds)
{
    t2_json_object(j);
    t2_json_kv_string(j, "name", name);
    t2_json_kv_string(j, "ph", "X");
    t2_json_kv_i64(j, "pid", 1);
    t2_json_kv_i64(j, "tid", track);
    put(j, "ts", 1e6 * begin_s);
    put(j, "dur", 1e6 * seconds);
}

static void put_node(struct t2_json *j, const struct gr_traced *e, double since_s)
{
    put_event(j, e->op, TRACK_OPERATORS, e->begin_s - since_s, e->seconds);
    t2_json_kv_string(j, "cat", e->backward ? "backward" : "forward");
    t2_json_key(j, "args");
    t2_json_object(j);
    t2_json_kv_string(j, "pass", e->backward ? "backward" : "forward");
    if (e->scope)
        t2_json_kv_string(j, "layer", e->scope);
    if (e->variable)
        t2_json_kv_string(j, "variable", e->variable);
    t2_json_end_object(j);
    t2_json_end_object(j);
}

static void trace_json(const struct tr_profile *p, struct t2_json *j)
{
    static const char *const parts[] = {"wait for the batch", "gradients", "update"};
    char *process = t2_asprintf("t2t-trainer, step %" PRId64, p->traced_step);

    t2_json_object(j);
    t2_json_kv_string(j, "displayTimeUnit", "ms");
    t2_json_key(j, "traceEvents");
    t2_json_array(j);
    put_name(j, "process_name", TRACK_STEP, process);
    put_name(j, "thread_name", TRACK_STEP, "step");
    put_name(j, "thread_name", TRACK_OPERATORS, "operators");
    for (int i = 0; i < 3; i++) {
        put_event(j, parts[i], TRACK_STEP, p->traced_at_s[i] - p->traced_at_s[0],
                  p->traced_at_s[i + 1] - p->traced_at_s[i]);
        t2_json_end_object(j);
    }
    for (size_t i = 0; i < p->trace.n; i++)
        put_node(j, &p->trace.items[i], p->traced_at_s[0]);
    t2_json_end_array(j);
    t2_json_end_object(j);
    t2_free(process);
}

enum t2_status tr_profile_save_trace(const struct tr_run *r, struct t2_err *err)
{
    const struct tr_profile *p = r->profile;
    char *name, *path;
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    if (!p || p->traced_step <= 0)
        return T2_OK;
    t2_json_init(&j, &text, 0);
    trace_json(p, &j);
    name = t2_asprintf("trace-%" PRId64 ".json", p->traced_step);
    path = t2_path_join(r->output_dir, name);
    st = t2_write_file(path, t2_buf_cstr(&text), text.len_bytes, err);
    if (st == T2_OK)
        t2_info("step %" PRId64 " is in '%s', for chrome://tracing or ui.perfetto.dev",
                p->traced_step, path);
    t2_buf_release(&text);
    t2_free(path);
    t2_free(name);
    return st;
}
