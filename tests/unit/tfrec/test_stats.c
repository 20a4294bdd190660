/*
 * tests/unit/tfrec/test_stats.c - sums of a known set; any number of threads; damage; limits.
 */
#include "tfrec/stats.h"

#include "base/map.h"
#include "tests/unit/tfrec/sets.h"

static const struct rec_feature_stats *feature(const struct rec_stats *s, const char *name)
{
    return &s->features[set_field(s->schema, name) - s->schema->fields];
}

static void test_three(void **state)
{
    const struct rec_stats_options o = {.vocab = NULL};
    struct tfr_inputs in = set_three_inputs();
    struct rec_stats *s = set_stats(&in, 2, &o);
    bool exact;

    (void) state;
    assert_int_equal(s->n_features, 5);
    assert_int_equal(s->record_bytes.n, 3);
    assert_int_equal(s->n_duplicates, 0);
    assert_int_equal(feature(s, "ids")->lengths.sum, 5);
    assert_true(feature(s, "ids")->int_sum == 14);
    assert_int_equal(rec_distinct_count(&feature(s, "ids")->distinct, &exact), 4);
    assert_int_equal(rec_distinct_count(&feature(s, "score")->distinct, &exact), 3);
    assert_true(rec_float_sum_value(feature(s, "score")->float_sum) == 2.0);
    assert_int_equal(rec_distinct_count(&feature(s, "text")->distinct, &exact), 2);
    assert_int_equal(*t2_map_find(feature(s, "text")->labels, "a<b", 3), 2);
    assert_int_equal(feature(s, "none")->lengths.n, 0);
    rec_stats_free(s);
    rec_stats_free(NULL);
    tfr_inputs_release(&in);
}

/* Many batches, more features and labels than limits allow; text that differs. */
static struct tfr_inputs many(uint64_t n)
{
    struct t2_buf bytes = {NULL, 0, 0};
    char name[16], text[40];

    for (uint64_t i = 0; i < n; i++) {
        const int64_t id = (int64_t) (t_hash64(i) % 100000);
        const float x = (float) id / 3.0F;
        struct t2_slice t;
        snprintf(name, sizeof name, "f%d", (int) (i % 40));
        snprintf(text, sizeof text, "text %d", (int) (i % 3000));
        t = t2_slice_of(text);
        set_record(&bytes,
                   (struct tfr_feature[]){{name, TFR_INT64, 1, &id, NULL, NULL},
                                          {"x", TFR_FLOAT, 1, NULL, &x, NULL},
                                          {"t", TFR_BYTES, 1, NULL, NULL, &t}},
                   3);
    }
    return set_inputs("many.tfrecord", &bytes);
}

static void test_threads(void **state)
{
    const struct rec_stats_options o = {.duplicate_bytes = 0};
    struct tfr_inputs in = many(60000);
    struct rec_stats *a = set_stats(&in, 1, &o), *b = set_stats(&in, 3, &o);
    bool exact_a, exact_b;

    (void) state;
    assert_int_equal(a->n_features, 42);
    assert_int_equal(a->n_duplicates, b->n_duplicates);
    for (size_t i = 0; i < a->n_features; i++) {
        const struct rec_feature_stats *x = &a->features[i], *y = &b->features[i];
        assert_string_equal(a->schema->fields[i].name, b->schema->fields[i].name);
        assert_int_equal(x->lengths.sum, y->lengths.sum);
        assert_true(x->int_sum == y->int_sum);
        assert_int_equal(rec_distinct_count(&x->distinct, &exact_a),
                         rec_distinct_count(&y->distinct, &exact_b));
        assert_int_equal(exact_a, exact_b);
        if (x->float_sum)
            assert_memory_equal(x->float_sum, y->float_sum, sizeof *x->float_sum);
    }
    assert_true(feature(a, "t")->labels_left_out && feature(b, "t")->labels_left_out);
    (void) rec_distinct_count(&feature(a, "x")->distinct, &exact_a);
    assert_false(exact_a); /* 42 features: 32768 values each */
    rec_stats_free(a);
    rec_stats_free(b);
    tfr_inputs_release(&in);
}

static void test_damage(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct rec_stats_options o = {.accept_damage = true};
    struct tfr_inputs in;
    struct t2_pool *pool = t2_pool_new(2);
    struct rec_stats *s;

    (void) state;
    set_three(&bytes);
    set_three(&bytes);
    bytes.data[bytes.len_bytes - 1] ^= 1;
    in = set_inputs("damaged.tfrecord", &bytes);
    s = set_stats(&in, 2, &o);
    assert_int_equal(s->schema->n_records, 5);
    assert_int_equal(s->n_duplicates, 2);
    assert_int_equal(s->damage.status, T2_EFORMAT);
    t_assert_contains(s->damage.message, "record 5");
    rec_stats_free(s);
    o.accept_damage = false;
    assert_int_equal(rec_stats_collect(&in, pool, &o, &s, &err), T2_EFORMAT);
    t2_pool_free(pool);
    tfr_inputs_release(&in);
}

static void test_limits(void **state)
{
    (void) state;
    assert_int_equal(rec_stats_limits(0).distinct, 1 << 17);
    assert_int_equal(rec_stats_limits(16).distinct, 1 << 17);
    assert_int_equal(rec_stats_limits(17).distinct, 1 << 16);
    assert_int_equal(rec_stats_limits(8192).distinct, 256);
    assert_int_equal(rec_stats_limits(8192).labels, 16);
}

T_MAIN(cmocka_unit_test(test_three), cmocka_unit_test(test_threads), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_limits))
