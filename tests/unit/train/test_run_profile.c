/*
 * tests/unit/train/test_run_profile.c - the parts of a step are there, once each, and sum up.
 */
#include "train/runs/run_profile.h"

#include <stdlib.h>
#include <string.h>

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
    t2_buf_release(&text);
    tr_profile_stop(r);
    tr_profile_stop(r);
    assert_null(r->profile);
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

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_json),
       cmocka_unit_test(test_only_training))
