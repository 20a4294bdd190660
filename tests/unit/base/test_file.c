/*
 * tests/unit/base/test_file.c - reading, mapping, listing, renaming: results and every message.
 */
#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file_sync.h"
#include "tests/support/t.h"

static struct t2_err err;

static void expect_error(enum t2_status actual, enum t2_status expected, const char *format,
                         const char *path)
{
    char text[5000];
    const char *star = strchr(format, '*');

    snprintf(text, sizeof text, "%.*s%s%s", (int) (star - format), format, path, star + 1);
    assert_int_equal(actual, expected);
    assert_int_equal(err.status, expected);
    assert_string_equal(err.message, text);
}

static void test_read(void **state)
{
    const char *path = t_tmp_path("f");
    struct t2_buf buf = {0};

    (void) state;
    t_write_file(path, "", 0);
    assert_int_equal(t2_read_file(path, 0, &buf, &err), T2_OK);
    assert_int_equal(buf.len_bytes, 0);
    assert_string_equal(t2_buf_cstr(&buf), "");
    t_write_file(path, "ab\0c", 4);
    assert_int_equal(t2_read_file(path, 4, &buf, &err), T2_OK);
    assert_int_equal(buf.len_bytes, 4);
    assert_memory_equal(buf.data, "ab\0c", 5);
    assert_int_equal(t2_read_file(path, 0, &buf, &err), T2_OK);
    assert_int_equal(buf.len_bytes, 4); /* replaced, not appended */
    t2_buf_release(&buf);
}

static void test_read_big(void **state)
{
    enum { N = 300000 };
    static char data[N];
    const char *path = t_tmp_path("big");
    struct t2_buf buf = {0};

    (void) state;
    for (size_t i = 0; i < N; i++)
        data[i] = (char) t_hash64(i);
    t_write_file(path, data, N);
    assert_int_equal(t2_read_file(path, 0, &buf, &err), T2_OK);
    assert_int_equal(buf.len_bytes, N);
    assert_memory_equal(buf.data, data, N);
    t2_buf_release(&buf);
}

static void test_read_without_size(void **state)
{
    struct t2_buf buf = {0};

    (void) state;
    assert_int_equal(t2_read_file("/proc/self/stat", 0, &buf, &err), T2_OK);
    assert_true(buf.len_bytes > 0);
    t2_buf_release(&buf);
}

static void test_read_errors(void **state)
{
    const char *path = t_tmp_path("five"), *dir = t_tmp_path("");
    struct t2_buf buf = {0};

    (void) state;
    t_write_file(path, "12345", 5);
    expect_error(t2_read_file(path, 4, &buf, &err), T2_EFORMAT, "'*' is larger than 4 bytes", path);
    assert_int_equal(buf.len_bytes, 0);
    expect_error(t2_read_file("/nowhere", 0, &buf, &err), T2_ENOTFOUND, "'*': no such file",
                 "/nowhere");
    expect_error(t2_read_file(dir, 0, &buf, &err), T2_EIO, "'*' is a directory", dir);
    expect_error(t2_read_file("/dev/null/x", 0, &buf, &err), T2_EIO,
                 "cannot open '*': Not a directory", "/dev/null/x");
    t2_buf_release(&buf);
}

static void test_map(void **state)
{
    const char *path = t_tmp_path("m"), *dir = t_tmp_path("");
    struct t2_mapped m;

    (void) state;
    t_write_file(path, "abc", 3);
    assert_int_equal(t2_map_file(path, &m, &err), T2_OK);
    assert_int_equal(m.len_bytes, 3);
    assert_memory_equal(m.data, "abc", 3);
    t2_unmap_file(&m);
    assert_null(m.data);
    t2_unmap_file(&m);
    t_write_file(path, "", 0);
    assert_int_equal(t2_map_file(path, &m, &err), T2_OK);
    assert_null(m.data);
    assert_int_equal(m.len_bytes, 0);
    t2_unmap_file(&m);
    expect_error(t2_map_file("/nowhere", &m, &err), T2_ENOTFOUND, "'*': no such file", "/nowhere");
    expect_error(t2_map_file(dir, &m, &err), T2_EIO, "'*' is a directory", dir);
    expect_error(t2_map_file("/dev/null", &m, &err), T2_EIO, "'*' is not a regular file",
                 "/dev/null");
}

/* What is forgotten reads as before. */
static void test_forget(void **state)
{
    enum { BYTES = 64 << 10 };
    const char *path = t_tmp_path("f");
    char *bytes = t2_alloc(BYTES, 1);
    struct t2_mapped m;

    (void) state;
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (char) (i * 7 >> 3);
    t_write_file(path, bytes, BYTES);
    assert_int_equal(t2_map_file(path, &m, &err), T2_OK);
    assert_memory_equal(m.data, bytes, BYTES);
    t2_mapped_forget(&m, m.data, 1);
    t2_mapped_forget(&m, m.data + 5000, BYTES - 5000);
    t2_mapped_forget(&m, m.data, BYTES);
    t2_mapped_forget(&m, m.data + BYTES, 0);
    assert_memory_equal(m.data, bytes, BYTES);
    t2_unmap_file(&m);
    t2_mapped_forget(&m, NULL, 0);
    t2_free(bytes);
}

static void test_exists_and_size(void **state)
{
    const char *path = t_tmp_path("s"), *dir = t_tmp_path("");
    uint64_t bytes = 0;

    (void) state;
    assert_false(t2_exists(path));
    t_write_file(path, "abc", 3);
    assert_true(t2_exists(path));
    assert_true(t2_exists(dir));
    assert_true(t2_is_dir(dir));
    assert_false(t2_is_dir(path));
    assert_false(t2_is_dir("/nowhere"));
    assert_int_equal(t2_file_size(path, &bytes, &err), T2_OK);
    assert_int_equal(bytes, 3);
    expect_error(t2_file_size("/nowhere", &bytes, &err), T2_ENOTFOUND, "'*': no such file",
                 "/nowhere");
    expect_error(t2_file_size(dir, &bytes, &err), T2_EIO, "'*' is a directory", dir);
}

