/*
 * tests/unit/tfrec/test_schema_tfds.c - what is said of a known set; TensorFlow's own readers are
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
    rec_schema_print_tfds(s, &text);
    t_assert_contains(t2_buf_cstr(&text), "features_dict.FeaturesDict");
    t_assert_contains(t2_buf_cstr(&text), "scalar.Scalar");
    t_assert_contains(t2_buf_cstr(&text), "sequence_feature.Sequence");
    t_assert_contains(t2_buf_cstr(&text), "text_feature.Text");
    t_assert_contains(t2_buf_cstr(&text), "float32");
    t2_buf_release(&text);
    rec_schema_free(s);
    tfr_inputs_release(&in);
}

static void test_no_kind(void **state)
{
    struct tfr_inputs in = set_three_inputs();
    struct rec_schema *s = set_schema(&in, 1);
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    rec_schema_print_tfds(s, &text);
    assert_null(strstr(t2_buf_cstr(&text), "\"none\": {"));
    t2_buf_release(&text);
    rec_schema_free(s);
    tfr_inputs_release(&in);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_no_kind))
