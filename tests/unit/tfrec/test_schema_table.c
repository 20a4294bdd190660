/*
 * tests/unit/tfrec/test_schema_table.c - what is said of a known set; TensorFlow's own readers are
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
    rec_schema_print_table(s, &in, &text);
    t_assert_contains(t2_buf_cstr(&text), "3 records, 5 features");
    t_assert_contains(t2_buf_cstr(&text), "ids      int64        3  100.0%  0 to 3  1 to 5");
    t_assert_contains(t2_buf_cstr(&text), "66.6%");
    t_assert_contains(t2_buf_cstr(&text), "1 NaN or infinite");
    t_assert_contains(t2_buf_cstr(&text), "never has a list");
    t2_buf_release(&text);
    rec_schema_free(s);
    tfr_inputs_release(&in);
}

static void test_disagreement(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_schema *s;

    (void) state;
    set_three(&bytes);
    set_disagree(&bytes);
    in = set_inputs("four.tfrecord", &bytes);
    s = set_schema(&in, 2);
    rec_schema_print_table(s, &in, &text);
    t_assert_contains(t2_buf_cstr(&text), "KINDS DIFFER");
    t_assert_contains(t2_buf_cstr(&text),
                      "feature 'label' is int64 in 3 records, bytes in 1: first "
                      "in record 3 of '");
    rec_schema_free(s);
    tfr_inputs_release(&in);
    t2_buf_release(&text);
}

static void test_nothing(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_schema *s;

    (void) state;
    rf_record(&bytes, "", 0);
    in = set_inputs("empty.tfrecord", &bytes);
    s = set_schema(&in, 1);
    rec_schema_print_table(s, &in, &text);
    t_assert_contains(t2_buf_cstr(&text), "1 record, 0 features\nNo record has a feature");
    rec_schema_free(s);
    tfr_inputs_release(&in);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_disagreement),
       cmocka_unit_test(test_nothing))