static void test_make_dirs(void **state)
{
    const char *deep = t_tmp_path("a/b//c/"), *file = t_tmp_path("plain"),
               *below = t_tmp_path("plain/x");

    (void) state;
    assert_int_equal(t2_make_dirs(deep, &err), T2_OK);
    assert_true(t2_is_dir(deep));
    assert_int_equal(t2_make_dirs(deep, &err), T2_OK);
    assert_int_equal(t2_make_dirs("/", &err), T2_OK);
    assert_int_equal(t2_make_dirs(".", &err), T2_OK);
    t_write_file(file, "", 0);
    expect_error(t2_make_dirs(file, &err), T2_EIO, "'*' exists and is not a directory", file);
    expect_error(t2_make_dirs(below, &err), T2_EIO, "'*' exists and is not a directory", file);
    expect_error(t2_make_dirs("/proc/x", &err), T2_ENOTFOUND,
                 "cannot create directory '*': No such file or directory", "/proc/x");
}

static void test_rename_and_remove(void **state)
{
    const char *a = t_tmp_path("from"), *b = t_tmp_path("to"), *dir = t_tmp_path("a_dir");

    (void) state;
    t_write_file(a, "1", 1);
    t_write_file(b, "2", 1);
    assert_int_equal(t2_rename(a, b, &err), T2_OK);
    assert_false(t2_exists(a));
    assert_true(t2_exists(b));
    assert_int_equal(t2_rename(a, b, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "cannot rename '");
    assert_int_equal(t2_remove(b, &err), T2_OK);
    assert_false(t2_exists(b));
    assert_int_equal(t2_remove(b, &err), T2_OK); /* absent is fine */
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(t2_remove(dir, &err), T2_EIO);
    t_assert_contains(err.message, "cannot remove '");
}

static void test_list(void **state)
{
    struct t2_strs names = {0};
    const char *dir = t_tmp_path("list"), *file = t_tmp_path("list/b");

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 0);
    t_write_file(file, "", 0);
    t_write_file(t_tmp_path("list/a"), "", 0);
    t_write_file(t_tmp_path("list/.c"), "", 0);
    t_write_file(t_tmp_path("list/B"), "", 0);
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    assert_int_equal(names.n, 4);
    assert_string_equal(names.items[0], ".c");
    assert_string_equal(names.items[1], "B");
    assert_string_equal(names.items[2], "a");
    assert_string_equal(names.items[3], "b");
    expect_error(t2_list_dir("/nowhere", &names, &err), T2_ENOTFOUND, "'*': no such directory",
                 "/nowhere");
    expect_error(t2_list_dir(file, &names, &err), T2_EIO, "cannot list '*': Not a directory", file);
    t2_strs_release(&names);
}

static void test_disk_free(void **state)
{
    uint64_t here = 0, later = 0;

    (void) state;
    assert_int_equal(t2_disk_free(t_tmp_path(""), &here, &err), T2_OK);
    assert_true(here > 0);
    assert_int_equal(t2_disk_free(t_tmp_path("not/yet/made"), &later, &err), T2_OK);
    assert_true(later > 0);
    expect_error(t2_disk_free("/dev/null/x", &here, &err), T2_EIO,
                 "cannot ask for the free space of '*': Not a directory", "/dev/null/x");
}

static void test_sync_of_a_closed_descriptor(void **state)
{
    (void) state;
    assert_int_equal(t2_sync_fd(-1, "x", &err), T2_EIO);
    assert_string_equal(err.message, "cannot write 'x' to disk: Bad file descriptor");
}

/* Once, with its time, and never over what is there. */
static void test_copy_once(void **state)
{
    char *from = t2_strdup(t_tmp_path("copied")), *to = t2_strdup(t_tmp_path("copy"));
    struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    struct t2_buf text = {0};
    struct stat s;

    (void) state;
    assert_int_equal(t2_copy_file_once(from, to, &err), T2_OK);
    assert_false(t2_exists(to));
    t_write_file(from, "first", 5);
    assert_int_equal(utimensat(AT_FDCWD, from, times, 0), 0);
    assert_int_equal(t2_copy_file_once(from, to, &err), T2_OK);
    assert_int_equal(stat(to, &s), 0);
    assert_int_equal(s.st_mtim.tv_sec, 1000000000);
    t_write_file(from, "second", 6);
    assert_int_equal(t2_copy_file_once(from, to, &err), T2_OK);
    assert_int_equal(t2_read_file(to, 0, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "first");
    expect_error(t2_copy_file_time(from, "/nowhere/x", &err), T2_ENOTFOUND,
                 "cannot set the time of '*': No such file or directory", "/nowhere/x");
    t2_buf_release(&text);
    t2_free(from);
    t2_free(to);
}

T_MAIN(cmocka_unit_test(test_copy_once), cmocka_unit_test(test_read),
       cmocka_unit_test(test_read_big), cmocka_unit_test(test_read_without_size),
       cmocka_unit_test(test_read_errors), cmocka_unit_test(test_map),
       cmocka_unit_test(test_forget), cmocka_unit_test(test_exists_and_size),
       cmocka_unit_test(test_make_dirs), cmocka_unit_test(test_rename_and_remove),
       cmocka_unit_test(test_list), cmocka_unit_test(test_disk_free),
       cmocka_unit_test(test_sync_of_a_closed_descriptor))
