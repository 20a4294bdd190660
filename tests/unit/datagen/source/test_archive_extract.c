/*
 * tests/unit/datagen/source/test_archive_extract.c - wanted members become files, all or none.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "datagen/source/archive.h"
#include "tests/unit/datagen/source/archives.h"

static const struct t_member members[] = {
    {"d/a.en", "old\n", NULL, NULL},   {"d/a.de", "eins\n", NULL, NULL},
    {"d/e/b.en", "two\n", NULL, NULL}, {"d/a.en", "new\n", NULL, NULL},
    {"README", "words", NULL, NULL},   {"d/link", NULL, NULL, "d/a.de"},
};

static enum t2_status extract(const char *wanted, const char *dir, struct t2_strs *made,
                              struct t2_err *err)
{
    struct t2_strs list = {0};
    enum t2_status st;

    t2_strs_split(&list, wanted, ' ');
    st = dg_archive_extract(t_tmp_path("x.tar"), NULL, &list, dir, made, err);
    t2_strs_release(&list);
    return st;
}

static void check_file(const char *dir, const char *name, const char *content)
{
    char *path = t2_path_join(dir, name);
    size_t n;
    char *bytes = t_read_file(path, &n);

    assert_string_equal(bytes, content);
    free(bytes);
    free(path);
}

static int setup(void **state)
{
    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    t_write_archive(t_tmp_path("x.tar"), "ustar", "none", NULL, members,
                    sizeof members / sizeof *members);
    return 0;
}

static void test_names(void **state)
{
    const char *dir = t_tmp_path("names");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs left = {0}, made = {0};

    (void) state;
    assert_int_equal(extract("d/link d/a.en d/a.de", dir, &made, &err), T2_OK);
    check_file(dir, "d/a.en", "new\n");
    check_file(dir, "d/a.de", "eins\n");
    check_file(dir, "d/link", "eins\n");
    assert_int_equal(made.n, 3);
    assert_string_equal(made.items[0], "d/a.de");
    assert_int_equal(t2_list_dir(dir, &left, &err), T2_OK);
    assert_int_equal(left.n, 1); /* "d": nothing else was written */
    t2_strs_release(&left);
    t2_strs_release(&made);
}

static void test_patterns(void **state)
{
    const char *dir = t_tmp_path("patterns");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs made = {0};

    (void) state;
    assert_int_equal(extract("d/*.en", dir, &made, &err), T2_OK);
    assert_int_equal(made.n, 1); /* '/' is not matched by '*' */
    assert_string_equal(made.items[0], "d/a.en");
    t2_strs_release(&made);
}

static void test_absent(void **state)
{
    const char *dir = t_tmp_path("absent");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs left = {0};

    (void) state;
    assert_int_equal(extract("d/a.en d/a.fr", dir, NULL, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "has no member 'd/a.fr'; it begins with 'd/a.de'");
    assert_int_equal(t2_list_dir(t_tmp_path("absent/d"), &left, &err), T2_OK);
    assert_int_equal(left.n, 0); /* no half file either */
    t2_strs_release(&left);
}

/* Whatever is wrong behind the wanted member: nothing appears. */
static void test_damage(void **state)
{
    const char *dir = t_tmp_path("damage");
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs left = {0};
    size_t n;
    char *bytes = t_read_file(t_tmp_path("x.tar"), &n);

    (void) state;
    bytes[3 * 1024 + 5] ^= 1; /* the header of the second d/a.en */
    t_write_file(t_tmp_path("x.tar"), bytes, n);
    assert_int_equal(extract("d/a.de", dir, NULL, &err), T2_EFORMAT);
    assert_int_equal(t2_list_dir(t_tmp_path("damage/d"), &left, &err), T2_OK);
    assert_int_equal(left.n, 0);
    t2_strs_release(&left);
    free(bytes);
    setup(NULL);
}

T_MAIN(cmocka_unit_test_setup(test_names, setup), cmocka_unit_test_setup(test_patterns, setup),
       cmocka_unit_test_setup(test_absent, setup), cmocka_unit_test_setup(test_damage, setup))
