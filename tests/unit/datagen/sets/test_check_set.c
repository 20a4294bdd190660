/*
 * test_check_set.c - whole and damaged sets; what damage looks like is in
 * tests/cli/t2t-datagen/check.sh.
 */
#include "datagen/sets/check_set.h"

#include <unistd.h>

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void check(const char *part, struct t2_pool *pool)
{
    char *path = dg_manifest_path(t_tmp_path("set"), "text2text_tmpdir");
    struct dg_checked c;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_check_set(path, pool, &c, &err), T2_OK);
    assert_string_equal(c.problem, "text2text_tmpdir");
    if (!part) {
        assert_int_equal(c.errors.n, 0);
        assert_int_equal(c.n_shards, 4);
        assert_int_equal(c.n_records, 57);
    } else {
        assert_true(c.errors.n > 0);
        t_assert_contains(c.errors.items[0], part);
    }
    dg_checked_release(&c);
    t2_free(path);
}

static void test_check(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct dg_generate g = ds_settings("set", pool);
    struct dg_report report = {0};
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_damaged;

    (void) state;
    ds_write_tmpdir(50);
    g.n_shards[DG_TRAIN] = 3;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    dg_report_release(&report);
    check(NULL, pool);
    assert_int_equal(dg_check_sets(g.options.data_dir, false, pool, &out, &n_damaged, &err), T2_OK);
    assert_int_equal(n_damaged, 0);
    assert_true(t2_starts_with(t2_buf_cstr(&out), "text2text_tmpdir: whole: 4 shards, 57 records"));
    assert_int_equal(unlink(t_tmp_path("set/vocab.text2text_tmpdir.32768.subwords")), 0);
    check("subwords': no such file", pool);
    t2_buf_clear(&out);
    assert_int_equal(dg_check_sets(g.options.data_dir, true, pool, &out, &n_damaged, &err), T2_OK);
    assert_int_equal(n_damaged, 1);
    t_assert_contains(t2_buf_cstr(&out), "\"whole\": false");
    assert_int_equal(dg_check_sets(t_tmp_path("."), false, pool, &out, &n_damaged, &err),
                     T2_ENOTFOUND);
    t2_buf_release(&out);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_check))
