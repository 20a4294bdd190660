/*
 * tests/unit/tfrec/test_row_json.c - numbers and strings as JSON text.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/row_json.h"

static struct t2_buf out;

static const char *floats(float v, int first_digits)
{
    t2_buf_clear(&out);
    rec_put_float(&out, v, first_digits);
    return t2_buf_cstr(&out);
}

static void test_floats(void **state)
{
    static const struct {
        float v;
        const char *text;
    } cases[] = {
        {0, "0.0"},
        {-0.0F, "-0.0"},
        {1, "1.0"},
        {-1.5F, "-1.5"},
        {0.1F, "0.1"},
        {0.0001F, "0.0001"},
        {0.00001F, "1e-05"},
        {1e15F, "1e+15"},
        {16777216, "16777216.0"},
        {33554432, "33554432.0"},
        {1e16F, "1e+16"},
        {123456789, "123456790.0"},
        {3.14159274F, "3.1415927"},
        {FLT_MAX, "3.4028235e+38"},
        {FLT_MIN, "1.1754944e-38"},
        {1.17549421e-38F, "1.1754942e-38"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected = cases[i].text;
        if (cases[i].v == 1e15F)
            expected = "1000000000000000.0"; /* as Python: fixed below 1e16 */
        assert_string_equal(floats(cases[i].v, REC_DIGITS_SHORTEST), expected);
        assert_string_equal(floats(cases[i].v, REC_DIGITS_PROTO), expected);
    }
    assert_string_equal(floats(1e-45F, REC_DIGITS_SHORTEST), "1e-45");
    assert_string_equal(floats(1e-45F, REC_DIGITS_PROTO), "1.4013e-45");
}

static void test_floats_come_back(void **state)
{
    (void) state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t) t_hash64(i);
        float v;
        memcpy(&v, &bits, 4);
        if (!isfinite(v))
            continue;
        const char *text = floats(v, REC_DIGITS_SHORTEST);
        assert_true((float) strtod(text, NULL) == v);
        assert_non_null(strpbrk(text, ".e"));
    }
}

static void test_ints(void **state)
{
    (void) state;
    t2_buf_clear(&out);
    rec_put_i64(&out, 0);
    rec_put_i64(&out, -12);
    rec_put_i64(&out, INT64_MAX);
    rec_put_i64(&out, INT64_MIN);
    assert_string_equal(t2_buf_cstr(&out), "0-129223372036854775807-9223372036854775808");
}

static void test_strings(void **state)
{
    (void) state;
    t2_buf_clear(&out);
    rec_put_string(&out, (struct t2_slice){(const uint8_t *) "a\"\\\n\x01\x7f\xc3\xa9\xff\0", 10});
    assert_string_equal(t2_buf_cstr(&out),
                        "\"a\\\"\\\\\\n\\u0001\x7f\xc3\xa9\xEF\xBF\xBD\\u0000\"");
    t2_buf_clear(&out);
    rec_put_string(&out, (struct t2_slice){NULL, 0});
    assert_string_equal(t2_buf_cstr(&out), "\"\"");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_floats), cmocka_unit_test(test_floats_come_back),
       cmocka_unit_test(test_ints), cmocka_unit_test(test_strings))
