/*
 * tests/unit/train/test_memory_plan.c - the batch size that fits, and the plan that does not.
 */
#include "train/runs/memory_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
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

/* What opening says; T2_OK frees the run. */
static enum t2_status status_of(const struct tr_options *o)
{
    struct tr_run *r = NULL;
    enum t2_status st = tr_run_open(o, &r, &err);

    tr_run_free(r);
    return st;
}

/* Leaves 64 MiB to the model; the program itself grows from one run to the next. */
static void set_limit(struct tr_options *o)
{
    struct tr_options smallest = *o;
    struct tr_run *r;

    smallest.max_memory = 0;
    smallest.batch_size = 100;
    r = open_ok(&smallest);
    o->max_memory = r->program_bytes + (64 << 20);
    tr_run_free(r);
}

static void test_parts(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data0"), t_tmp_path("run0"));
    struct tr_run *r = open_ok(&o);
    struct tr_memory m = tr_memory_of(r);
    struct tr_batch_plan training, evaluation, both;

    (void) state;
    assert_true(m.program > (4 << 20) && m.program == r->program_bytes);
    assert_int_equal(m.sum, m.parameters + m.gradients + m.optimizer + m.averages + m.activations +
                                m.data + m.saves + m.program);
    assert_int_equal(m.gradients, m.parameters);
    assert_true(m.data > 0);
    /* the arena is the larger of the two */
    assert_int_equal(tr_plan_batches(r, r->hp, &both, &err), T2_OK);
    assert_int_equal(both.arena, r->plan.arena);
    {
        struct in_input *eval = r->eval, *train = r->train;

        r->eval = NULL;
        assert_int_equal(tr_plan_batches(r, r->hp, &training, &err), T2_OK);
        r->eval = eval;
        r->train = NULL;
        assert_int_equal(tr_plan_batches(r, r->hp, &evaluation, &err), T2_OK);
        r->train = train;
    }
    assert_true(evaluation.arena > 0 && training.arena > 0);
    assert_int_equal(both.arena,
                     training.arena > evaluation.arena ? training.arena : evaluation.arena);
    assert_true(both.sent == 0 && m.batches == 0 && m.both.device == 0); /* all is the host's */
    tr_run_free(r);
}

static void test_the_largest_fits(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data1"), t_tmp_path("run1"));
    int64_t found[2];

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    ids_write(o.data_dir, "train", 20000, 2, 40); /* an epoch takes more than that */
    o.hparams = "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=4,max_length=32";
    for (int remat = 0; remat < 2; remat++) {
        struct tr_run *r;

        o.remat = remat;
        o.batch_size = TR_BATCH_SIZE_AUTO;
        set_limit(&o);
        r = open_ok(&o);
        found[remat] = mdl_hp_int(r->hp, "batch_size");
        assert_int_equal(found[remat] % TR_BATCH_SIZE_STEP, 0);
        assert_true(tr_memory_of(r).sum <= o.max_memory);
        assert_true(r->train && r->eval);
        tr_run_free(r);
        o.batch_size = found[remat] - found[remat] / 8;
        set_limit(&o);
        assert_int_equal(status_of(&o), T2_OK);
        o.batch_size = found[remat] + found[remat] / 4;
        set_limit(&o);
        assert_int_equal(status_of(&o), T2_ENOMEM);
        t_assert_contains(err.message, "fits (auto finds it)");
    }
    assert_true(found[1] > found[0]);
}

/* However much memory there is. */
static void test_no_more_than_an_epoch(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data4"), t_tmp_path("run4"));
    struct mdl_shape *shapes;
    struct in_stats in;
    struct tr_run *r;
    int64_t found;
    size_t n;

    (void) state;
    o.batch_size = TR_BATCH_SIZE_AUTO;
    o.max_memory = UINT64_C(1) << 60;
    r = open_ok(&o);
    in = in_stats_of(r->train);
    found = mdl_hp_int(r->hp, "batch_size");
    assert_true(in.n_longer_tokens >= in.n_target_tokens);
    assert_true(found == TR_BATCH_SIZE_STEP || (uint64_t) found <= in.n_longer_tokens);
    assert_true(r->plan.arena < UINT64_C(1) << 30);
    assert_int_equal(in_shapes(r->train, r->hp, &shapes, &n, &err), T2_OK);
    for (size_t i = 0; i < n && found > TR_BATCH_SIZE_STEP; i++)
        assert_true((uint64_t) shapes[i].batch <= in.n_kept);
    t2_free(shapes);
    tr_run_free(r);
}

