/*
 * Tests of train/runs/milestones.c: plateaus, runs that stop early, checkpoints that stay.
 */
#include "train/runs/milestones.h"

#include "base/signals.h"
#include "tests/unit/train/small_run.h"
#include "train/runs/loop.h"

#include <signal.h>

static struct t2_err err;

static bool plateau(const double *values, size_t n, int64_t steps, double delta, bool minimize)
{
    struct tune_point points[8];

    for (size_t i = 0; i < n; i++)
        points[i] = (struct tune_point){100 * (int64_t) i, values[i]};
    return tr_is_plateau(points, n, steps, delta, minimize);
}

static void test_plateau(void **state)
{
    static const double falls[] = {5, 4, 3, 2}, stands[] = {5, 3, 2.95, 3.2}, dips[] = {3, 1, 3, 3};

    (void) state;
    assert_false(plateau(falls, 4, 200, 0.5, true));
    assert_true(plateau(falls, 4, 200, 5, true)); /* by less than delta */
    assert_true(plateau(stands, 4, 200, 0.1, true));
    assert_false(plateau(stands, 4, 300, 0.1, true)); /* since the first */
    assert_false(plateau(stands, 4, 400, 0.1, true)); /* no point is that old */
    assert_false(plateau(dips, 4, 300, 0.1, true));   /* one in between counts */
    assert_true(plateau(dips, 4, 200, 0.1, true));
    assert_true(plateau(falls, 4, 200, 0.5, false)); /* the more, the better */
    assert_false(plateau(dips, 4, 200, 0.5, false));
    assert_false(plateau(falls, 1, 0, 0.5, true));
    assert_false(plateau(falls, 0, 100, 0.5, true));
}

static void test_stops_early(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("early");
    struct tr_run *r;

    (void) state;
    small_data(data);
    for (int start = 0; start < 2; start++) { /* also when it is continued */
        r = small_run(data, dir, "", 40, 1);
        r->options.early_stopping_steps = 8;
        r->options.early_stopping_delta = 100;
        if (tr_train(r, &err) != T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(r->state.step, 12); /* evaluations at 4, 8, 12 */
        assert_int_equal(r->saved_step, 12);
        tr_run_free(r);
    }
}

static size_t kept(const char *dir, int64_t **steps)
{
    size_t n;

    assert_int_equal(ckpt_list(dir, steps, &n, &err), T2_OK);
    return n;
}

/* Instead of what small_run.h keeps. */
static void keep_one(struct tr_run *r)
{
    r->options.keep_checkpoint_max = 1;
    tr_saves_close(r);
    assert_int_equal(tr_saves_open(r, &err), T2_OK);
}

/* The loss falls all the time, so the best by the greatest loss are the first. */
static void test_best(void **state)
{
    const char *data = t_tmp_path("data2"), *dir = t_tmp_path("best");
    struct tr_run *r;
    int64_t *steps;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "learning_rate_constant=0.5", 24, 1);
    keep_one(r);
    r->options.keep_checkpoint_best = 2;
    r->options.early_stopping_maximize = true;
    assert_int_equal(tr_train(r, &err), T2_OK);
    tr_run_free(r);
    assert_int_equal(kept(dir, &steps), 3);
    assert_int_equal(steps[0], 4);
    assert_int_equal(steps[1], 8);
    assert_int_equal(steps[2], 24);
    t2_free(steps);
}

static void test_hours(void **state)
{
    const char *data = t_tmp_path("data3"), *dir = t_tmp_path("hours");
    struct tr_run *r;
    int64_t *steps;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 16, 1);
    keep_one(r);
    r->options.keep_every_n_hours = 1;
    r->options.pause_at_step = 4;
    assert_int_equal(tr_train(r, &err), T2_OK);
    r->state.wall_seconds = 3601; /* an hour later */
    r->options.pause_at_step = 8;
    assert_int_equal(tr_train(r, &err), T2_OK);
    r->options.pause_at_step = 0;
    assert_int_equal(tr_train(r, &err), T2_OK);
    tr_run_free(r);
    assert_int_equal(kept(dir, &steps), 2);
    assert_int_equal(steps[0], 8);
    assert_int_equal(steps[1], 16);
    t2_free(steps);
}

static void test_signal(void **state)
{
    const char *data = t_tmp_path("data4"), *dir = t_tmp_path("signal");
    struct tr_run *r;
    int64_t *steps;

    (void) state;
    small_data(data);
    t2_signals_install_save();
    raise(SIGUSR1);
    assert_true(t2_save_asked());
    r = small_run(data, dir, "", 7, 1);
    r->options.local_eval_frequency = 1000;
    assert_int_equal(tr_train(r, &err), T2_OK);
    assert_false(t2_save_asked());
    tr_run_free(r);
    assert_int_equal(kept(dir, &steps), 2);
    assert_int_equal(steps[0], 1);
    t2_free(steps);
}

static void test_options(void **state)
{
    struct tr_options o = {.early_stopping_metric = "metrics-x/targets/accuracy"};

    (void) state;
    assert_int_equal(tr_check_milestones(&o, &err), T2_OK);
    o.early_stopping_metric = "bleu";
    assert_int_equal(tr_check_milestones(&o, &err), T2_EUSAGE);
    t_assert_contains(err.message, "'bleu' is none of loss, accuracy");
    o = (struct tr_options){.keep_checkpoint_best = -1};
    assert_int_equal(tr_check_milestones(&o, &err), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_plateau), cmocka_unit_test(test_stops_early),
       cmocka_unit_test(test_best), cmocka_unit_test(test_hours), cmocka_unit_test(test_signal),
       cmocka_unit_test(test_options))
