/*
 * test_default_folders.c - the folders that nobody named are this user's alone, or refused.
 */
#include "datagen/default_folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static bool is_there(const char *path)
{
    struct stat s;

    return lstat(path, &s) == 0;
}

static void check_refused(const char *path)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_claim_default_dir(path, "tmp_dir", &err), T2_EIO);
    t_assert_contains(err.message, "the default folder of --tmp_dir cannot be used");
    t_assert_contains(err.message, "give --tmp_dir=DIR");
    t_assert_contains(err.message, path);
}

/* Tensor2Tensor's folder where it is ours, else one with the user's number; never one that others
 * may write. */
static void test_name(void **state)
{
    char *dir = dg_default_tmp_dir(), *own;

    (void) state;
    own = t2_asprintf("%s-%lu", dg_shared_tmp_dir, (unsigned long) geteuid());
    assert_string_equal(dg_shared_tmp_dir, "/tmp/t2t_datagen");
    assert_string_equal(dir, t2_is_private_dir(dg_shared_tmp_dir) ? dg_shared_tmp_dir : own);
    t2_free(own);
    t2_free(dir);
}

static void test_made_private(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_tmp_path("new");
    mode_t before = umask(0);
    struct stat s;

    (void) state;
    assert_int_equal(dg_claim_default_dir(path, "tmp_dir", &err), T2_OK);
    (void) umask(before);
    assert_int_equal(lstat(path, &s), 0);
    assert_true(S_ISDIR(s.st_mode));
    assert_int_equal(s.st_mode & 07777, 0700);
    assert_int_equal(s.st_uid, geteuid());
}

/* It holds the downloads of earlier runs. */
static void test_ours_is_used(void **state)
{
    static const unsigned modes[] = {0700, 0750, 0755, 0711};
    const char *path = t_tmp_path("ours");

    (void) state;
    assert_int_equal(mkdir(path, 0700), 0);
    t_write_file(t_tmp_path("ours/text.tgz"), "abc", 3);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(dg_claim_default_dir(path, "tmp_dir", &err), T2_OK);
    }
    dg_leave_default_dir(path); /* not empty */
    assert_true(is_there(t_tmp_path("ours/text.tgz")));
}

/* Whoever may write there could replace what is read from it. */
static void test_others_may_write(void **state)
{
    static const unsigned modes[] = {0777, 0770, 0702, 01777};
    const char *path = t_tmp_path("open");

    (void) state;
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        check_refused(path);
    }
}

/* A folder of somebody else's; only root can make one. */
static void test_somebody_elses(void **state)
{
    const char *path = t_tmp_path("theirs");

    (void) state;
    if (geteuid() != 0)
        t_skip("only root can give a folder to somebody else");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    check_refused(path);
}

/* A link leads to what its maker chose, even where that is a folder of ours, and to where nothing
 * is yet. */
static void test_links_and_files(void **state)
{
    struct stat s;

    (void) state;
    assert_int_equal(mkdir(t_tmp_path("target"), 0700), 0);
    assert_int_equal(symlink(t_tmp_path("target"), t_tmp_path("link")), 0);
    assert_int_equal(symlink(t_tmp_path("nothing"), t_tmp_path("dangling")), 0);
    t_write_file(t_tmp_path("file"), "abc", 3);
    check_refused(t_tmp_path("link"));
    check_refused(t_tmp_path("dangling"));
    check_refused(t_tmp_path("file"));
    assert_false(is_there(t_tmp_path("nothing")));
    dg_leave_default_dir(t_tmp_path("link"));
    dg_leave_default_dir(t_tmp_path("file"));
    assert_int_equal(lstat(t_tmp_path("link"), &s), 0);
    assert_true(is_there(t_tmp_path("target")));
    assert_true(is_there(t_tmp_path("file")));
}

static void test_leaves_when_empty(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_tmp_path("empty");

    (void) state;
    assert_int_equal(dg_claim_default_dir(path, "tmp_dir", &err), T2_OK);
    assert_true(is_there(path));
    dg_leave_default_dir(path);
    assert_false(is_there(path));
    dg_leave_default_dir(path); /* gone already */
}

T_MAIN(cmocka_unit_test(test_name), cmocka_unit_test(test_made_private),
       cmocka_unit_test(test_ours_is_used), cmocka_unit_test(test_others_may_write),
       cmocka_unit_test(test_somebody_elses), cmocka_unit_test(test_links_and_files),
       cmocka_unit_test(test_leaves_when_empty))
