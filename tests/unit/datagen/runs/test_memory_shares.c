/*
 * test_memory_shares.c - shares that fit, limits that do not.
 */
#include "datagen/runs/memory_shares.h"

#include "tests/unit/datagen/small_set.h"

static void test_shares(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("plan", pool);

    (void) state;
    g.shuffle_bytes = 256 << 20;
    for (uint64_t m = 64 << 20; m <= (uint64_t) 8 << 30; m *= 2) {
        struct dg_memory_plan plan;
        struct t2_err err = T2_ERR_INIT;
        g.max_memory = m;
        assert_int_equal(dg_memory_check(&g, &err), T2_OK);
        plan = dg_memory_plan_of(&g, true);
        /* together while counting, and while encoding */
        assert_true(plan.scan.count_bytes + plan.scan.keep_bytes < m);
        assert_true(plan.scan.keep_bytes + plan.cache_bytes + plan.bins_bytes < m);
        assert_true(plan.shuffle_bytes < m);
        assert_int_equal(plan.scan.build_bytes, m);
        assert_true(plan.bins_bytes > 0 && plan.bins_bytes <= g.shuffle_bytes);
        assert_int_equal(dg_memory_plan_of(&g, false).scan.keep_bytes, 0);
    }
    t2_pool_free(pool);
}

static void test_no_limit(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("plan", pool);
    struct dg_memory_plan plan = dg_memory_plan_of(&g, true);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_memory_check(&g, &err), T2_OK);
    assert_int_equal(plan.scan.count_bytes, 0);
    assert_int_equal(plan.scan.build_bytes, 0);
    assert_int_equal(plan.cache_bytes, 0);
    assert_int_equal(plan.shuffle_bytes, g.shuffle_bytes);
    assert_int_equal(plan.bins_bytes, g.shuffle_bytes);
    assert_true(plan.scan.keep_bytes > 0);
    t2_pool_free(pool);
}

static void test_too_little(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("plan", pool);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    g.max_memory = 1 << 20;
    assert_int_equal(dg_memory_check(&g, &err), T2_EUSAGE);
    t_assert_contains(err.message, "--max_memory=1.0 MB: 2 threads need 67.1 MB at least");
    g.max_memory = (uint64_t) 1 << 50;
    assert_int_equal(dg_memory_check(&g, &err), T2_EUSAGE);
    t_assert_contains(err.message, "control group or ulimit -v has ");
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_shares), cmocka_unit_test(test_no_limit),
       cmocka_unit_test(test_too_little))
