/*
 * tests/unit/train/test_python_text.c - numbers and strings that Python 3.11's json writes.
 */
#include <float.h>
#include <math.h>

#include "tests/support/t.h"
#include "train/eval/python_text.h"

static void check(double v, const char *want)
{
    struct t2_buf out = {NULL, 0, 0};

    ev_python_repr(v, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

static void test_numbers(void **state)
{
    (void) state;
    check(37.0, "37.0");
    check(100, "100.0");
    check(0, "0.0");
    check(-2.5, "-2.5");
    check(0.1, "0.1");
    check(1e-5, "1e-05");
    check(1e-4, "0.0001");
    check(1e16, "1e+16");
    check(123456789012345680.0, "1.2345678901234568e+17");
    check(1.0 / 3, "0.3333333333333333");
    check(5e-324, "5e-324");
    check(9007199254740993.0, "9007199254740992.0");
    check((double) NAN, "NaN");
    check(-(double) INFINITY, "-Infinity");
}

static void test_strings(void **state)
{
    struct t2_buf out = {NULL, 0, 0};

    (void) state;
    ev_python_json_string("a\"b\\c\n\t\x01\x7f\u00e4\U0001F600", &out);
    assert_string_equal(t2_buf_cstr(&out),
                        "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\\u00e4\\ud83d\\ude00\"");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings))
