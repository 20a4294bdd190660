/*
 * test_feature_list.c - features come, go and are written.
 */
#include "datagen/feature_list.h"

#include <string.h>

#include "tests/support/t.h"

static void test_write(void **state)
{
    static const int32_t ids[] = {5, 6, 1};
    struct dg_record r = {0};
    struct t2_buf out = {0};
    struct tfr_example ex = {0};
    struct t2_err err = T2_ERR_INIT;
    int64_t ints[3];
    float x;

    (void) state;
    for (int round = 0; round < 2; round++) { /* the same memory again */
        dg_record_clear(&r);
        t2_buf_clear(&out);
        dg_record_add(&r, "gone", TFR_INT64);
        dg_feature_append_ids(dg_record_add(&r, "targets", TFR_INT64), ids, 3);
        dg_record_remove(&r, "gone");
        dg_record_remove(&r, "never there");
        dg_feature_push_float(dg_record_add(&r, "score", TFR_FLOAT), 0.25f);
        dg_record_add(&r, "image", TFR_BYTES)->bytes = t2_slice_of("xyz");
        assert_null(dg_record_find(&r, "gone"));
        dg_record_write(&r, &out);
    }
    assert_int_equal(tfr_example_parse(&ex, t2_buf_slice(&out), &err), T2_OK);
    assert_int_equal(ex.n, 3);
    assert_int_equal(tfr_example_find(&ex, "targets")->n, 3);
    tfr_view_ints(tfr_example_find(&ex, "targets"), ints);
    assert_int_equal(ints[1], 6);
    tfr_view_floats(tfr_example_find(&ex, "score"), &x);
    assert_true(x == 0.25f);
    assert_int_equal(tfr_example_find(&ex, "image")->kind, TFR_BYTES);
    tfr_example_release(&ex);
    t2_buf_release(&out);
    dg_record_release(&r);
}

T_MAIN(cmocka_unit_test(test_write))
