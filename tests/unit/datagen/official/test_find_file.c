/*
 * test_find_file.c - the walk of the original: how deep, what first, what is a file.
 */
#include "datagen/official/find_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static void put(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    char *full = t2_strdup(t_tmp_path(path)), *dir = t2_path_dir(full);

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(full, "x", 1);
    t2_free(full);
    t2_free(dir);
}

/* The path below root/, NULL when nothing is found. */
static void check(const char *name, int max_depth, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = NULL;

    assert_int_equal(dg_find_file(t_tmp_path("root"), name, max_depth, &path, &err), T2_OK);
    if (!want)
        assert_null(path);
    else
        assert_string_equal(path, t_tmp_path(want));
    t2_free(path);
}

/* Measured with os.walk and the rule of the original: depth 0 looks three folders deep, 5 eight. */
static void test_depth(void **state)
{
    (void) state;
    put("root/top");
    put("root/a/one");
    put("root/a/b/two");
    put("root/a/b/c/three");
    put("root/1/2/3/4/5/6/7/seven");
    put("root/1/2/3/4/5/6/7/8/eight");
    check("top", DG_DEPTH_ARCHIVE, "root/top");
    check("one", DG_DEPTH_ARCHIVE, "root/a/one");
    check("two", DG_DEPTH_ARCHIVE, "root/a/b/two");
    check("three", DG_DEPTH_ARCHIVE, NULL);
    check("three", DG_DEPTH_TEXT, "root/a/b/c/three");
    check("seven", DG_DEPTH_TEXT, "root/1/2/3/4/5/6/7/seven");
    check("eight", DG_DEPTH_TEXT, NULL);
    check("no such", DG_DEPTH_TEXT, NULL);
}

static void test_first(void **state)
{
    (void) state;
    put("root/z");
    put("root/a/z");
    check("z", DG_DEPTH_TEXT, "root/z");
    put("root/b/y");
    put("root/a/deep/y");
    check("y", DG_DEPTH_TEXT, "root/a/deep/y");
}

static void test_folders_and_links(void **state)
{
    (void) state;
    put("root/name/inside");
    put("elsewhere/linked");
    assert_int_equal(symlink("../elsewhere", t_tmp_path("root/link")), 0);
    assert_int_equal(symlink("../elsewhere/linked", t_tmp_path("root/file_link")), 0);
    check("name", DG_DEPTH_TEXT, NULL);   /* a folder is no file */
    check("linked", DG_DEPTH_TEXT, NULL); /* links to folders are not followed */
    check("file_link", DG_DEPTH_TEXT, "root/file_link");
}

static void test_no_folder(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = NULL;

    (void) state;
    assert_int_equal(dg_find_file(t_tmp_path("absent"), "x", 0, &path, &err), T2_OK);
    assert_null(path);
    put("file");
    assert_int_equal(dg_find_file(t_tmp_path("file"), "x", 0, &path, &err), T2_EIO);
    t_assert_contains(err.message, "is not a folder");
}

/* Neither there nor absent: a link in a circle, and a folder that its reader may not list. */
static void test_unknown(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    uid_t user = geteuid();
    char *path = NULL;

    (void) state;
    put("unknown/a/readable");
    put("unknown/b/hidden");
    assert_int_equal(symlink("circle", t_tmp_path("unknown/a/circle")), 0);
    assert_int_equal(dg_find_file(t_tmp_path("unknown"), "circle", 5, &path, &err), T2_EIO);
    assert_null(path);
    t_assert_contains(err.message, "'circle' was not found below");
    t_assert_contains(err.message, "cannot look at");
    assert_int_equal(chmod(t_tmp_path("unknown/b"), 0), 0);
    assert_int_equal(chmod(t_tmp_path(""), 0755), 0);
    if (user == 0)
        assert_int_equal(seteuid(65534), 0); /* root may list everything */
    err.status = T2_OK;
    assert_int_equal(dg_find_file(t_tmp_path("unknown"), "hidden", 5, &path, &err), T2_EIO);
    assert_null(path);
    t_assert_contains(err.message, "unknown/b/hidden': Permission denied");
    /* what is found elsewhere is found */
    assert_int_equal(dg_find_file(t_tmp_path("unknown"), "readable", 5, &path, &err), T2_OK);
    assert_string_equal(path, t_tmp_path("unknown/a/readable"));
    if (user == 0)
        assert_int_equal(seteuid(user), 0);
    assert_int_equal(chmod(t_tmp_path("unknown/b"), 0755), 0);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_depth), cmocka_unit_test(test_first),
       cmocka_unit_test(test_folders_and_links), cmocka_unit_test(test_no_folder),
       cmocka_unit_test(test_unknown))
