/*
 * tests/unit/base/test_str.c - parsing numbers, lists of strings, edit distance, human units.
 */
#include "base/str.h"

#include <float.h>
#include <locale.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_parse_i64(void **state)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+",
                                      "1 ",
                                      " 1",
                                      "1x",
                                      "0x10",
                                      "1.0",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999"};
    int64_t v = 77;

    (void) state;
    assert_true(t2_parse_i64("0", &v) && v == 0);
    assert_true(t2_parse_i64("-0", &v) && v == 0);
    assert_true(t2_parse_i64("+12", &v) && v == 12);
    assert_true(t2_parse_i64("-0012", &v) && v == -12);
    assert_true(t2_parse_i64("9223372036854775807", &v) && v == INT64_MAX);
    assert_true(t2_parse_i64("-9223372036854775808", &v) && v == INT64_MIN);
    v = 77;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(t2_parse_i64(bad[i], &v));
    assert_int_equal(v, 77);
}

static void test_parse_u64(void **state)
{
    uint64_t v = 77;

    (void) state;
    assert_true(t2_parse_u64("18446744073709551615", &v) && v == UINT64_MAX);
    assert_true(t2_parse_u64("+5", &v) && v == 5);
    assert_false(t2_parse_u64("18446744073709551616", &v));
    assert_false(t2_parse_u64("-1", &v));
    assert_false(t2_parse_u64("", &v));
    assert_int_equal(v, 5);
}

static void test_parse_double(void **state)
{
    static const char *const bad[] = {"",      " 1",  "1 ", "nan", "inf", "-inf", "0x1p3",
                                      "1e999", "1,5", "1e", ".",   "-",   "e5",   "1.5f"};
    double v = 77;

    (void) state;
    assert_true(t2_parse_double("1.5", &v) && v == 1.5);
    assert_true(t2_parse_double("-.5e1", &v) && v == -5);
    assert_true(t2_parse_double("5.", &v) && v == 5);
    assert_true(t2_parse_double("+2e-3", &v) && v == 0.002);
    assert_true(t2_parse_double("1e-999", &v) && v == 0);
    assert_true(t2_parse_double("1.7976931348623157e308", &v) && v == DBL_MAX);
    v = 77;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(t2_parse_double(bad[i], &v));
    assert_true(v == 77);
}

static void test_parse_double_ignores_the_locale(void **state)
{
    double v = 0;

    (void) state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        t_skip("no de_DE.UTF-8 locale");
    assert_true(t2_parse_double("1.5", &v) && v == 1.5);
    assert_false(t2_parse_double("1,5", &v));
    setlocale(LC_NUMERIC, "C");
}

static void test_parse_bool(void **state)
{
    static const char *const yes[] = {"true", "True", "YES", "1", "t"};
    static const char *const no[] = {"false", "FALSE", "no", "0", "F"};
    static const char *const bad[] = {"", "2", "on", "tru", "y "};
    bool v = false;

    (void) state;
    for (size_t i = 0; i < 5; i++) {
        v = false;
        assert_true(t2_parse_bool(yes[i], &v) && v);
        assert_true(t2_parse_bool(no[i], &v) && !v);
        assert_false(t2_parse_bool(bad[i], &v));
    }
}

static void test_parse_size(void **state)
{
    static const char *const bad[] = {
        "",      "K",   "-1",           "1.5",    "1.K",  "1X",        "1iB",
        "1 K B", "1KK", "17179869184G", "1.5.5M", "0x10", "16777216T", "18446744073709551616"};
    uint64_t v = 77;

    (void) state;
    assert_true(t2_parse_size("1000", &v) && v == 1000);
    assert_true(t2_parse_size("0", &v) && v == 0);
    assert_true(t2_parse_size("512M", &v) && v == UINT64_C(512) << 20);
    assert_true(t2_parse_size("4g", &v) && v == UINT64_C(4) << 30);
    assert_true(t2_parse_size("1.5GiB", &v) && v == UINT64_C(3) << 29);
    assert_true(t2_parse_size("2 KB", &v) && v == 2048);
    assert_true(t2_parse_size("0.1K", &v) && v == 102);
    assert_true(t2_parse_size("16777215T", &v) && v == UINT64_C(16777215) << 40);
    assert_true(t2_parse_size("7B", &v) && v == 7);
    v = 77;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(t2_parse_size(bad[i], &v));
    assert_int_equal(v, 77);
}

static void test_prefix_suffix(void **state)
{
    (void) state;
    assert_true(t2_starts_with("abc", "ab"));
    assert_true(t2_starts_with("abc", ""));
    assert_false(t2_starts_with("a", "ab"));
    assert_true(t2_ends_with("abc", "bc"));
    assert_true(t2_ends_with("abc", ""));
    assert_false(t2_ends_with("c", "bc"));
}

