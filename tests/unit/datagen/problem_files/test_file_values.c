/*
 * tests/unit/datagen/problem_files/test_file_values.c - values, and what they must be.
 */
#include "datagen/problem_files/file_values.h"

#include <string.h>

#include "tests/support/t.h"

struct fixture {
    struct t2_json_doc *doc;
    struct dg_file_memory memory;
    struct t2_err err;
};

static struct dg_file_value value(struct fixture *f, const char *json)
{
    t2_json_free(f->doc);
    f->err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(t2_json_parse(json, strlen(json), "x", &f->doc, &f->err), T2_OK);
    return (struct dg_file_value){.path = "x.yaml",
                                  .key = "k",
                                  .json = t2_json_root(f->doc),
                                  .memory = &f->memory};
}

static void release(struct fixture *f)
{
    t2_json_free(f->doc);
    dg_file_memory_release(&f->memory);
}

static void test_texts(void **state)
{
    struct fixture f = {.err = T2_ERR_INIT};
    struct dg_file_value v = value(&f, "[\"a\", 2, \"b\"]");
    const char *const *list, *text, *pair[2];
    size_t n;

    (void) state;
    assert_int_equal(dg_value_text(&v, &text, &f.err), T2_OK);
    assert_string_equal(text, "a,2,b");
    assert_int_equal(dg_value_list(&v, &list, &n, &f.err), T2_EFORMAT);
    assert_string_equal(f.err.message, "'x.yaml': k must be a text, or a list of texts");
    v = value(&f, "[]");
    assert_int_equal(dg_value_list(&v, &list, &n, &f.err), T2_EFORMAT);
    v = value(&f, "\"a.{en,de}\"");
    assert_int_equal(dg_value_string(&v, &text, &f.err), T2_OK);
    assert_int_equal(dg_value_list(&v, &list, &n, &f.err), T2_OK);
    assert_int_equal(n, 1);
    assert_null(list[1]);
    assert_int_equal(dg_value_pair(&v, pair, &f.err), T2_OK);
    assert_string_equal(pair[0], "a.en");
    assert_string_equal(pair[1], "a.de");
    v = value(&f, "[\"{a\", \"b\"]");
    assert_int_equal(dg_value_pair(&v, pair, &f.err), T2_OK);
    assert_string_equal(pair[0], "{a");
    release(&f);
}

static void test_no_pairs(void **state)
{
    static const char *const texts[] = {"\"a\"", "\"{a,b,c}\"", "[\"a\"]", "[\"a\", 1]", "{}", "1"};
    struct fixture f = {.err = T2_ERR_INIT};
    const char *pair[2];

    (void) state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct dg_file_value v = value(&f, texts[i]);
        assert_int_equal(dg_value_pair(&v, pair, &f.err), T2_EFORMAT);
        t_assert_contains(f.err.message, "k must be two texts");
    }
    release(&f);
}

static void test_numbers(void **state)
{
    struct fixture f = {.err = T2_ERR_INIT};
    struct dg_file_value v = value(&f, "3000000000");
    uint64_t count;
    int64_t number;
    double real;
    bool flag;

    (void) state;
    assert_int_equal(dg_value_count(&v, &count, &f.err), T2_OK);
    assert_true(count == UINT64_C(3000000000));
    assert_int_equal(dg_value_number(&v, &number, &f.err), T2_EFORMAT);
    t_assert_contains(f.err.message, "a smaller number");
    v = value(&f, "-1");
    assert_int_equal(dg_value_count(&v, &count, &f.err), T2_EFORMAT);
    assert_int_equal(dg_value_real(&v, &real, &f.err), T2_OK);
    assert_true(real == -1);
    assert_int_equal(dg_value_flag(&v, &flag, &f.err), T2_EFORMAT);
    t_assert_contains(f.err.message, "true or false");
    v = value(&f, "true");
    assert_int_equal(dg_value_flag(&v, &flag, &f.err), T2_OK);
    assert_true(flag);
    assert_int_equal(dg_value_real(&v, &real, &f.err), T2_EFORMAT);
    release(&f);
}

T_MAIN(cmocka_unit_test(test_texts), cmocka_unit_test(test_no_pairs),
       cmocka_unit_test(test_numbers))
