/*
 * Tests of train/runs/estimate.c: tokens and seconds agree, for whole batches and for those of
 * which only the first rows are tried.
 */
#include <math.h>

#include "base/log.h"
#include "tests/unit/train/ids_problem.h"
#include "train/runs/loop.h"

static struct t2_err err;

static void test_estimate(void **state)
{
    struct tr_options o = ids_options(t_tmp_path("data1"), t_tmp_path("run1"));
    double seconds = 0, tokens = 0;
    struct tr_run *r = NULL;
    struct in_stats in;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    if (tr_run_open(&o, &r, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(tr_estimate(r, &seconds, &tokens, &err), T2_OK);
    in = in_stats_of(r->train);
    assert_true(seconds > 0 && tokens > 0);
    assert_true(fabs(seconds * tokens * in.batches_per_epoch / (double) in.n_target_tokens - 1) <
                1e-6);
    assert_int_equal(r->state.step, 0); /* nothing was trained */
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_estimate))