static void test_asprintf(void **state)
{
    char *s = t2_asprintf("%s-%0200d", "x", 5);

    (void) state;
    assert_int_equal(strlen(s), 202);
    assert_string_equal(s + 199, "005");
    t2_free(s);
}

static void test_lists(void **state)
{
    struct t2_strs l = {0};

    (void) state;
    assert_false(t2_strs_contains(&l, ""));
    t2_strs_printf(&l, "%s %d", "a longer text", 7);
    assert_string_equal(l.items[0], "a longer text 7");
    t2_strs_release(&l);
    t2_strs_split(&l, "", ',');
    assert_int_equal(l.n, 0);
    t2_strs_split(&l, "b,,a", ',');
    assert_int_equal(l.n, 3);
    assert_string_equal(l.items[0], "b");
    assert_string_equal(l.items[1], "");
    assert_string_equal(l.items[2], "a");
    t2_strs_split(&l, ",", ',');
    assert_int_equal(l.n, 5);
    t2_strs_push(&l, "\xC3\xA4");
    t2_strs_take(&l, t2_strdup("Z"));
    t2_strs_sort(&l);
    assert_string_equal(l.items[3], "Z");
    assert_string_equal(l.items[6], "\xC3\xA4");
    assert_true(t2_strs_contains(&l, "a"));
    assert_false(t2_strs_contains(&l, "c"));
    t2_strs_release(&l);
    t2_strs_release(&l);
    t2_strs_release(NULL);
    for (int i = 0; i < 100; i++)
        t2_strs_push(&l, "x");
    assert_int_equal(l.n, 100);
    t2_strs_release(&l);
}

static void test_split_at_nul_takes_the_whole(void **state)
{
    struct t2_strs l = {0};

    (void) state;
    t2_strs_split(&l, "a,b", '\0');
    assert_int_equal(l.n, 1);
    assert_string_equal(l.items[0], "a,b");
    t2_strs_release(&l);
}

static void test_edit_distance(void **state)
{
    (void) state;
    assert_int_equal(t2_edit_distance("", ""), 0);
    assert_int_equal(t2_edit_distance("abc", ""), 3);
    assert_int_equal(t2_edit_distance("", "abc"), 3);
    assert_int_equal(t2_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(t2_edit_distance("flaw", "lawn"), 2);
    assert_int_equal(t2_edit_distance("same", "same"), 0);
}

static void test_nearest(void **state)
{
    static const char *const names[] = {"data_dir", "train_steps", "eval_steps", "problem"};

    (void) state;
    assert_string_equal(t2_nearest("tran_steps", names, 4), "train_steps");
    assert_string_equal(t2_nearest("probelm", names, 4), "problem");
    assert_string_equal(t2_nearest("prblm", names, 4), "problem");
    assert_null(t2_nearest("xyz", names, 4));
    assert_null(t2_nearest("xyz", names, 0));
}

static const char *bytes(uint64_t n)
{
    static char text[32];

    return t2_human_bytes(n, text, sizeof text);
}

static const char *seconds(double s)
{
    static char text[32];

    return t2_human_seconds(s, text, sizeof text);
}

static void test_human_units(void **state)
{
    (void) state;
    assert_string_equal(bytes(0), "0 B");
    assert_string_equal(bytes(999), "999 B");
    assert_string_equal(bytes(1000), "1.0 kB");
    assert_string_equal(bytes(999949), "999.9 kB");
    assert_string_equal(bytes(999999), "1.0 MB");
    assert_string_equal(bytes(1234567890), "1.2 GB");
    assert_string_equal(bytes(UINT64_MAX), "18.4 EB");
    assert_string_equal(seconds(0), "0.0 s");
    assert_string_equal(seconds(9.94), "9.9 s");
    assert_string_equal(seconds(9.96), "10 s");
    assert_string_equal(seconds(59.6), "1 m 0 s");
    assert_string_equal(seconds(192), "3 m 12 s");
    assert_string_equal(seconds(7260), "2 h 1 m");
    assert_string_equal(seconds(90000), "1 d 1 h");
    assert_string_equal(seconds(-1), "?");
    assert_string_equal(seconds(1e300), "?");
}

T_MAIN(cmocka_unit_test(test_parse_i64), cmocka_unit_test(test_parse_u64),
       cmocka_unit_test(test_parse_double), cmocka_unit_test(test_parse_double_ignores_the_locale),
       cmocka_unit_test(test_parse_bool), cmocka_unit_test(test_parse_size),
       cmocka_unit_test(test_prefix_suffix), cmocka_unit_test(test_asprintf),
       cmocka_unit_test(test_lists), cmocka_unit_test(test_split_at_nul_takes_the_whole),
       cmocka_unit_test(test_edit_distance), cmocka_unit_test(test_nearest),
       cmocka_unit_test(test_human_units))
