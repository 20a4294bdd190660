/*
 * tests/unit/base/test_json_writer.c - layout, quoting, numbers, nesting mistakes.
 */
#include "base/json_writer.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "tests/unit/base/in_child.h"

static void write_sample(struct t2_json *j)
{
    t2_json_object(j);
    t2_json_kv_string(j, "name", "x");
    t2_json_key(j, "list");
    t2_json_array(j);
    t2_json_i64(j, -1);
    t2_json_u64(j, UINT64_MAX);
    t2_json_null(j);
    t2_json_object(j);
    t2_json_end_object(j);
    t2_json_array(j);
    t2_json_end_array(j);
    t2_json_end_array(j);
    t2_json_kv_bool(j, "yes", true);
    t2_json_kv_bool(j, "no", false);
    t2_json_kv_double(j, "half", 0.5);
    t2_json_kv_i64(j, "i", INT64_MIN);
    t2_json_kv_u64(j, "u", 7);
    t2_json_end_object(j);
}

static void test_one_line(void **state)
{
    struct t2_buf out = {0};
    struct t2_json j;

    (void) state;
    t2_json_init(&j, &out, 0);
    write_sample(&j);
    assert_string_equal(t2_buf_cstr(&out),
                        "{\"name\": \"x\", \"list\": [-1, 18446744073709551615, null, {}, []], "
                        "\"yes\": true, \"no\": false, \"half\": 0.5, \"i\": -9223372036854775808, "
                        "\"u\": 7}");
    t2_buf_release(&out);
}

static void test_indented(void **state)
{
    struct t2_buf out = {0};
    struct t2_json j;

    (void) state;
    t2_json_init(&j, &out, 2);
    write_sample(&j);
    assert_string_equal(t2_buf_cstr(&out), "{\n"
                                           "  \"name\": \"x\",\n"
                                           "  \"list\": [\n"
                                           "    -1,\n"
                                           "    18446744073709551615,\n"
                                           "    null,\n"
                                           "    {},\n"
                                           "    []\n"
                                           "  ],\n"
                                           "  \"yes\": true,\n"
                                           "  \"no\": false,\n"
                                           "  \"half\": 0.5,\n"
                                           "  \"i\": -9223372036854775808,\n"
                                           "  \"u\": 7\n"
                                           "}");
    t2_buf_release(&out);
}

static const char *quoted(const char *s, size_t n)
{
    static struct t2_buf out;
    struct t2_json j;

    t2_buf_clear(&out);
    t2_json_init(&j, &out, 0);
    t2_json_bytes(&j, s, n);
    return t2_buf_cstr(&out);
}

static void test_quoting(void **state)
{
    (void) state;
    assert_string_equal(quoted("", 0), "\"\"");
    assert_string_equal(quoted("a\"b\\c/", 6), "\"a\\\"b\\\\c/\"");
    assert_string_equal(quoted("\b\f\n\r\t\x01\x1f\x7f", 8),
                        "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    assert_string_equal(quoted("a\0b", 3), "\"a\\u0000b\"");
    assert_string_equal(quoted("\xC3\xA4\xF0\x9F\x98\x80", 6), "\"\xC3\xA4\xF0\x9F\x98\x80\"");
}

static void test_invalid_utf8_is_replaced(void **state)
{
    (void) state;
    assert_string_equal(quoted("\xFF", 1), "\"\xEF\xBF\xBD\"");
    assert_string_equal(quoted("a\xC3", 2), "\"a\xEF\xBF\xBD\"");
    assert_string_equal(quoted("\xED\xA0\x80z", 4), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

static const char *number(double v, bool nine_digits)
{
    static struct t2_buf out;
    struct t2_json j;

    t2_buf_clear(&out);
    t2_json_init(&j, &out, 0);
    if (nine_digits)
        t2_json_float9(&j, v);
    else
        t2_json_double(&j, v);
    return t2_buf_cstr(&out);
}

static void test_doubles(void **state)
{
    (void) state;
    assert_string_equal(number(0.1, false), "0.1");
    assert_string_equal(number(1.0 / 3, false), "0.3333333333333333");
    assert_string_equal(number(0.1 + 0.2, false), "0.30000000000000004");
    assert_string_equal(number(3, false), "3");
    assert_string_equal(number(-0.0, false), "-0.0");
    assert_string_equal(number(0.0, false), "0");
    assert_string_equal(number(1e300, false), "1e+300");
    assert_string_equal(number(DBL_MAX, false), "1.7976931348623157e+308");
    assert_string_equal(number(5e-324, false), "4.94065645841247e-324");
    assert_string_equal(number((double) NAN, false), "null");
    assert_string_equal(number((double) -INFINITY, false), "null");
    assert_string_equal(number(1.0 / 3, true), "0.333333333");
    assert_string_equal(number((double) NAN, true), "null");
    assert_string_equal(number((double) INFINITY, true), "null");
}

static void test_doubles_round_trip(void **state)
{
    (void) state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = t_hash64(i);
        double v, back = 0;

        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        assert_true(t2_parse_double(number(v, false), &back));
        assert_memory_equal(&v, &back, sizeof v);
    }
}

static void test_locale_does_not_matter(void **state)
{
    (void) state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        t_skip("no de_DE.UTF-8 locale");
    assert_string_equal(number(0.5, false), "0.5");
    assert_string_equal(number(1e-7, true), "1e-07");
    setlocale(LC_NUMERIC, "C");
}

static void misuse(void *which)
{
    struct t2_buf out = {0};
    struct t2_json j;

    t2_json_init(&j, &out, 0);
    switch (*(const char *) which) {
    case 'v': /* value without key */
        t2_json_object(&j);
        t2_json_null(&j);
        break;
    case 'k': /* key in an array */
        t2_json_array(&j);
        t2_json_key(&j, "k");
        break;
    case 'm': /* mixed brackets */
        t2_json_array(&j);
        t2_json_end_object(&j);
        break;
    case 'e': /* object ends after a key */
        t2_json_object(&j);
        t2_json_key(&j, "k");
        t2_json_end_object(&j);
        break;
    case 'c': /* closes nothing */
        t2_json_end_array(&j);
        break;
    default: /* too deep */
        for (int i = 0; i < 65; i++)
            t2_json_array(&j);
        break;
    }
}

static void test_nesting_is_checked(void **state)
{
    char which[] = "vkmecd";

    (void) state;
    for (char *w = which; *w; w++)
        assert_aborts(misuse, w, "assertion failed");
}

T_MAIN(cmocka_unit_test(test_one_line), cmocka_unit_test(test_indented),
       cmocka_unit_test(test_quoting), cmocka_unit_test(test_invalid_utf8_is_replaced),
       cmocka_unit_test(test_doubles), cmocka_unit_test(test_doubles_round_trip),
       cmocka_unit_test(test_locale_does_not_matter), cmocka_unit_test(test_nesting_is_checked))
