/*
 * test_join_parts.c - parts of tasks become the set of one process; more roads in
 * tests/e2e/datagen_tasks.sh.
 */
#include "datagen/runs/join_parts.h"

#include "datagen/problem_registry.h"
#include "tests/unit/datagen/small_set.h"

static void make(const char *dir, struct dg_task_share share, struct t2_pool *pool)
{
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_report report = {0};
    struct t2_err err = T2_ERR_INIT;

    g.n_shards[DG_TRAIN] = 4;
    g.share = share;
    assert_int_equal(dg_generate(dg_find("text2text_tmpdir"), &g, &report, &err), T2_OK);
    dg_report_release(&report);
}

static void test_join(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_buf want = {0}, have = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(230);
    make("whole", (struct dg_task_share){0, 0, 0}, pool);
    make("parts", (struct dg_task_share){1, 3, 3}, pool);
    assert_int_equal(dg_join_parts("text2text_tmpdir", t_tmp_path("parts"), &err), T2_ENOTFOUND);
    make("parts", (struct dg_task_share){0, 1, 3}, pool);
    assert_int_equal(dg_join_when_made("text2text_tmpdir", t_tmp_path("parts"), &err), T2_OK);
    assert_int_equal(dg_join_parts("text2text_tmpdir", t_tmp_path("parts"), &err), T2_OK);
    ds_sums(t_tmp_path("whole"), "", &want);
    ds_sums(t_tmp_path("parts"), "", &have);
    assert_string_equal(t2_buf_cstr(&have), t2_buf_cstr(&want));
    t2_buf_release(&want);
    t2_buf_release(&have);
    t2_pool_free(pool);
}

static void test_lost_shard(void **state)
{
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ds_write_tmpdir(50);
    make("lost", (struct dg_task_share){0, 1, 2}, pool);
    make("lost", (struct dg_task_share){1, 2, 2}, pool);
    t_write_file(t_tmp_path("lost/text2text_tmpdir-train-00002-of-00004"), "x", 1);
    assert_int_equal(dg_join_parts("text2text_tmpdir", t_tmp_path("lost"), &err), T2_EFORMAT);
    t_assert_contains(err.message, "train-00002-of-00004' is missing or has changed");
    make("lost", (struct dg_task_share){0, 1, 2}, pool);
    assert_int_equal(dg_join_parts("text2text_tmpdir", t_tmp_path("lost"), &err), T2_OK);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_lost_shard))
