/*
 * test_join_shared.c - the member of a joined manifest that counts what splits share.
 */
#include "datagen/runs/join_shared.h"

#include "tests/unit/datagen/small_set.h"

static void joined(const char *member, const char *want)
{
    struct t2_pool *pool = t2_pool_new(1);
    struct dg_generate g = ds_settings("set", pool);
    struct dg_report report = {0};
    struct tfr_manifest *m = NULL;
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;

    ds_write_tmpdir(12); /* dev is the first 7 of train */
    g.overwrite = true;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    assert_int_equal(tfr_manifest_load(report.manifest_path, &m, &err), T2_OK);
    t2_buf_printf(&text, "{\"a\": 1%s, \"z\": 2}\n", member);
    assert_int_equal(dg_join_shared(m, t_tmp_path("set"), &text, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&text), want);
    if (member[0] == '\0')
        assert_null(strstr(t2_buf_cstr(&text), "shared_samples"));
    assert_int_equal(remove(t_tmp_path("set/text2text_tmpdir-dev-00000-of-00001")), 0);
    assert_int_equal(dg_join_shared(m, t_tmp_path("set"), &text, &err),
                     member[0] == '\0' ? T2_OK : T2_ENOTFOUND);
    t2_buf_release(&text);
    tfr_manifest_free(m);
    dg_report_release(&report);
    t2_pool_free(pool);
}

static void test_counted(void **state)
{
    (void) state;
    joined(", \"shared_samples\": []", "\"samples\": 7,\n   \"looked_at\": 7,");
}

static void test_not_wanted(void **state)
{
    (void) state;
    joined("", "{\"a\": 1, \"z\": 2}\n");
}

T_MAIN(cmocka_unit_test(test_counted), cmocka_unit_test(test_not_wanted))
