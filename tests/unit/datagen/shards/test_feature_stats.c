/*
 * test_feature_stats.c - joining, order, kinds.
 */
#include "datagen/shards/feature_stats.h"

#include <string.h>

#include "tests/support/t.h"

static void test_join(void **state)
{
    static const int64_t first[] = {70, 3, 5}, second[] = {-5, 20, 7, 7};
    struct dg_stats a = {0}, b = {0}, none = {0};

    (void) state;
    dg_stats_add_ints(&a, "targets", first, 3);
    dg_stats_add_ints(&a, "targets", first, 1);
    dg_stats_add_ints(&b, "targets", second, 4);
    dg_stats_add_ints(&b, "inputs", second, 2);
    dg_stats_join(&a, &none);
    assert_int_equal(a.items[0].n_records, 2);
    dg_stats_join(&a, &b);
    assert_int_equal(a.n, 2);
    assert_string_equal(a.items[0].name, "inputs");
    assert_int_equal(a.items[1].n_records, 3);
    assert_int_equal(a.items[1].min_length, 1);
    assert_int_equal(a.items[1].max_length, 4);
    assert_int_equal(a.items[1].n_values, 8);
    assert_int_equal(a.items[1].min_value, -5);
    assert_int_equal(a.items[1].max_value, 70);
    dg_stats_join(&none, &b);
    assert_memory_equal(none.items, b.items, 2 * sizeof *b.items);
}

static void test_record(void **state)
{
    struct dg_record r = {0};
    struct dg_stats s = {0};
    struct dg_feature *f;

    (void) state;
    dg_feature_push_float(dg_record_add(&r, "score", TFR_FLOAT), 0.5f);
    f = dg_record_add(&r, "label", TFR_INT64);
    dg_feature_push(f, INT64_MIN);
    dg_feature_push(f, 4);
    dg_record_add(&r, "image/encoded", TFR_BYTES)->bytes = t2_slice_of("xyz");
    dg_stats_add_record(&s, &r);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.items[0].kind, TFR_BYTES);
    assert_int_equal(s.items[0].n_values, 1);
    assert_int_equal(s.items[1].min_value == INT64_MIN, 1);
    assert_int_equal(s.items[2].n_values, 1);
    dg_record_release(&r);
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_record))
