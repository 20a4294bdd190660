/*
 * test_problem_later.c - names that are not made here say why; that all are known is in tests/e2e/datagen_names.sh.
 */
#include "tests/unit/datagen/small_set.h"

static void check(const char *name, const char *part)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("data", pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;
    const struct dg_problem *p = dg_find(name);

    assert_non_null(p);
    assert_int_equal(dg_generate(p, &g, &report, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, name);
    t_assert_contains(err.message, part);
    assert_false(t2_exists(g.options.data_dir));
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_refusals(void **state)
{
    (void) state;
    check("image_fsns", "put the ready TFRecords into --data_dir");
    check("librispeech", "speech belongs to later work");
    check("video_moving_mnist", "video: belongs to later work");
    check("genomics_expression_cage10", "gene expression");
    check("gym_montezuma_revenge_no_frameskip-v4_random", "games are played");
    assert_int_equal(dg_family_games.n, 360);
}

T_MAIN(cmocka_unit_test(test_refusals))
