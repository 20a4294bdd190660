/*
 * tests/unit/base/test_json.c - reading JSON: values, order, look-ups that chain, every error.
 */
#include "base/json.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

static struct t2_json_doc *parse(const char *text)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;

    if (t2_json_parse(text, strlen(text), "test.json", &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static void test_values(void **state)
{
    struct t2_json_doc *doc = parse("{\"s\": \"a\\u00e4\", \"i\": -5, \"r\": 2.5, \"t\": true, "
                                    "\"f\": false, \"n\": null, \"a\": [1, [2]], \"o\": {}}");
    const struct t2_json_value *root = t2_json_root(doc);

    (void) state;
    assert_int_equal(t2_json_type(root), T2_JSON_OBJECT);
    assert_int_equal(t2_json_size(root), 8);
    assert_string_equal(t2_json_as_string(t2_json_get(root, "s"), NULL), "a\xC3\xA4");
    assert_int_equal(t2_json_as_i64(t2_json_get(root, "i"), 0), -5);
    assert_true(t2_json_as_double(t2_json_get(root, "i"), 0) == -5);
    assert_true(t2_json_as_double(t2_json_get(root, "r"), 0) == 2.5);
    assert_int_equal(t2_json_as_i64(t2_json_get(root, "r"), 77), 77);
    assert_true(t2_json_as_bool(t2_json_get(root, "t"), false));
    assert_false(t2_json_as_bool(t2_json_get(root, "f"), true));
    assert_int_equal(t2_json_type(t2_json_get(root, "r")), T2_JSON_REAL);
    assert_int_equal(t2_json_type(t2_json_get(root, "n")), T2_JSON_NULL);
    assert_int_equal(t2_json_type(t2_json_get(root, "o")), T2_JSON_OBJECT);
    assert_int_equal(t2_json_size(t2_json_get(root, "o")), 0);
    assert_int_equal(t2_json_size(t2_json_get(root, "s")), 0);
    assert_int_equal(t2_json_size(t2_json_get(root, "a")), 2);
    assert_int_equal(t2_json_as_i64(t2_json_item(t2_json_item(t2_json_get(root, "a"), 1), 0), 0),
                     2);
    t2_json_free(doc);
    t2_json_free(NULL);
}

static void test_look_ups_chain(void **state)
{
    struct t2_json_doc *doc = parse("[1]");
    const struct t2_json_value *root = t2_json_root(doc), *nothing = NULL;
    const struct t2_json_value *value = root;

    (void) state;
    assert_null(t2_json_get(root, "x"));
    assert_null(t2_json_get(t2_json_get(nothing, "x"), "y"));
    assert_null(t2_json_item(root, 1));
    assert_null(t2_json_item(nothing, 0));
    assert_int_equal(t2_json_type(nothing), T2_JSON_NULL);
    assert_int_equal(t2_json_size(nothing), 0);
    assert_null(t2_json_member(root, 0, &value));
    assert_null(value);
    assert_null(t2_json_member(root, 0, NULL));
    assert_string_equal(t2_json_as_string(nothing, "d"), "d");
    assert_string_equal(t2_json_as_string(root, "d"), "d");
    assert_int_equal(t2_json_as_i64(nothing, 5), 5);
    assert_true(t2_json_as_double(nothing, 5) == 5);
    assert_true(t2_json_as_bool(nothing, true));
    t2_json_free(doc);
}

/* Members keep the order of the file; big objects are found by hash. */
static void check_members(int n)
{
    struct t2_buf text = {0};
    struct t2_json_doc *doc;
    const struct t2_json_value *root, *value;
    char key[32];

    for (int i = 0; i < n; i++)
        t2_buf_printf(&text, "%c\"k%d\": %d", i == 0 ? '{' : ',', i * 7919 % n, i);
    t2_buf_push(&text, '}');
    doc = parse(t2_buf_cstr(&text));
    root = t2_json_root(doc);
    assert_int_equal(t2_json_size(root), n);
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "k%d", i * 7919 % n);
        assert_string_equal(t2_json_member(root, (size_t) i, &value), key);
        assert_int_equal(t2_json_as_i64(value, -1), i);
        assert_ptr_equal(t2_json_get(root, key), value);
    }
    assert_null(t2_json_get(root, "absent"));
    assert_null(t2_json_member(root, (size_t) n, NULL));
    t2_json_free(doc);
    t2_buf_release(&text);
}

static void test_order_and_many_members(void **state)
{
    (void) state;
    check_members(1);
    check_members(8);
    check_members(9);
    check_members(3000);
}

static void test_last_duplicate_wins(void **state)
{
    struct t2_json_doc *doc = parse("{\"a\": 1, \"b\": 2, \"a\": 3}");

    (void) state;
    assert_int_equal(t2_json_size(t2_json_root(doc)), 2);
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_root(doc), "a"), 0), 3);
    t2_json_free(doc);
}

static void test_scalars_and_byte_order_mark(void **state)
{
    struct t2_json_doc *doc = parse("\xEF\xBB\xBF \"x\" ");

    (void) state;
    assert_string_equal(t2_json_as_string(t2_json_root(doc), ""), "x");
    t2_json_free(doc);
    doc = parse("9223372036854775807");
    assert_true(t2_json_as_i64(t2_json_root(doc), 0) == INT64_MAX);
    t2_json_free(doc);
}

static void check_error(const char *text, size_t n, const char *message)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_json_parse(text, n, "x.json", &doc, &err), T2_EFORMAT);
    assert_int_equal(err.status, T2_EFORMAT);
    t_assert_contains(err.message, message);
    assert_null(doc);
}

static void test_errors_say_where(void **state)
{
    static char deep[5000];

    (void) state;
    check_error("", 0, "x.json:1:1: empty, not JSON");
    check_error("{\n  \"a\": }", 10, "x.json:2:8: ");
    check_error("[1, 2", 5, "x.json:1:5: ");
    check_error("[1] x", 5, "x.json:1:5: end of file expected");
    check_error("{\"a\" 1}", 7, "':' expected");
    check_error("[9223372036854775808]", 21, "x.json:1:20: too big integer");
    check_error("[1e999]", 7, "real number overflow");
    check_error("[\"\xFF\"]", 5, "x.json:1:2: unable to decode byte 0xff");
    check_error("[\"\\u0000\"]", 10, "x.json:1:");
    memset(deep, '[', sizeof deep);
    check_error(deep, sizeof deep, "maximum parsing depth reached");
}

static void test_load(void **state)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_tmp_path("a.json"), *bad = t_tmp_path("bad.json");

    (void) state;
    t_write_file(path, "{\"a\": [true]}\n", 14);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    assert_true(t2_json_as_bool(t2_json_item(t2_json_get(t2_json_root(doc), "a"), 0), false));
    t2_json_free(doc);
    t_write_file(bad, "{", 1);
    assert_int_equal(t2_json_load(bad, &doc, &err), T2_EFORMAT);
    assert_memory_equal(err.message, bad, strlen(bad));
    assert_int_equal(t2_json_load("/nowhere", &doc, &err), T2_ENOTFOUND);
    assert_string_equal(err.message, "'/nowhere': no such file");
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_look_ups_chain),
       cmocka_unit_test(test_order_and_many_members), cmocka_unit_test(test_last_duplicate_wins),
       cmocka_unit_test(test_scalars_and_byte_order_mark), cmocka_unit_test(test_errors_say_where),
       cmocka_unit_test(test_load))
