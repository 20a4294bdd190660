/*
 * test_problem_algorithmic.c - the recorded run t2t-algorithmic: every shard of five problems.
 */
#include "tests/support/reference_run.h"

static void check_problem(const char *name)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("data", pool);

    rr_check("t2t-algorithmic", name, &g);
    t2_pool_free(pool);
}

static void test_run(void **state)
{
    (void) state;
    check_problem("algorithmic_addition_decimal40");
    check_problem("algorithmic_identity_binary40");
    check_problem("algorithmic_reverse_binary40_test");
    check_problem("algorithmic_sort_problem");
    check_problem("tiny_algo");
}

static void test_seed(void **state)
{
    const struct dg_problem *p = dg_find("tiny_algo");
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = UINT64_C(1) << 32};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    struct dg_input_sizes sizes = {0};

    (void) state;
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_EUSAGE);
    t_assert_contains(err.message, "below 2^32");
    err = (struct t2_err) T2_ERR_INIT;
    options.random_seed = 1;
    assert_int_equal(p->open(p, &options, DG_DEV, &s, &err), T2_OK);
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text), "100 drawn cases of length 400 at most");
    dg_input_sizes_release(&sizes);
    dg_stream_free(s);
}

T_MAIN(cmocka_unit_test(test_run), cmocka_unit_test(test_seed))
