/*
 * tests/unit/tfrec/test_schema_pbtxt.c - what is said of a known set; TensorFlow's own readers are
 * asked by bench/check_stats.py.
 */
#include "tests/unit/tfrec/sets.h"
#include "tfrec/schema_formats.h"

static void test_three(void **state)
{
    struct tfr_inputs in = set_three_inputs();
    struct rec_schema *s = set_schema(&in, 1);
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    rec_schema_print_pbtxt(s, &text);
    t_assert_contains(t2_buf_cstr(&text), "name: \"ids\"\n  type: INT");
    t_assert_contains(t2_buf_cstr(&text), "value_count {\n    min: 0\n    max: 3");
    t_assert_contains(t2_buf_cstr(&text), "min_fraction: 1\n");
    t_assert_contains(t2_buf_cstr(&text), "shape {\n    dim {\n      size: 1");
    t_assert_contains(t2_buf_cstr(&text), "int_domain {\n    min: -2\n    max: 7");
    t_assert_contains(t2_buf_cstr(&text), "kind unknown");
    t_assert_contains(t2_buf_cstr(&text), "float_domain {\n    min: 0.5\n    max: 1.5");
    t2_buf_release(&text);
    rec_schema_free(s);
    tfr_inputs_release(&in);
}

static void test_names(void **state)
{
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    rec_quote_name("a\"b\\c\n\0d\xc3\xa9", 10, &text);
    assert_string_equal(t2_buf_cstr(&text), "\"a\\\"b\\\\c\\012\\000d\xc3\xa9\"");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_names))
