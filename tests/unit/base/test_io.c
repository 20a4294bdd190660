/*
 * tests/unit/base/test_io.c - pipes, missing writers, what is no file; short and interrupted calls
 * are in tests/e2e/fault_sweep_*.sh.
 */
#include "base/io.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/base/in_child.h"

static struct t2_err err;

static void test_pread_ends_at_the_end(void **state)
{
    char to[10];
    size_t n;
    int fd;

    (void) state;
    t_write_file(t_tmp_path("five"), "12345", 5);
    assert_int_equal(t2_open_input(t_tmp_path("five"), false, &fd, NULL, &err), T2_OK);
    assert_int_equal(t2_io_pread(fd, to, 10, 2, &n), 0);
    assert_int_equal(n, 3);
    assert_memory_equal(to, "345", 3);
    assert_int_equal(t2_io_pread(fd, to, 10, 7, &n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(t2_io_close(fd), 0);
    assert_int_not_equal(t2_io_pread(fd, to, 1, 0, &n), 0);
    assert_int_not_equal(t2_io_write(fd, to, 1, NULL), 0);
}

static void test_what_is_no_file(void **state)
{
    char pipe_path[5000];
    int fd;

    (void) state;
    snprintf(pipe_path, sizeof pipe_path, "%s", t_tmp_path("pipe"));
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(t2_open_input(pipe_path, false, &fd, NULL, &err), T2_EIO);
    t_assert_contains(err.message, "is not a regular file");
    assert_int_equal(t2_open_input("/dev/null", false, &fd, NULL, &err), T2_EIO);
    assert_int_equal(t2_open_input("/", true, &fd, NULL, &err), T2_EIO);
    t_assert_contains(err.message, "is a directory");
    assert_int_equal(t2_open_input(t_tmp_path("absent"), true, &fd, NULL, &err), T2_ENOTFOUND);
}

static void write_slowly(const char *path)
{
    int fd = open(path, O_WRONLY);

    for (int i = 0; i < 3; i++) {
        (void) usleep(150000);
        if (write(fd, "abc", 3) != 3)
            _exit(1);
    }
    _exit(0);
}

static void test_pipe_with_a_slow_writer(void **state)
{
    char path[5000];
    struct t2_buf all = {0};
    pid_t writer;
    int status;

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("slow"));
    assert_int_equal(mkfifo(path, 0600), 0);
    writer = fork();
    if (writer == 0)
        write_slowly(path);
    assert_int_equal(t2_read_file(path, 0, &all, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&all), "abcabcabc");
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_int_equal(status, 0);
    t2_buf_release(&all);
}

/* A pipe where a configuration file is expected must not be waited for for ever. */
static void test_pipe_without_a_writer(void **state)
{
    char path[5000];
    struct t2_buf all = {0};

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("lonely"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(t2_read_file(path, 0, &all, &err), T2_EIO);
    t_assert_contains(err.message, "is a pipe that nobody writes to");
    t2_buf_release(&all);
}

/* Absent, there, unknown: three answers. */
static void test_look_at(void **state)
{
    struct t2_file_info at;
    char long_name[5000] = "/";

    (void) state;
    assert_int_equal(t2_look_at(t_tmp_path("none"), &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_ABSENT);
    assert_int_equal(t2_look_at("/dev/null/x", &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_ABSENT);
    assert_int_equal(t2_look_at("/dev/null", &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_OTHER);
    assert_int_equal(t2_look_at("/", &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_DIR);
    memset(long_name + 1, 'x', sizeof long_name - 2);
    assert_int_equal(t2_look_at(long_name, &at, &err), T2_EIO); /* ENAMETOOLONG stands for any */
    assert_int_equal(at.kind, T2_FILE_ABSENT);
    assert_true(t2_exists(long_name));
    t_write_file(t_tmp_path("four"), "four", 4);
    assert_int_equal(t2_look_at(t_tmp_path("four"), &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_REGULAR);
    assert_int_equal(at.bytes, 4);
    assert_true(at.changed_ns > 0);
    assert_int_equal(symlink("/", t_tmp_path("link")), 0);
    assert_int_equal(t2_look_at(t_tmp_path("link"), &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_DIR);
    assert_int_equal(t2_look_at_link(t_tmp_path("link"), &at, &err), T2_OK);
    assert_int_equal(at.kind, T2_FILE_OTHER);
    assert_false(t2_exists(t_tmp_path("none")));
}

T_MAIN(cmocka_unit_test(test_pread_ends_at_the_end), cmocka_unit_test(test_what_is_no_file),
       cmocka_unit_test(test_pipe_with_a_slow_writer), cmocka_unit_test(test_pipe_without_a_writer),
       cmocka_unit_test(test_look_at))
