/*
 * test_dir_lock.c - only one process holds the lock.
 */
#include "base/dir_lock.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/t.h"

static void test_take_and_give(void **state)
{
    const char *dir = t_tmp_path(".");
    struct t2_lock lock = {-1, NULL};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_lock_take(dir, "x", "making 'x'", &lock, &err), T2_OK);
    assert_true(t2_exists(lock.path));
    t2_lock_give(&lock);
    assert_false(t2_exists(t_tmp_path("x.lock")));
    t2_lock_give(&lock);
    /* a file that was left behind locks nobody out */
    t_write_file(t_tmp_path("x.lock"), "", 0);
    assert_int_equal(t2_lock_take(dir, "x", "making 'x'", &lock, &err), T2_OK);
    t2_lock_give(&lock);
}

static void test_other_process(void **state)
{
    const char *dir = t_tmp_path(".");
    struct t2_lock lock = {-1, NULL};
    struct t2_err err = T2_ERR_INIT;
    char expected[64], byte = 0;
    int ready[2], stop[2];
    pid_t child;

    (void) state;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(stop), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int ok = t2_lock_take(dir, "y", "making 'y'", &lock, &err) == T2_OK;
        ssize_t n = write(ready[1], &byte, 1);
        (void) close(stop[1]);
        n += read(stop[0], &byte, 1);
        _exit(ok && n > 0 ? 0 : 1); /* the lock goes with the process, the file stays */
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(t2_lock_take(dir, "y", "making 'y'", &lock, &err), T2_EIO);
    snprintf(expected, sizeof expected, "another run (process %ld) is making 'y'", (long) child);
    t_assert_contains(err.message, expected);
    assert_int_equal(lock.fd, -1);
    assert_int_equal(t2_lock_take(dir, "z", "making 'z'", &lock, &err),
                     T2_OK); /* another data set is free */
    t2_lock_give(&lock);
    (void) close(stop[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(t2_lock_take(dir, "y", "making 'y'", &lock, &err), T2_OK);
    t2_lock_give(&lock);
}

/* The other process gives the lock back after a moment. */
static void test_waits(void **state)
{
    const char *dir = t_tmp_path(".");
    struct t2_lock lock = {-1, NULL};
    struct t2_err err = T2_ERR_INIT;
    char byte = 0;
    int ready[2];
    pid_t child;

    (void) state;
    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int ok = t2_lock_take(dir, "w", "making 'w'", &lock, &err) == T2_OK;
        ssize_t n = write(ready[1], &byte, 1);
        usleep(300000);
        t2_lock_give(&lock);
        _exit(ok && n > 0 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(t2_lock_take(dir, "w", "making 'w'", &lock, &err), T2_EIO);
    t_assert_contains(err.message, "; wait for it or stop it");
    assert_int_equal(t2_lock_wait(dir, "w", "making 'w'", &lock, &err), T2_OK);
    assert_true(t2_exists(lock.path));
    t2_lock_give(&lock);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_not_equal(t2_lock_wait(t_tmp_path("absent"), "x", "making 'x'", &lock, &err), T2_OK);
    t_assert_contains(err.message, "x.lock': cannot write here");
}

static void test_no_folder(void **state)
{
    struct t2_lock lock = {-1, NULL};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_not_equal(t2_lock_take(t_tmp_path("absent"), "x", "making 'x'", &lock, &err), T2_OK);
    t_assert_contains(err.message, "x.lock': cannot write here");
}

T_MAIN(cmocka_unit_test(test_take_and_give), cmocka_unit_test(test_other_process),
       cmocka_unit_test(test_waits), cmocka_unit_test(test_no_folder))
