/*
 * test_yaml.c - YAML as people write it, and what is refused.
 */
#include "base/yaml.h"

#include <string.h>

#include "base/buf.h"
#include "base/json_copy.h"
#include "tests/support/t.h"

static void check(const char *yaml, const char *json)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct t2_json out;

    assert_int_equal(t2_yaml_parse(yaml, strlen(yaml), "x.yaml", &doc, &err), T2_OK);
    t2_json_init(&out, &text, 0);
    assert_int_equal(t2_json_copy(&out, t2_json_root(doc), &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), json);
    t2_buf_release(&text);
    t2_json_free(doc);
}

static void check_refused(const char *yaml, const char *part)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(t2_yaml_parse(yaml, strlen(yaml), "x.yaml", &doc, &err), T2_EFORMAT);
    assert_null(doc);
    t_assert_contains(err.message, "'x.yaml'");
    t_assert_contains(err.message, part);
}

static void test_values(void **state)
{
    (void) state;
    check("a: 1\nb: [x, 'y z', \"q\\n\"]\nc:\n  d: ~\n  e: -2.5\n",
          "{\"a\": 1, \"b\": [\"x\", \"y z\", \"q\\n\"], \"c\": {\"d\": null, \"e\": -2.5}}");
    check("[yes, No, on, true, 'true', TRUE, y]",
          "[true, false, true, true, \"true\", true, \"y\"]");
    check("[0x1f, 0o17, +5, 1e-3, 1.0e3, .5, 1_000, 1.2.3, 0x, nan, '7']",
          "[31, 15, 5, 0.001, 1000, 0.5, \"1_000\", \"1.2.3\", \"0x\", \"nan\", \"7\"]");
    check("1: x # a key stays text\n", "{\"1\": \"x\"}");
    check("t: |\n  two\n  lines\n", "{\"t\": \"two\\nlines\\n\"}");
    check("", "null");
    check("# nothing\n", "null");
    check("--- \na: b\n...\n", "{\"a\": \"b\"}");
}

static void test_refused(void **state)
{
    char deep[200];

    (void) state;
    check_refused("a: 1\na: 2\n", "line 2, column 1: this key is there twice");
    check_refused("a: &x 1\nb: *x\n", "aliases");
    check_refused("a: !!python/object:os.system x\n", "tags are not understood");
    check_refused("a: [1, 2\n", "line ");
    check_refused("a: 1\n---\nb: 2\n", "more than one document");
    check_refused("? [a]\n: b\n", "a key that is not a word");
    check_refused("a: \"x\\0y\"\n", "NUL");
    check_refused("\xff\xfe\xff", "'x.yaml'");
    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    check_refused(deep, "nested too deeply");
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_refused))
