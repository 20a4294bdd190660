/*
 * test_python_numbers.c - what Python 3.7 says of the same words (bench/check_encoders.py asks it
 * about more).
 */
#include "tokenizer/python_numbers.h"

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

T_MAIN(cmocka_unit_test(test_int))
