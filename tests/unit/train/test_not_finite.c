/*
 * Tests of train/runs/not_finite.c: a NaN in a layer is named, its batch kept, left out, or left
 * behind by a rollback; the run ends as if the batch had never been there.
 */
#include "train/runs/not_finite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/train/small_run.h"
#include "train/runs/loop.h"

static struct t2_err err;

#define OK(expression)                                                                             \
    do {                                                                                           \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err.message);                                                           \
    } while (0)

enum { STEPS = 10 };

/* Trains with a NaN in step 7; *steps_taken: how often the optimizer stepped. */
static enum t2_status train(const char *name, enum tr_on_nan on_nan, const char *plant,
                            struct tr_run **run)
{
    const char *data = t_tmp_path("data");
    enum t2_status st;

    if (!t2_exists(data))
        small_data(data);
    *run = small_run(data, t_tmp_path(name), "", STEPS, 1);
    (*run)->options.on_nan = on_nan;
    (*run)->options.tensorboard = false;
    if (plant)
        setenv("T2_PLANT_NAN", plant, 1);
    else
        unsetenv("T2_PLANT_NAN");
    st = tr_train(*run, &err);
    unsetenv("T2_PLANT_NAN");
    return st;
}

static void test_stop(void **state)
{
    const struct t2_json_value *root, *records;
    struct t2_json_doc *doc = NULL;
    struct tr_run *r;
    char *path;

    (void) state;
    assert_int_equal(train("stop", TR_NAN_STOP, "7:1", &r), T2_EFORMAT);
    t_assert_contains(err.message, "step 7: the loss is not a number; the first is operator "
                                   "'layer_norm', forward, in transformer/body/encoder/layer_0");
    t_assert_contains(err.message, "the checkpoint of step 4 is intact");
    t_assert_contains(err.message, "--on_nan=skip");
    assert_int_equal(r->state.step, 6);
    path = t2_path_join(r->output_dir, "not-finite-7.json");
    OK(t2_json_load(path, &doc, &err));
    root = t2_json_root(doc);
    records = t2_json_get(root, "records");
    assert_true(t2_json_size(records) > 0);
    assert_int_equal(t2_json_size(records), t2_json_size(t2_json_get(root, "targets")));
    t_assert_contains(t2_json_as_string(t2_json_item(records, 0), ""), "ids-train-0000");
    assert_true(t2_json_size(t2_json_get(root, "operators")) > 20);
    t2_json_free(doc);
    t2_free(path);
    tr_run_free(r);
}

/* Skipped: the samples of one batch are consumed and nothing else happens. */
static void test_skip(void **state)
{
    struct tr_run *r, *straight;

    (void) state;
    OK(train("skip", TR_NAN_SKIP, "7:1", &r));
    OK(train("straight", TR_NAN_STOP, NULL, &straight));
    assert_int_equal(r->state.step, STEPS);
    assert_true(r->state.samples > straight->state.samples);
    assert_int_equal(opt_updates(r->opt), STEPS);
    tr_run_free(r);
    tr_run_free(straight);
}

/* Steps 5 and 6 are made again with other batches; metrics.jsonl has every step once. */
static void test_rollback(void **state)
{
    struct t2_buf text = {0};
    struct tr_run *r;
    char *path;
    int n = 0;

    (void) state;
    OK(train("back", TR_NAN_ROLLBACK, "7:1", &r));
    assert_int_equal(r->state.step, STEPS);
    assert_int_equal(opt_updates(r->opt), STEPS);
    path = t2_path_join(r->output_dir, "metrics.jsonl");
    OK(t2_read_file(path, 0, &text, &err));
    for (const char *at = t2_buf_cstr(&text); (at = strstr(at, "\"train\", \"step\": 6,")); at++)
        n++;
    assert_int_equal(n, 1);
    t2_buf_release(&text);
    t2_free(path);
    tr_run_free(r);
    /* before the first checkpoint the batch is left out */
    OK(train("early", TR_NAN_ROLLBACK, "2:1", &r));
    assert_int_equal(r->state.step, STEPS);
    tr_run_free(r);
}

/* Broken variables break every batch. */
static void test_given_up(void **state)
{
    const char *data = t_tmp_path("data");
    struct tr_run *r = small_run(data, t_tmp_path("broken"), "", STEPS, 1);
    const struct gr_params *p = mdl_params(r->model);
    float bad = INFINITY;

    (void) state;
    r->options.on_nan = TR_NAN_SKIP;
    r->dev->upload_now(r->dev, p->values + p->variables[0].offset, &bad, sizeof bad);
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is not finite");
    tr_run_free(r);
}

/* A mean loss above a bound stops the run, or is gone back from, so many times. */
static void test_bound(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("bound");
    struct tr_run *r = small_run(data, dir, "", STEPS, 1);

    (void) state;
    r->options.loss_bound = 1e-3;
    r->options.bound_begin_steps = 5;
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "step 6: the mean loss since the last report");
    t_assert_contains(err.message, "is above trainer.loss_upper_bound=0.001; the checkpoint of "
                                   "step 4 is intact");
    tr_run_free(r);

    r = small_run(data, dir, "", STEPS, 1);
    r->options.loss_bound = 1e-3;
    r->options.on_nan = TR_NAN_ROLLBACK;
    r->options.max_recoveries = 2;
    assert_int_equal(tr_train(r, &err), T2_EFORMAT);
    t_assert_contains(err.message, "given up behind trainer.recovery_max_trials=2: step 6");
    assert_int_equal(r->n_recoveries, 3);
    tr_run_free(r);

    r = small_run(data, dir, "", STEPS, 1);
    r->options.loss_bound = 1e3;
    OK(tr_train(r, &err));
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_stop), cmocka_unit_test(test_skip), cmocka_unit_test(test_rollback),
       cmocka_unit_test(test_given_up), cmocka_unit_test(test_bound))
