/*
 * tests/unit/tfrec/test_schema_spec.c - what is said of a known set; TensorFlow's own readers are
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
    assert_int_equal(rec_schema_print_parsing_spec(s, &in, &text, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "\"ids\": tf.io.VarLenFeature(tf.int64),");
    t_assert_contains(t2_buf_cstr(&text), "\"label\": tf.io.FixedLenFeature([], tf.int64),");
    t_assert_contains(t2_buf_cstr(&text), "\"score\": tf.io.VarLenFeature(tf.float32),");
    t_assert_contains(t2_buf_cstr(&text), "\"text\": tf.io.FixedLenFeature([], tf.string),");
    t_assert_contains(t2_buf_cstr(&text), "never has a list");
    t_assert_contains(t2_buf_cstr(&text), "compression_type=\"\"");
    t2_buf_release(&text);
    rec_schema_free(s);
    tfr_inputs_release(&in);
}

static void test_compressed(void **state)
{
    struct t2_buf plain = {NULL, 0, 0}, gzip = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_schema *s;

    (void) state;
    set_three(&plain);
    set_disagree(&plain);
    rf_gzip(&gzip, t2_buf_slice(&plain));
    in = set_inputs("four.gz", &gzip);
    s = set_schema(&in, 1);
    assert_int_equal(rec_schema_print_parsing_spec(s, &in, &text, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "compression_type=\"GZIP\"");
    t_assert_contains(t2_buf_cstr(&text), "parsing those fails");
    rec_schema_free(s);
    tfr_inputs_release(&in);
    t2_buf_release(&plain);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_compressed))
