/*
 * Tests of train/runs/run.c: what a run takes from its checkpoint, and what is refused before step
 * 0.
 */
#include "train/runs/run.h"

#include <string.h>

#include "base/log.h"
#include "tests/unit/train/ids_problem.h"
#include "train/runs/loop.h"

static struct t2_err err;

static struct tr_run *open_ok(const struct tr_options *o)
{
    struct tr_run *r = NULL;

    if (tr_run_open(o, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    return r;
}

static void refused(const struct tr_options *o, enum t2_status status, const char *says)
{
    struct tr_run *r = NULL;

    assert_int_equal(tr_run_open(o, &r, &err), status);
    assert_null(r);
    t_assert_contains(err.message, says);
}

static void train(const struct tr_options *o)
{
    struct tr_run *r = open_ok(o);

    if (tr_run_begin(r, &err) != T2_OK || tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
}

static void test_a_new_run_and_its_continuation(void **state)
{
    const char *dir = t_tmp_path("run");
    struct tr_options o = ids_options(t_tmp_path("data"), dir);
    struct tr_run *r = open_ok(&o);

    (void) state;
    assert_false(t2_exists(dir)); /* opening writes nothing */
    assert_false(r->restored);
    assert_int_equal(r->state.step, 0);
    assert_int_equal(r->state.seed, 5);
    assert_string_equal(r->state.model, "transformer");
    assert_string_equal(r->state.problem, "ids");
    assert_true(r->plan.arena > 0 && r->optimizer_bytes.slots > 0);
    tr_run_free(r);

    train(&o);
    o.problem = NULL; /* the run knows them */
    o.hparams_set = NULL;
    o.hparams = NULL;
    o.train_steps = 6;
    r = open_ok(&o);
    assert_true(r->restored);
    assert_int_equal(r->state.step, 4);
    assert_int_equal(r->saved_step, 4);
    assert_true(r->state.samples > 0);
    assert_int_equal(mdl_hp_int(r->hp, "hidden_size"), 16);
    tr_run_free(r);
    train(&o);

    o.train = false; /* evaluation */
    r = open_ok(&o);
    assert_int_equal(r->state.step, 6);
    assert_null(r->train);
    assert_null(r->opt);
    tr_run_free(r);
}

static void test_what_a_run_refuses(void **state)
{
    const char *data = t_tmp_path("data3"), *dir = t_tmp_path("run3");
    const struct tr_options good = ids_options(data, dir);
    struct tr_options o = good;

    (void) state;
    train(&good);
    o.resume = false;
    refused(&o, T2_EUSAGE, "holds a run (its newest checkpoint is of step 4)");
    o = good;
    o.seed_given = true; /* the same one */
    tr_run_free(open_ok(&o));
    o.random_seed = 6;
    refused(&o, T2_EUSAGE, "has --random_seed=5, not 6");
    o = good;
    o.model = "transformer_encoder";
    refused(&o, T2_EUSAGE, "trains model 'transformer', not 'transformer_encoder'");
    o = good;
    o.problem = "ids_rev";
    refused(&o, T2_EUSAGE, "trains on problem 'ids', not on 'ids_rev'");
    o = good;
    o.hparams = "hidden_size=32";
    refused(&o, T2_EUSAGE, "hidden_size is 32, in the run it is 16");
}

/* tf32 is float32 on a device without such products, which is said; the run goes on as it is. */
static void test_a_run_of_tf32(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data7"), t_tmp_path("run7"));
    struct tr_run *r;

    (void) state;
    o.precision = "tf32";
    train(&o);
    o.precision = NULL;
    r = open_ok(&o);
    assert_string_equal(r->state.precision, "tf32");
    assert_int_equal(r->dev->precision, DEV_FLOAT32);
    assert_true(r->dev->tf32);
    tr_run_free(r);
    o.precision = "float32";
    refused(&o, T2_EUSAGE, "has --precision=tf32, not float32");
}

static void test_another_run_was_faster(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data6"), t_tmp_path("run6"));
    struct tr_run *slow = open_ok(&o);

    (void) state;
    train(&o);
    assert_int_equal(tr_run_begin(slow, &err), T2_EUSAGE);
    t_assert_contains(err.message, "another run has saved step 4");
    tr_run_free(slow);
}

static void test_options_that_make_no_sense(void **state)
{
    const struct tr_options good = ids_options(t_tmp_path("data4"), t_tmp_path("run4"));
    struct tr_options o = good;

    (void) state;
    o.output_dir = "";
    refused(&o, T2_EUSAGE, "--output_dir");
    o = good;
    o.data_dir = NULL;
    refused(&o, T2_EUSAGE, "--data_dir");
    o = good;
    o.data_dir = "/dev/null";
    refused(&o, T2_ENOTFOUND, "is not a folder");
    o = good;
    o.log_step_count_steps = 0;
    refused(&o, T2_EUSAGE, "--log_step_count_steps");
    o = good;
    o.keep_checkpoint_max = -1;
    refused(&o, T2_EUSAGE, "--keep_checkpoint_max");
    o = good;
    o.train = false;
    refused(&o, T2_ENOTFOUND, "no checkpoint");
    o = good;
    o.eval_use_test_set = true;
    refused(&o, T2_ENOTFOUND, "--schedule=train does without");
    o.evaluate = false;
    tr_run_free(open_ok(&o));
    tr_run_free(NULL);
}

static int quiet(void **state)
{
    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_run_and_its_continuation),
        cmocka_unit_test(test_what_a_run_refuses),
        cmocka_unit_test(test_a_run_of_tf32),
        cmocka_unit_test(test_another_run_was_faster),
        cmocka_unit_test(test_options_that_make_no_sense),
    };

    return cmocka_run_group_tests(tests, quiet, NULL);
}