static void test_nothing_fits(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data2"), t_tmp_path("run2"));

    (void) state;
    o.max_memory = 1000;
    assert_int_equal(status_of(&o), T2_ENOMEM);
    t_assert_contains(err.message, "smaller --hparams_set");
    o.batch_size = TR_BATCH_SIZE_AUTO;
    assert_int_equal(status_of(&o), T2_ENOMEM);
}

/* A run keeps the batch size it began with, also when less memory is there now. */
static void test_auto_in_a_continued_run(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data3"), t_tmp_path("run3"));
    struct tr_run *r;

    (void) state;
    r = open_ok(&o);
    if (tr_run_begin(r, &err) != T2_OK || tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
    o.hparams_set = o.hparams = NULL;
    o.batch_size = TR_BATCH_SIZE_AUTO;
    r = open_ok(&o);
    assert_int_equal(mdl_hp_int(r->hp, "batch_size"), 100);
    tr_run_free(r);
}

static void set_far_memory(uint64_t bytes)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, bytes);
    setenv("T2_FAR_MEMORY", text, 1);
}

/* On a device with memory of its own each memory has its limit. */
static void test_two_budgets(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data6"), t_tmp_path("run6"));
    struct tr_memory m;
    struct tr_run *r;

    (void) state;
    o.device = "far";
    r = open_ok(&o);
    m = tr_memory_of(r);
    assert_true(m.batches > 0 && m.program > 0);
    assert_int_equal(m.both.device,
                     m.parameters + m.gradients + m.optimizer + m.activations + m.batches);
    assert_int_equal(m.both.host, m.data + m.saves + m.program);
    assert_int_equal(m.sum, m.both.device + m.both.host);
    tr_run_free(r);
    set_far_memory(m.both.device - 1);
    assert_int_equal(status_of(&o), T2_ENOMEM);
    t_assert_contains(err.message, "of device memory, and there are ");
    t_assert_contains(err.message, " fits (auto finds it), or more with --remat=layer");
    set_far_memory(m.both.device); /* to the byte: nothing else is allocated, also not to save */
    o.max_memory = m.both.host / 2;
    assert_int_equal(status_of(&o), T2_ENOMEM);
    t_assert_contains(err.message, "of the host's memory; take a smaller --hparams_set");
    o.max_memory = 0;
    r = open_ok(&o);
    if (tr_run_begin(r, &err) != T2_OK || tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
    unsetenv("T2_FAR_MEMORY");
}

/* What is found fits both, is trained with, and the next does not fit the device's. */
static void test_auto_with_two_budgets(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data7"), t_tmp_path("run7"));
    struct tr_memory m;
    int64_t found;
    struct tr_run *r;

    (void) state;
    o.device = "far";
    o.hparams = "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,max_length=32";
    o.batch_size = 100;
    r = open_ok(&o);
    set_far_memory(2 * tr_memory_of(r).both.device);
    tr_run_free(r);
    o.batch_size = TR_BATCH_SIZE_AUTO;
    r = open_ok(&o);
    m = tr_memory_of(r);
    assert_true(dev_bytes_fit(&m.both, &r->limit));
    found = mdl_hp_int(r->hp, "batch_size");
    assert_true(found > 100);
    assert_true((uint64_t) found + TR_BATCH_SIZE_STEP < in_stats_of(r->train).n_longer_tokens);
    if (tr_run_begin(r, &err) != T2_OK || tr_train(r, &err) != T2_OK)
        fail_msg("%s", err.message);
    tr_run_free(r);
    o.output_dir = t_tmp_path("run8");
    o.batch_size = found + TR_BATCH_SIZE_STEP;
    if (status_of(&o) != T2_ENOMEM)
        fail_msg("%s", err.message);
    t_assert_contains(err.message, "of device memory, and there are ");
    unsetenv("T2_FAR_MEMORY");
}

T_MAIN(cmocka_unit_test(test_two_budgets), cmocka_unit_test(test_auto_with_two_budgets),
       cmocka_unit_test(test_parts), cmocka_unit_test(test_the_largest_fits),
       cmocka_unit_test(test_no_more_than_an_epoch), cmocka_unit_test(test_nothing_fits),
       cmocka_unit_test(test_auto_in_a_continued_run))
