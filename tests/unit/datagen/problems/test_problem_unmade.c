/*
 * tests/unit/datagen/problems/test_problem_unmade.c - all of them are listed and say why; that
 * all names are known is in tests/e2e/datagen_names.sh.
 */
#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void test_refusals(void **state)
{
    static const char *const names[] = {"wikisum_web", "wikisum_commoncrawl_lead_section",
                                        "seq2edits_gec_deep_no_tags",
                                        "seq2edits_textnorm_packed256"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct dg_problem *p = dg_find(names[i]);
        assert_non_null(p);
        assert_non_null(p->refusal);
        assert_null(p->open);
    }
    t_assert_contains(dg_find("seq2edits_gec")->refusal, "no generator");
}

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

static void test_others(void **state)
{
    (void) state;
    check("image_imagenet32_small", "into --data_dir");
    check("image_celebahq128", "into --data_dir");
    check("audio_timit_characters_tune", "TIMIT is licensed");
    check("video_moving_mnist", "video: belongs to later work");
    check("genomics_expression_cage10", "gene expression");
    check("gym_montezuma_revenge_no_frameskip-v4_random", "games are played");
    assert_int_equal(dg_family_of(dg_find("gym_alien-v0_random"))->n, 360);
}

T_MAIN(cmocka_unit_test(test_refusals), cmocka_unit_test(test_others))
