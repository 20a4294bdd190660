/*
 * tests/unit/base/test_json_want.c - what a document must have; the first mistake is kept.
 */
#include "base/json_want.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct t2_json_doc *doc;
static const struct t2_json_value *root;
static struct t2_err err;
static struct t2_json_want want;

static void begin(const char *text)
{
    t2_json_free(doc);
    doc = NULL;
    err = (struct t2_err) T2_ERR_INIT;
    want = (struct t2_json_want){"x.json", &err, T2_OK};
    assert_int_equal(t2_json_parse(text, strlen(text), "x.json", &doc, &err), T2_OK);
    root = t2_json_root(doc);
}

static void test_good(void **state)
{
    char *s, hex[T2_SHA256_HEX];

    (void) state;
    begin("{\"s\": \"text\", \"i\": -3, \"n\": 4, \"b\": true, \"f\": \"a.txt\", \"h\": \"" SHA
          "\"}");
    s = t2_json_want_string(&want, root, "s");
    assert_string_equal(s, "text");
    t2_free(s);
    s = t2_json_want_file(&want, root, "f");
    assert_string_equal(s, "a.txt");
    t2_free(s);
    assert_int_equal(t2_json_want_i64(&want, root, "i"), -3);
    assert_int_equal(t2_json_want_u64(&want, root, "n"), 4);
    assert_true(t2_json_want_bool(&want, root, "b"));
    t2_json_want_sha256(&want, root, "h", hex);
    assert_string_equal(hex, SHA);
    assert_int_equal(want.status, T2_OK);
}

static void refused(const char *message)
{
    assert_int_equal(want.status, T2_EFORMAT);
    assert_string_equal(err.message, message);
    want.status = T2_OK;
}

static void check_file(const char *text)
{
    begin(text);
    t2_free(t2_json_want_file(&want, root, "f"));
    refused("'x.json': \"f\" is not a plain file name");
}

static void test_bad(void **state)
{
    char *s, hex[T2_SHA256_HEX];

    (void) state;
    begin("{\"s\": 1, \"i\": 1.5, \"n\": -4, \"b\": 1, \"h\": \"0123\"}");
    s = t2_json_want_string(&want, root, "s");
    assert_string_equal(s, "");
    t2_free(s);
    refused("'x.json': \"s\" is not a string");
    assert_int_equal(t2_json_want_i64(&want, root, "i"), 0);
    refused("'x.json': \"i\" is not an integer");
    assert_int_equal(t2_json_want_u64(&want, root, "n"), 0);
    refused("'x.json': \"n\" is not a count");
    assert_false(t2_json_want_bool(&want, root, "b"));
    refused("'x.json': \"b\" is not true or false");
    t2_json_want_sha256(&want, root, "h", hex);
    assert_string_equal(hex, "");
    refused("'x.json': \"h\" is not a SHA-256 in hex");
    (void) t2_json_want_i64(&want, NULL, "absent");
    refused("'x.json': \"absent\" is not an integer");
    check_file("{\"f\": \"\"}");
    check_file("{\"f\": \".\"}");
    check_file("{\"f\": \"..\"}");
    check_file("{\"f\": \"a/b\"}");
    check_file("{\"f\": \"/etc/passwd\"}");
}

static void test_first_is_kept(void **state)
{
    (void) state;
    begin("{}");
    (void) t2_json_want_i64(&want, root, "first");
    (void) t2_json_want_bool(&want, root, "second");
    t2_json_complain(&want, "third", "good");
    refused("'x.json': \"first\" is not an integer");
    t2_json_free(doc);
    doc = NULL;
}

T_MAIN(cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
       cmocka_unit_test(test_first_is_kept))
