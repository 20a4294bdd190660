/*
 * tests/unit/tfrec/test_values.c - values of each kind, memory used again, too many of them.
 */
#include "tfrec/values.h"

#include "tests/unit/tfrec/sets.h"

static void test_kinds(void **state)
{
    struct t2_buf payload = {NULL, 0, 0};
    struct tfr_example ex = {0};
    struct rec_values v = {.kind = TFR_NONE};
    static const int64_t ints[] = {-1, 300};
    static const float floats[] = {2.5F};
    const struct t2_slice texts[] = {t2_slice_of(""), t2_slice_of("xy")};
    const struct tfr_feature f[] = {{"a", TFR_INT64, 2, ints, NULL, NULL},
                                    {"b", TFR_FLOAT, 1, NULL, floats, NULL},
                                    {"c", TFR_BYTES, 2, NULL, NULL, texts},
                                    {"d", TFR_NONE, 0, NULL, NULL, NULL}};

    (void) state;
    tfr_example_build(&payload, f, 4);
    assert_int_equal(tfr_example_parse(&ex, t2_buf_slice(&payload), &err), T2_OK);
    assert_int_equal(rec_values_load(&v, tfr_example_find(&ex, "a"), &err), T2_OK);
    assert_int_equal(v.n, 2);
    assert_int_equal(v.ints[0], -1);
    assert_int_equal(v.ints[1], 300);
    assert_int_equal(rec_values_load(&v, tfr_example_find(&ex, "b"), &err), T2_OK);
    assert_true(v.floats[0] == 2.5F);
    assert_null(v.ints);
    assert_int_equal(rec_values_load(&v, tfr_example_find(&ex, "c"), &err), T2_OK);
    assert_int_equal(v.bytes[0].len_bytes, 0);
    assert_memory_equal(v.bytes[1].data, "xy", 2);
    assert_int_equal(rec_values_load(&v, tfr_example_find(&ex, "d"), &err), T2_OK);
    assert_int_equal(v.n, 0);
    rec_values_release(&v);
    tfr_example_release(&ex);
    t2_buf_release(&payload);
}

static void test_no_memory(void **state)
{
    struct rec_values v = {.kind = TFR_NONE};
    const struct tfr_view huge = {.name = t2_slice_of("big"),
                                  .kind = TFR_BYTES,
                                  .n = SIZE_MAX / 16};
    const struct tfr_view overflow = {.name = t2_slice_of("big"),
                                      .kind = TFR_BYTES,
                                      .n = SIZE_MAX / 2};

    (void) state;
    t2_alloc_fail_after(1);
    assert_int_equal(rec_values_load(&v, &huge, &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    t_assert_contains(err.message, "feature 'big'");
    assert_int_equal(rec_values_load(&v, &overflow, &err), T2_ENOMEM);
    rec_values_release(&v);
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_no_memory))
