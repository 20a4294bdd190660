/*
 * tests/unit/train/test_run_profile.c - the parts of a step are there, once each, and sum up.
 */
#include "train/runs/run_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "tests/unit/train/ids_problem.h"
#include "train/runs/loop.h"

static struct t2_err err;

static struct tr_run *profiled(const char *name)
{
    struct tr_options o = ids_options(t_tmp_path("data"), t_tmp_path(name));
    struct tr_run *r = NULL;

    t2_log_set_level(T2_LOG_ERROR);
    o.profile = true;
    if (tr_run_open(&o, &r, &err) != T2_OK || tr_run_begin(r, &err) != T2_OK ||
        tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    return r;
}

static void test_text(void **state)
{
    struct tr_run *r = profiled("run1");
    struct t2_buf text = {0};
    const char *at;
    double sum = 0.0;

    (void) state;
    assert_int_equal(r->profile->n_steps, r->options.train_steps);
    tr_profile_text(r, &text);
    at = t2_buf_cstr(&text);
    t_assert_contains(at, "profile: ");
    t_assert_contains(at, "  linear ");
    t_assert_contains(at, "  attention ");
    t_assert_contains(at, "  (optimizer) ");
    t_assert_contains(at, "  (input) ");
    t_assert_contains(at, "  (rest) ");
    t_assert_contains(at, " GFLOP/s  (");
    for (; (at = strstr(at, "ward ")) != NULL; at += 5)
        sum += strtod(at + 5, NULL);
    assert_true(sum > 98.0 && sum < 102.0);
    t2_buf_release(&text);
    tr_run_free(r);
}

/* Of rows those that took longest come first; seconds have nine digits. */
static void assert_longest_first(const struct t2_json_value *rows, const char *one,
                                 const char *more)
{
    double before = HUGE_VAL;
    size_t i = 0;

    for (const struct t2_json_value *row; (row = t2_json_item(rows, i)) != NULL; i++) {
        double seconds = t2_json_as_double(t2_json_get(row, one), -1.0) +
                         (more ? t2_json_as_double(t2_json_get(row, more), -1.0) : 0.0);

        assert_true(seconds <= before + 2e-8 * fabs(before));
        before = seconds;
    }
    assert_true(i > 3);
}

static void assert_order(const struct t2_buf *text)
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *root;

    assert_int_equal(t2_json_parse(t2_buf_cstr(text), text->len_bytes, "profile", &doc, &err),
                     T2_OK);
    root = t2_json_root(doc);
    assert_longest_first(t2_json_get(root, "operators"), "forward_s", "backward_s");
    assert_longest_first(t2_json_get(root, "products"), "seconds", NULL);
    t2_json_free(doc);
}

static void test_json(void **state)
{
    struct tr_run *r = profiled("run2");
    struct t2_buf text = {0};
    struct t2_json j;

    (void) state;
    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    tr_profile_json(r, &j);
    t2_json_end_object(&j);
    t_assert_contains(t2_buf_cstr(&text), "{\"steps\": ");
    t_assert_contains(t2_buf_cstr(&text), "{\"name\": \"xent\", \"forward_s\": ");
    t_assert_contains(t2_buf_cstr(&text), "\"trans_a\": true, ");
    t_assert_contains(t2_buf_cstr(&text), "\"gflops\": ");
    assert_order(&text);
    t2_buf_release(&text);
    tr_profile_stop(r);
    tr_profile_stop(r);
    assert_null(r->profile);
    tr_run_free(r);
}

static void test_trace(void **state)
{
    struct tr_run *r = profiled("run4");
    char *path = t2_path_join(r->output_dir, "trace-4.json");
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *events, *e;
    struct t2_buf text = {0};
    double step_end = 0.0;
    size_t n = 0;

    (void) state;
    assert_int_equal(tr_profile_save_trace(r, &err), T2_OK);
    assert_int_equal(t2_read_file(path, 0, &text, &err), T2_OK);
    assert_int_equal(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, path, &doc, &err), T2_OK);
    events = t2_json_get(t2_json_root(doc), "traceEvents");
    n = t2_json_size(events);
    assert_true(n > 50);
    for (size_t i = 0; i < n; i++) {
        double begin, seconds;

        e = t2_json_item(events, i);
        if (strcmp(t2_json_as_string(t2_json_get(e, "ph"), ""), "X") != 0)
            continue;
        begin = t2_json_as_double(t2_json_get(e, "ts"), -1.0);
        seconds = t2_json_as_double(t2_json_get(e, "dur"), -1.0);
        assert_true(begin >= 0.0 && seconds >= 0.0);
        if (t2_json_as_i64(t2_json_get(e, "tid"), 0) == 1)
            step_end = begin + seconds;
        else /* operators run within the step */
            assert_true(begin + seconds <= step_end + 1.0);
    }
    assert_true(step_end > 0.0);
    t2_json_free(doc);
    t2_buf_release(&text);
    t2_free(path);
    tr_run_free(r);
}

static void test_only_training(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data"), t_tmp_path("run3"));
    struct tr_run *r = NULL;

    (void) state;
    o.profile = true;
    o.train = false;
    assert_int_equal(tr_run_open(&o, &r, &err), T2_EUSAGE);
    t_assert_contains(err.message, "--profile is about training steps");
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_json), cmocka_unit_test(test_trace),
       cmocka_unit_test(test_only_training))
