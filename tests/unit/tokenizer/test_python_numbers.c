/*
 * test_python_numbers.c - what Python 3.7 says of the same words (bench/check_encoders.py asks it
 * about more).
 */
#include "tokenizer/python_numbers.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static void test_int(void **state)
{
    static const struct {
        const char *word;
        int64_t value;
    } good[] = {{"0", 0},    {"-7", -7},      {"+5", 5},       {"007", 7},
                {"-000", 0}, {"1_000", 1000}, {"\xD9\xA3", 3}, {"1\xEF\xBC\x91", 11}};
    static const char *const bad[] = {"", "-", "_1", "1_", "1__0", "0x1", "1.0", "\xC2\xB2", "--1"};
    int64_t value;

    (void) state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(tok_python_int(t2_slice_of(good[i].word), &value));
        assert_int_equal(value, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tok_python_int(t2_slice_of(bad[i]), &value));
    assert_false(tok_python_int(t2_slice_of("99999999999999999999"), &value));
}

static void check_float(const char *word, const char *text)
{
    struct t2_buf out = {NULL, 0, 0};
    double value;

    if (!tok_python_float(t2_slice_of(word), &value))
        fail_msg("%s", word);
    tok_put_python_float(value, &out);
    assert_string_equal(t2_buf_cstr(&out), text);
    t2_buf_release(&out);
}

static void test_float(void **state)
{
    static const char *const bad[] = {"",     ".",    "e5",   "1e", "1e+",
                                      "0x10", "1_.5", "1._5", "1 ", "in"};
    double value;

    (void) state;
    check_float("1", "1.0");
    check_float("-0", "-0.0");
    check_float(".5e-3", "0.0005");
    check_float("0.00001", "1e-05");
    check_float("123456.75", "123456.75");
    check_float("1e15", "1000000000000000.0");
    check_float("1e16", "1e+16");
    check_float("12e99", "1.2e+100");
    check_float("0.1", "0.1");
    check_float("5e-324", "5e-324");
    check_float("8.2090736025967525e-289", "8.209073602596753e-289"); /* a power of two */
    check_float("1_0.2_5", "10.25");
    check_float("-1e999", "-inf");
    check_float("InFinity", "inf");
    check_float("-NAN", "nan");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tok_python_float(t2_slice_of(bad[i]), &value));
}

static void test_lists(void **state)
{
    static const char text[] = " 1.5\t-2  3e0\xE2\x80\xA8";
    struct tok_reals reals = {NULL, 0, 0};
    struct t2_buf out = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tok_reals_encode((const uint8_t *) text, sizeof text - 1, &reals, &err),
                     T2_OK);
    assert_int_equal(reals.n, 3);
    tok_reals_decode(reals.items, reals.n, &out);
    assert_string_equal(t2_buf_cstr(&out), "1.5 -2.0 3.0");
    assert_int_equal(tok_reals_encode((const uint8_t *) "4 x", 3, &reals, &err), T2_EFORMAT);
    assert_string_equal(err.message, "'x' is not a number");
    assert_int_equal(reals.n, 3);
    t2_buf_release(&out);
    tok_reals_release(&reals);
}

T_MAIN(cmocka_unit_test(test_int), cmocka_unit_test(test_float), cmocka_unit_test(test_lists))
