/*
 * tests/unit/base/test_path.c - joining, expanding and splitting paths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static void check(char *actual, const char *expected)
{
    assert_string_equal(actual, expected);
    t2_free(actual);
}

static void test_join(void **state)
{
    (void) state;
    check(t2_path_join("a", "b"), "a/b");
    check(t2_path_join("a/", "b"), "a/b");
    check(t2_path_join("a//", "/b"), "a/b");
    check(t2_path_join("", "b"), "b");
    check(t2_path_join("/", "b"), "/b");
    check(t2_path_join(".", "b/c"), "./b/c");
    check(t2_path_join("a", ""), "a/");
}

static void test_home(void **state)
{
    (void) state;
    setenv("HOME", "/h/x", 1);
    check(t2_path_expand("~"), "/h/x");
    check(t2_path_expand("~/a"), "/h/x/a");
    check(t2_path_expand("~a"), "~a");
    check(t2_path_expand("a/~"), "a/~");
    check(t2_path_expand(""), "");
    check(t2_path_join("~/d", "f"), "/h/x/d/f");
    check(t2_path_join("~", "f"), "/h/x/f");
}

static void test_home_without_environment(void **state)
{
    char *home;

    (void) state;
    unsetenv("HOME");
    home = t2_path_expand("~");
    assert_int_equal(home[0], '/');
    t2_free(home);
}

static void test_base_and_dir(void **state)
{
    (void) state;
    assert_string_equal(t2_path_base("a"), "a");
    assert_string_equal(t2_path_base("/a/b.c"), "b.c");
    assert_string_equal(t2_path_base("a/"), "");
    check(t2_path_dir("a"), ".");
    check(t2_path_dir("a/b"), "a");
    check(t2_path_dir("a//b"), "a");
    check(t2_path_dir("/a"), "/");
    check(t2_path_dir("//a"), "/");
    check(t2_path_dir("/a/b/c"), "/a/b");
    check(t2_path_dir("/"), "/");
    check(t2_path_dir(""), ".");
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_home),
       cmocka_unit_test(test_home_without_environment), cmocka_unit_test(test_base_and_dir))
