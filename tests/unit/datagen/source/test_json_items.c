/*
 * test_json_items.c - items of an array, whatever stands around them; what is broken is said with its place.
 */
#include "datagen/source/json_items.h"

#include "tests/unit/datagen/small_set.h"

/* The items as they were parsed: "1|[2]|" of numbers in arrays; or the message. */
static void check_limited(const char *json, uint64_t max_memory, const char *expected)
{
    static const struct dg_source_file file = {.name = "x.json"};
    static const struct dg_source source = {.file = &file, .is_plain = true};
    const struct dg_options options = {.tmp_dir = t_tmp_path(".")};
    const struct t2_json_value *v;
    struct dg_source_text text;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf got = {0};
    struct dg_json_items *it;
    enum t2_status st;

    t_write_file(t_tmp_path("x.json"), json, strlen(json));
    assert_int_equal(dg_source_open(&source, NULL, &options, true, &text, &err), T2_OK);
    it = dg_json_items_new(&text, "k", max_memory);
    while ((st = dg_json_items_next(it, &v, &err)) == T2_OK)
        t2_buf_printf(&got, "%s%d|", t2_json_as_string(t2_json_get(v, "s"), ""),
                      (int) t2_json_size(v));
    if (st != T2_EOF)
        t2_buf_puts(&got, err.message);
    else
        assert_int_equal(dg_json_items_next(it, &v, &err), T2_EOF);
    t_assert_contains(t2_buf_cstr(&got), expected);
    dg_json_items_free(it);
    dg_source_close(&text);
    t2_buf_release(&got);
}

static void check(const char *json, const char *expected)
{
    check_limited(json, 0, expected);
}

static void test_items(void **state)
{
    (void) state;
    check("{\"k\": [{\"s\": \"a\"}, {\"s\": \"b\"}]}", "a1|b1|");
    check(" {\"j\": [[1], {\"k\": [{}]}], \"k\":[ {\"s\":\"a,]}\\\"\"} ,[1,2]\n], \"l\": {\"k\": "
          "[{}]}} \n",
          "a,]}\"1|2|");
    check("{\"k\": []}", "");
    check("{\"kk\": [{}], \"\": [{}], \"x\": \"k\"}", "");
    check("{\"k\": {\"s\": [{}]}}", "");
}

static void test_broken(void **state)
{
    (void) state;
    check(" ", "byte 1: is empty");
    check("[{}]", "byte 0: a document is one object");
    check("{\"k\": [{}, {\"s\": 1", "ends within the document");
    check("{\"k\": [{\"s\"}]}", "x.json: item 1 of \"k\"");
    check("{\"k\": [{}, , {}]}", "byte 11: a comma without an item");
    check("{\"k\": [{}, ]}", "byte 11: a comma without an item");
    check("{\"k\": [{} {}]}", "x.json: item 1 of");
    check("{\"k\": [{}}", "a bracket that was not opened");
    check("{\"k\": [{}]} x", "byte 12: a document is one object");
    check("{\"k\": [{}]}{", "a document is one object");
    check("\"k\"", "byte 0: a document is one object");
    check("{\"k\": [{\"s\": \"\xff\"}]}", "x.json: item 1 of \"k\"");
}

static void test_large(void **state)
{
    struct t2_buf json = {0};
    int i;

    (void) state;
    t2_buf_puts(&json, "{\"k\": [");
    for (i = 0; i < 30000; ++i)
        t2_buf_printf(&json, "%s[%d]", i ? "," : "", i);
    t2_buf_puts(&json, "]}");
    check_limited(t2_buf_cstr(&json), 3200, "1|1|1|");
    t2_buf_clear(&json);
    t2_buf_puts(&json, "{\"k\": [{}, [\"");
    for (i = 0; i < 3000; ++i)
        t2_buf_puts(&json, "abc");
    t2_buf_puts(&json, "\"]]}");
    check_limited(t2_buf_cstr(&json), 32000,
                  "item 2 of \"k\" has more than 1000 bytes, which is what one may have of --max");
    check_limited(t2_buf_cstr(&json), 3200000, "1|");
    t2_buf_clear(&json);
    for (i = 0; i < 2000; ++i)
        t2_buf_puts(&json, "{\"a\":");
    check(t2_buf_cstr(&json), "nested too deeply");
    t2_buf_release(&json);
}

T_MAIN(cmocka_unit_test(test_items), cmocka_unit_test(test_broken), cmocka_unit_test(test_large))
