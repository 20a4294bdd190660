/*
 * test_json_items.c - items of arrays, whatever stands around them; what is broken is said with its
 * place.
 */
#include "datagen/source/json_items.h"

#include "tests/unit/datagen/small_set.h"

static const char *const k_alone[] = {"k", NULL};
static const char *const k_and_l[] = {"k", "l", NULL};

/* The items as they were parsed, ":" before those of the second key: "a1|:2|"; or the message. */
static void check_of(const char *json, size_t len_bytes, const char *const *keys,
                     uint64_t max_memory, const char *expected)
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
    size_t which;

    t_write_file(t_tmp_path("x.json"), json, len_bytes);
    assert_int_equal(dg_source_open(&source, NULL, &options, true, &text, &err), T2_OK);
    it = dg_json_items_new(&text, keys, max_memory);
    while ((st = dg_json_items_next(it, &which, &v, &err)) == T2_OK)
        t2_buf_printf(&got, "%s%s%d|", which ? ":" : "",
                      t2_json_as_string(t2_json_get(v, "s"), t2_json_as_string(v, "")),
                      (int) (t2_json_as_i64(v, 0) + (int64_t) t2_json_size(v)));
    if (st != T2_EOF)
        t2_buf_puts(&got, err.message);
    else
        assert_int_equal(dg_json_items_next(it, NULL, &v, &err), T2_EOF);
    if (st == T2_EOF)
        assert_string_equal(t2_buf_cstr(&got), expected);
    else
        t_assert_contains(t2_buf_cstr(&got), expected);
    dg_json_items_free(it);
    dg_source_close(&text);
    t2_buf_release(&got);
}

static void check_limited(const char *json, uint64_t max_memory, const char *expected)
{
    check_of(json, strlen(json), k_alone, max_memory, expected);
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
    check("\xEF\xBB\xBF{\"\\u006b\": [\"x\", 12 ,7,-3, true, 5e1]}", "x0|12|7|-3|0|0|");
    check("{\"kk\": [{}], \"\": [{}], \"x\": \"k\", \"k\": [1]}", "1|");
}

static void test_two_arrays(void **state)
{
    const char *json = "{\"l\": [1], \"x\": 2.5, \"k\": [2,3]}";
    const char *array = "[4, [5], {\"k\": [6]}]";

    (void) state;
    check_of(json, strlen(json), k_and_l, 0, ":1|2|3|");
    check_of(array, strlen(array), NULL, 0, "4|1|1|");
    check_of("[]", 2, NULL, 0, "");
    check_of("{}", 2, NULL, 0, "byte 0: the document is an array");
    check_of("{\"k\": []}", 9, k_and_l, 0, "x.json' has no \"l\"");
}

static void test_broken(void **state)
{
    (void) state;
    check(" ", "byte 1: is empty");
    check("[{}]", "byte 0: a document is one object");
    check("\"k\"", "byte 0: a document is one object");
    check("\xEF\xBB{}", "byte 2: neither JSON nor a byte order mark");
    check("{\"k\": [{}, {\"s\": 1", "byte 18: ends within the document");
    check("{\"k\": [{\"s\"}]}", "byte 11: a colon must come here");
    check("{\"k\": [{}, , {}]}", "byte 11: a value must come here");
    check("{\"k\": [{}, ]}", "byte 11: a value must come here");
    check("{\"k\": [{} {}]}", "byte 10: a comma or a closing bracket must come here");
    check("{\"k\": [{}}", "byte 9: a bracket that was not opened");
    check("{\"k\": [{}]} x", "byte 12: something behind the document");
    check("{\"k\": [{}]}{", "byte 11: something behind the document");
    check("{\"j\": tru, \"k\": []}", "byte 9: neither true, false, nor null");
    check("{\"j\": 01, \"k\": []}", "byte 7: a comma or a closing");
    check("{\"j\": 1}", "x.json' has no \"k\"");
    check("{\"k\": {\"s\": [{}]}}", "byte 6: \"k\" is no array");
    check("{\"k\": [1], \"k\": [2]}", "1|'");
    check("{\"k\": [1], \"k\": [2]}", "byte 11: \"k\" is there a second time");
    check("{\"k\": [7, {\"s\": 1, \"s\": 2}]}", "byte 10: item 2 of \"k\"");
    check("{\"k\": [{\"s\": 1, \"s\": 2}]}", "duplicate");
    check("{\"k\": [{\"s\": \"\xff\"}]}", "byte 7: item 1 of \"k\"");
}

static void test_large(void **state)
{
    struct t2_buf json = {0};

    (void) state;
    t2_buf_puts(&json, "{\"k\": [");
    for (int i = 0; i < 30000; i++)
        t2_buf_printf(&json, "%s[%d]", i ? "," : "", i);
    t2_buf_puts(&json, "x]}");
    check_limited(t2_buf_cstr(&json), 3200, "1|1|1|");
    t2_buf_clear(&json);
    t2_buf_puts(&json, "{\"k\": [{}, [\"");
    for (int i = 0; i < 3000; i++)
        t2_buf_puts(&json, "abc");
    t2_buf_puts(&json, "\"]]}");
    check_limited(t2_buf_cstr(&json), 32000,
                  "byte 11: item 2 of \"k\" has more than 1000 bytes, which is what one may have "
                  "of --max");
    check_limited(t2_buf_cstr(&json), 3200000, "0|1|");
    t2_buf_clear(&json);
    t2_buf_puts(&json, "{\"j\": \"");
    for (int i = 0; i < 30000; i++)
        t2_buf_puts(&json, "abc");
    t2_buf_puts(&json, "\", \"k\": [1]}");
    check_limited(t2_buf_cstr(&json), 32, "1|");
    t2_buf_clear(&json);
    for (int i = 0; i < 2000; i++)
        t2_buf_puts(&json, "{\"a\":");
    check(t2_buf_cstr(&json), "byte 5000: nested too deeply");
    t2_buf_clear(&json);
    t2_buf_puts(&json, "{\"");
    for (int i = 0; i < 5000; i++)
        t2_buf_push(&json, 'a');
    check(t2_buf_cstr(&json), "byte 1: a name that is too long");
    t2_buf_release(&json);
}

T_MAIN(cmocka_unit_test(test_items), cmocka_unit_test(test_two_arrays),
       cmocka_unit_test(test_broken), cmocka_unit_test(test_large))
