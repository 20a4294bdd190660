/*
 * Tests of train/runs/run_forecast.c: batches of each bucket, and disk.
 */
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "tests/unit/train/ids_problem.h"
#include "train/runs/run.h"

static struct t2_err err;

static struct tr_run *open_ok(const struct tr_options *o)
{
    struct tr_run *r = NULL;

    if (tr_run_open(o, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    return r;
}

/* The batches of all buckets are those of an epoch; a shape is that of the plan. */
static void test_buckets(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data1"), t_tmp_path("run1"));
    struct tr_run *r = open_ok(&o);
    struct mdl_shape *shapes, *planned;
    struct t2_buf text = {0};
    struct t2_json j;
    double *batches, sum = 0;
    char first[64];
    size_t n, n_planned;

    (void) state;
    assert_int_equal(in_buckets(r->train, r->hp, &shapes, &batches, &n, &err), T2_OK);
    assert_int_equal(in_shapes(r->train, r->hp, &planned, &n_planned, &err), T2_OK);
    assert_true(n > 1 && n == n_planned);
    assert_memory_equal(shapes, planned, n * sizeof *shapes);
    for (size_t i = 0; i < n; i++)
        sum += batches[i];
    assert_true(fabs(sum - in_stats_of(r->train).batches_per_epoch) < 1e-6);
    assert_int_equal(tr_forecast_text(r, &text, &err), T2_OK);
    snprintf(first, sizeof first, "batches of an epoch: %.1f of %d x %d/%d, ", batches[0],
             shapes[0].batch, shapes[0].inputs_length, shapes[0].targets_length);
    t_assert_contains(t2_buf_cstr(&text), first);
    t2_buf_clear(&text);
    t2_json_init(&j, &text, 0);
    t2_json_object(&j);
    assert_int_equal(tr_forecast_json(r, &j, &err), T2_OK);
    t2_json_end_object(&j);
    snprintf(first, sizeof first, "\"buckets\": [{\"rows\": %d, ", shapes[0].batch);
    t_assert_contains(t2_buf_cstr(&text), first);
    t2_free(shapes);
    t2_free(planned);
    t2_free(batches);
    t2_buf_release(&text);
    tr_run_free(r);
}

/* Variables and slots of a checkpoint; one more than are kept, or as many as come. */
static void test_disk(void **state)
{
    static const int keep[] = {2, 0, 50};
    static const int n_checkpoints[] = {3, 11, 11};

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct tr_options o = ids_options(t_tmp_path("data2"), t_tmp_path("run2"));
        struct t2_buf text = {0};
        struct tr_run *r;
        char line[32];

        o.train_steps = 1000;
        o.local_eval_frequency = 100;
        o.keep_checkpoint_max = keep[i];
        r = open_ok(&o);
        assert_int_equal(tr_forecast_text(r, &text, &err), T2_OK);
        snprintf(line, sizeof line, " for %d\n", n_checkpoints[i]);
        t_assert_contains(t2_buf_cstr(&text), line);
        t_assert_contains(t2_buf_cstr(&text), "disk: ");
        t2_buf_release(&text);
        tr_run_free(r);
    }
}

T_MAIN(cmocka_unit_test(test_buckets), cmocka_unit_test(test_disk))
