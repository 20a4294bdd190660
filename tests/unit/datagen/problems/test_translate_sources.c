/*
 * tests/unit/datagen/problems/test_translate_sources.c - members are unpacked when they are wanted
 * and missing.
 */
#include "datagen/problems/translate_sources.h"

#include <stdlib.h>

#include "tests/unit/datagen/problems/parallel_archives.h"

static enum t2_status provide(const struct dg_parallel_source *table,
                              const struct dg_options *options, struct t2_err *err)
{
    struct dg_parallel_list l = {0};
    enum t2_status st;

    dg_parallel_add(&l, table, options);
    st = dg_parallel_provide(&l, options, err);
    free(l.items);
    return st;
}

static void test_provide(void **state)
{
    struct dg_options options = t_archives("provide");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs paths = {0};

    (void) state;
    assert_int_equal(provide(t_train, &options, &err), T2_OK);
    assert_true(t_has(&options, "d/train.en") && t_has(&options, "d/train.de"));
    assert_false(t_has(&options, "d/dev.en") || t_has(&options, "d/unused"));
    assert_false(t_has(&options, "tables.tar.unpacking"));
    assert_int_equal(dg_tsv_files(&t_train[1], &options, &paths, &err), T2_OK);
    assert_int_equal(paths.n, 2);
    t_assert_contains(paths.items[0], "t/a.tsv"); /* sorted, not the archive's order */
    t2_strs_release(&paths);
}

/* Files that are there need no archive; an archive that is nowhere is said. */
static void test_without_archives(void **state)
{
    struct dg_options options = t_archives("without");
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(options.tmp_dir, "pairs.tgz");

    (void) state;
    assert_int_equal(provide(t_train, &options, &err), T2_OK);
    assert_int_equal(remove(path), 0);
    assert_int_equal(provide(t_train, &options, &err), T2_OK);
    assert_int_equal(provide(t_dev, &options, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "pairs.tgz");
    free(path);
}

/* A run that was killed between the members of a pattern has left its mark: they are unpacked
 * again. */
static void test_half_unpacked(void **state)
{
    struct dg_options options = t_archives("half");
    struct t2_err err = T2_ERR_INIT;
    char *folder = t2_path_join(options.tmp_dir, "t");

    (void) state;
    assert_int_equal(t2_make_dirs(folder, &err), T2_OK);
    t_put(&options, "t/a.tsv", "x\ty\n");
    t_put(&options, "tables.tar.unpacking", "");
    assert_int_equal(provide(t_train, &options, &err), T2_OK);
    assert_true(t_has(&options, "t/b.tsv"));
    assert_false(t_has(&options, "tables.tar.unpacking"));
    free(folder);
}

static void test_optional(void **state)
{
    static const struct t_member extra[] = {{"x.en", "a", NULL, NULL}, {"x.de", "b", NULL, NULL}};
    struct dg_options options = t_archives("optional");
    struct dg_parallel_list l = {0};
    struct dg_input_sizes sizes = {0};
    char *path = t2_path_join(options.tmp_dir, "extra.tar");

    (void) state;
    dg_parallel_add(&l, t_train, &options);
    assert_int_equal(l.n, 2);
    t_write_archive(path, "ustar", "none", NULL, extra, 2);
    dg_parallel_add(&l, t_train, &options);
    assert_int_equal(l.n, 5);
    dg_parallel_describe(&l, &options, 1, &sizes);
    t_assert_contains(t2_buf_cstr(&sizes.text), "x.en, x.de of extra.tar: to be unpacked");
    t_assert_contains(t2_buf_cstr(&sizes.text), "t/*.tsv (columns) of tables.tar: to be unpacked");
    assert_int_equal(remove(path), 0);
    t2_buf_clear(&sizes.text);
    dg_parallel_describe(&l, &options, 1, &sizes);
    t_assert_contains(t2_buf_cstr(&sizes.text), "extra.tar: not to be had, made by the test");
    dg_input_sizes_release(&sizes);
    free(path);
    free(l.items);
}

/* "x.gz" is "x" where that was unpacked before. */
static void test_member_path(void **state)
{
    struct dg_options options = t_archives("member");
    char *path = dg_member_path("m.gz", &options);

    (void) state;
    t_assert_contains(path, "/m.gz");
    free(path);
    t_put(&options, "m", "");
    path = dg_member_path("m.gz", &options);
    assert_true(t2_ends_with(path, "/m"));
    free(path);
}

T_MAIN(cmocka_unit_test(test_provide), cmocka_unit_test(test_without_archives),
       cmocka_unit_test(test_half_unpacked), cmocka_unit_test(test_optional),
       cmocka_unit_test(test_member_path))
