/*
 * tests/unit/datagen/problem_files/test_braces.c - what braces mean, and where they end.
 */
#include "datagen/problem_files/braces.h"

#include "base/buf.h"
#include "tests/support/t.h"

static void check(const char *text, const char *expected)
{
    struct t2_strs list = {0};
    struct t2_buf joined = {0};

    assert_true(dg_expand_braces(text, 8, &list));
    for (size_t i = 0; i < list.n; i++)
        t2_buf_printf(&joined, "%s%s", i ? " " : "", list.items[i]);
    assert_string_equal(t2_buf_cstr(&joined), expected);
    t2_buf_release(&joined);
    t2_strs_release(&list);
}

static void test_expanded(void **state)
{
    (void) state;
    check("", "");
    check("a.b", "a.b");
    check("a.{en,de}", "a.en a.de");
    check("{a}", "a");
    check("x{,_y}{0,1}z", "x0z x1z x_y0z x_y1z");
    check("{,}{,}{,1}", " 1  1  1  1");
}

static void test_refused(void **state)
{
    static const char *const texts[] = {"{",        "}",      "a{b",           "a}b",
                                        "{a{b,c}}", "{a,b}}", "{1,2,3}{1,2,3}"};
    struct t2_strs list = {0};

    (void) state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (dg_expand_braces(texts[i], 8, &list))
            fail_msg("'%s' was taken", texts[i]);
        assert_int_equal(list.n, 0);
    }
}

T_MAIN(cmocka_unit_test(test_expanded), cmocka_unit_test(test_refused))
