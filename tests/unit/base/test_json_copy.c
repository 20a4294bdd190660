/*
 * tests/unit/base/test_json_copy.c - what was read is written again, number by number, in its
 * order.
 */
#include "base/json_copy.h"

#include <string.h>

#include "tests/support/t.h"

static struct t2_buf out;
static struct t2_err err;

static const char *copied(const char *text, enum t2_status wanted)
{
    struct t2_json_doc *doc = NULL;
    struct t2_json j;

    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(t2_json_parse(text, strlen(text), "x", &doc, &err), T2_OK);
    t2_buf_clear(&out);
    t2_json_init(&j, &out, 0);
    assert_int_equal(t2_json_copy(&j, t2_json_root(doc), &err), wanted);
    t2_json_free(doc);
    return t2_buf_cstr(&out);
}

static void check_same(const char *text)
{
    assert_string_equal(copied(text, T2_OK), text);
}

static void test_values(void **state)
{
    (void) state;
    check_same("null");
    check_same("true");
    check_same("false");
    check_same("\"a \\\"b\\\" \\n \xC3\xA4\"");
    check_same("[]");
    check_same("{}");
    check_same("[1, [2, [], {}], \"\"]");
    check_same("{\"z\": 1, \"a\": {\"y\": [null], \"b\": false}, \"m\": 0}");
}

static void test_numbers(void **state)
{
    (void) state;
    check_same("[9223372036854775807, -9223372036854775808, 0, -1, 9007199254740993]");
    check_same("[0.1, 1.0, -0.0, 100000.0, 1e+300, 0.30000000000000004, 4.94065645841247e-324]");
    assert_string_equal(copied("[1E2, 2.50]", T2_OK), "[100.0, 2.5]");
}

static void test_in_the_middle(void **state)
{
    struct t2_json_doc *doc = NULL;
    struct t2_json j;

    (void) state;
    assert_int_equal(t2_json_parse("[1]", 3, "x", &doc, &err), T2_OK);
    t2_buf_clear(&out);
    t2_json_init(&j, &out, 1);
    t2_json_object(&j);
    t2_json_key(&j, "a");
    assert_int_equal(t2_json_copy(&j, t2_json_root(doc), &err), T2_OK);
    t2_json_kv_i64(&j, "b", 2);
    t2_json_end_object(&j);
    assert_string_equal(t2_buf_cstr(&out), "{\n \"a\": [\n  1\n ],\n \"b\": 2\n}");
    t2_json_free(doc);
}

/* The reader takes deeper nesting than the writer, which would abort. */
static void test_depth(void **state)
{
    char text[200];

    (void) state;
    for (size_t n = 62; n <= 66; n++) {
        memset(text, '[', n);
        memset(text + n, ']', n);
        text[2 * n] = '\0';
        if (n <= 64) {
            check_same(text);
            continue;
        }
        assert_string_equal(copied(text, T2_EFORMAT), "");
        t_assert_contains(err.message, "nested more than 64 levels deep");
    }
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_numbers),
       cmocka_unit_test(test_in_the_middle), cmocka_unit_test(test_depth))
