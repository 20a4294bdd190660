/*
 * test_official_raw.c - text that is there, archives that are there, and what is said when neither
 * is.
 */
#include "datagen/official/official_raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/tar.h"
#include "tests/support/t.h"

static const struct dg_source_file
    first_archive = {.urls = (const char *const[]){"http://example.invalid/x/first.tgz", NULL}},
    second_archive = {.urls = (const char *const[]){"http://example.invalid/x/second.tgz", NULL}};
static const struct dg_official_source sources[] = {
    {&first_archive, "a.en", "a.de"},
    {&second_archive, "b.en", "b.de"},
};

static char *dir; /* of the running test */

static void begin(const char *name)
{
    struct t2_err err = T2_ERR_INIT;

    t2_free(dir);
    dir = t2_strdup(t_tmp_path(name));
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
}

static void put(const char *name, const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(dir, name), *folder = t2_path_dir(path);

    assert_int_equal(t2_make_dirs(folder, &err), T2_OK);
    t_write_file(path, text, strlen(text));
    t2_free(folder);
    t2_free(path);
}

static void put_archive(const char *name, const char *const *members, size_t n)
{
    struct t2_buf tar = {0};
    char *path = t2_path_join(dir, name);

    for (size_t i = 0; i < n; i++)
        t2_tar_put(&tar, members[i], members[i], strlen(members[i]));
    t2_tar_end(&tar);
    t_write_file(path, tar.data, tar.len_bytes);
    t2_buf_release(&tar);
    t2_free(path);
}

static bool is_there(const char *name)
{
    char *path = t2_path_join(dir, name);
    bool there = t2_exists(path);

    t2_free(path);
    return there;
}

static enum t2_status get(struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(2);
    enum t2_status st = dg_official_get(dir, sources, 2, NULL, pool, err);

    t2_pool_free(pool);
    return st;
}

static void test_found(void **state)
{
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    begin("found");
    put("x/y/a.en", "1");
    put("a.de", "2");
    put("b.en", "3");
    assert_int_equal(dg_official_find(dir, sources, 2, &parts, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "'b.de' is not below '");
    t_assert_contains(err.message, "a member of http://example.invalid/x/second.tgz");
    dg_text_parts_release(&parts);
    put("z/b.de", "4");
    err.status = T2_OK;
    assert_int_equal(get(&err), T2_OK); /* nothing to do */
    assert_int_equal(dg_official_find(dir, sources, 2, &parts, &err), T2_OK);
    assert_int_equal(parts.n, 2);
    t_assert_contains(parts.items[0].inputs, "found/x/y/a.en");
    t_assert_contains(parts.items[1].targets, "found/z/b.de");
    dg_text_parts_release(&parts);
}

/* Of the members only those that are wanted, where the archive has them. */
static void test_unpacked(void **state)
{
    static const char *const first[] = {"training/a.en", "training/a.de", "training/a.fr"};
    static const char *const second[] = {"b.de", "not-b.en", "deep/er/b.en"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    begin("unpacked");
    put_archive("first.tgz", first, 3);
    assert_int_equal(t2_make_dirs(t_tmp_path("unpacked/archives"), &err), T2_OK);
    put_archive("archives/second.tgz", second, 3);
    if (get(&err) != T2_OK)
        fail_msg("%s", err.message);
    assert_true(is_there("training/a.en"));
    assert_true(is_there("training/a.de"));
    assert_false(is_there("training/a.fr"));
    assert_true(is_there("b.de"));
    assert_true(is_there("deep/er/b.en"));
    assert_false(is_there("not-b.en"));
    assert_false(is_there("training/a.en.incomplete"));
}

static void test_member_is_missing(void **state)
{
    static const char *const first[] = {"a.en", "a.fr"};
    static const char *const second[] = {"b.en", "b.de"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    begin("missing");
    put_archive("first.tgz", first, 2);
    put_archive("second.tgz", second, 2);
    assert_int_equal(get(&err), T2_EFORMAT);
    t_assert_contains(err.message,
                      "Download/extraction failed for url http://example.invalid/x/first.tgz");
    t_assert_contains(err.message, "has no member 'a.de'");
}

/* A member out of the folder, a cut archive: nothing appears. */
static void test_bad_archives(void **state)
{
    static const char *const names[2] = {"a.en", "a.de"};
    static const char *const climbs[] = {"a.de", "../a.en"};
    struct t2_err err = T2_ERR_INIT;
    char *path, *bytes;
    size_t n;

    (void) state;
    begin("bad");
    put_archive("climbs.tgz", climbs, 2);
    path = t2_path_join(dir, "climbs.tgz");
    assert_int_equal(dg_official_unpack(path, names, dir, &err), T2_EFORMAT);
    t_assert_contains(err.message, "..");
    assert_false(is_there("a.de"));
    assert_false(is_there("a.de.incomplete"));
    t2_free(path);
    put_archive("cut.tgz", names, 2);
    path = t2_path_join(dir, "cut.tgz");
    bytes = t_read_file(path, &n);
    t_write_file(path, bytes, 1100);
    err.status = T2_OK;
    assert_int_not_equal(dg_official_unpack(path, names, dir, &err), T2_OK);
    assert_false(is_there("a.en"));
    free(bytes);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_found), cmocka_unit_test(test_unpacked),
       cmocka_unit_test(test_member_is_missing), cmocka_unit_test(test_bad_archives))
