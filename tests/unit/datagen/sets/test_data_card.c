/*
 * test_data_card.c - Markdown and JSON of a small set; a whole card is in
 * tests/cli/t2t-datagen/check.sh.
 */
#include "datagen/sets/data_card.h"

#include <unistd.h>

#include "datagen/fetch/fetch_files.h"
#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void test_card(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("set", pool);
    struct dg_report report = {0};
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(50);
    g.n_shards[DG_TRAIN] = 3;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    dg_report_release(&report);
    /* _rev is the same set */
    assert_int_equal(dg_data_card("text2text_tmpdir_rev", g.options.data_dir, false, pool, &out,
                                  &err),
                     T2_OK);
    t_assert_contains(t2_buf_cstr(&out), "# text2text_tmpdir\n");
    t_assert_contains(t2_buf_cstr(&out), "| train | 3 | 50 |");
    t_assert_contains(t2_buf_cstr(&out), "## Left out\n\nNothing.\n");
    t2_buf_clear(&out);
    assert_int_equal(dg_data_card("text2text_tmpdir", g.options.data_dir, true, pool, &out, &err),
                     T2_OK);
    t_assert_contains(t2_buf_cstr(&out), "\"train\": {\"shards\": 3, \"records\": 50,");
    assert_int_equal(unlink(t_tmp_path("set/text2text_tmpdir-train-00001-of-00003")), 0);
    assert_int_equal(dg_data_card("text2text_tmpdir", g.options.data_dir, true, pool, &out, &err),
                     T2_EFORMAT);
    assert_int_equal(dg_data_card("absent", g.options.data_dir, true, pool, &out, &err),
                     T2_ENOTFOUND);
    t2_buf_release(&out);
    t2_pool_free(pool);
}

/* The problem's own licence, or those of its sources, each once. */
static void test_licence(void **state)
{
    static const struct dg_source_file a = {.name = "a", .licence = "CC BY"};
    static const struct dg_source_file b = {.name = "b", .licence = "CC BY"};
    static const struct dg_source_file c = {.name = "c", .licence = "public domain"};
    static const struct dg_source_file *const sources[] = {&a, &b, &c, NULL};
    static struct dg_problem p;
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("licensed", pool);
    struct dg_report report = {0};
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(5);
    p = *dg_find("text2text_tmpdir");
    p.name = "licensed_text";
    p.sources = sources;
    assert_int_equal(dg_register(&p, &err), T2_OK);
    g.n_shards[DG_TRAIN] = 1;
    assert_int_equal(dg_generate(&p, &g, &report, &err), T2_OK);
    dg_report_release(&report);
    assert_int_equal(dg_data_card(p.name, g.options.data_dir, false, pool, &out, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&out), "\nLicence: CC BY; public domain\n");
    t2_buf_clear(&out);
    p.licence = "of the whole";
    assert_int_equal(dg_data_card(p.name, g.options.data_dir, true, pool, &out, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&out), "\"licence\": \"of the whole\"");
    t2_buf_release(&out);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_card), cmocka_unit_test(test_licence))
