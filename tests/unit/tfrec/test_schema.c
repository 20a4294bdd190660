/*
 * tests/unit/tfrec/test_schema.c - facts of a known set, joined in any order; kinds that disagree;
 * limits.
 */
#include "tfrec/schema.h"

#include "tests/unit/tfrec/sets.h"

static void check_three(const struct rec_schema *s)
{
    const struct rec_field *f;

    assert_int_equal(s->n_records, 3);
    assert_int_equal(s->n, 5);
    assert_string_equal(s->fields[0].name, "ids");
    assert_string_equal(s->fields[4].name, "text");
    f = set_field(s, "ids");
    assert_int_equal(rec_field_kind(f), TFR_INT64);
    assert_int_equal(f->min_length, 0);
    assert_int_equal(f->max_length, 3);
    assert_int_equal(f->n_values, 5);
    assert_int_equal(f->min_int, 1);
    assert_int_equal(f->max_int, 5);
    assert_false(rec_field_is_fixed(f));
    assert_true(rec_field_is_required(s, f));
    f = set_field(s, "label");
    assert_true(rec_field_is_fixed(f));
    assert_true(rec_field_is_int32(f));
    assert_int_equal(f->min_int, -2);
    f = set_field(s, "score");
    assert_int_equal(rec_field_records(f), 2);
    assert_false(rec_field_is_required(s, f));
    assert_int_equal(f->n_not_finite, 1);
    assert_true(f->min_float == 0.5F && f->max_float == 1.5F);
    f = set_field(s, "none");
    assert_int_equal(rec_field_kind(f), TFR_NONE);
    assert_int_equal(rec_field_records(f), 0);
    assert_int_equal(f->n_of_kind[TFR_NONE], 1);
    f = set_field(s, "text");
    assert_true(rec_field_is_text(f));
    assert_false(rec_field_is_image(f));
    assert_int_equal(f->n_bytes, 8);
    assert_null(rec_schema_find(s, t2_slice_of("nothing")));
}

static void test_discover(void **state)
{
    struct tfr_inputs in = set_three_inputs();

    (void) state;
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        struct rec_schema *s = set_schema(&in, n_threads);
        check_three(s);
        rec_schema_free(s);
    }
    tfr_inputs_release(&in);
}

/* Record by record into two schemas, joined both ways. */
static void test_join(void **state)
{
    struct tfr_inputs in = set_three_inputs();
    struct t2_buf bytes = {NULL, 0, 0};
    struct tfr_inputs one;
    size_t places[8];

    (void) state;
    set_disagree(&bytes);
    one = set_inputs("one.tfrecord", &bytes);
    for (int order = 0; order < 2; order++) {
        struct rec_schema *a = set_schema(&in, 1), *b = set_schema(&one, 1);
        struct rec_schema *all = rec_schema_new();
        enum tfr_kind other;
        b->fields[0].of_kind[TFR_BYTES].number = 3; /* it comes after the others */
        assert_int_equal(rec_schema_join(all, order == 0 ? a : b, places, &err), T2_OK);
        assert_int_equal(rec_schema_join(all, order == 0 ? b : a, places, &err), T2_OK);
        rec_schema_sort(all);
        assert_int_equal(all->n_records, 4);
        const struct rec_field *f = set_field(all, "label");
        assert_int_equal(rec_field_kind(f), TFR_INT64);
        assert_false(rec_field_agrees(f));
        assert_int_equal(rec_field_disagreement(f, &other)->number, 3);
        assert_int_equal(other, TFR_BYTES);
        assert_int_equal(rec_field_records(f), 4);
        assert_false(rec_field_is_required(all, f));
        rec_schema_free(a);
        rec_schema_free(b);
        rec_schema_free(all);
    }
    tfr_inputs_release(&in);
    tfr_inputs_release(&one);
}

static void test_no_example(void **state)
{
    struct t2_buf bytes = {NULL, 0, 0};
    struct tfr_inputs in;
    struct t2_pool *pool = t2_pool_new(2);
    struct rec_schema *s = NULL;

    (void) state;
    set_three(&bytes);
    rf_record(&bytes, "\x0b", 1);
    in = set_inputs("odd.tfrecord", &bytes);
    assert_int_equal(rec_schema_discover(&in, pool, &s, &err), T2_EFORMAT);
    t_assert_contains(err.message, "record 3 at offset ");
    t_assert_contains(err.message, "tfrec raw");
    assert_null(s);
    tfr_inputs_release(&in);
    t2_pool_free(pool);
}

static void test_too_many(void **state)
{
    struct rec_schema *s = rec_schema_new();
    char name[16];
    size_t field;

    (void) state;
    for (int i = 0; i < REC_MAX_FEATURES; i++) {
        snprintf(name, sizeof name, "f%d", i);
        assert_int_equal(rec_schema_place(s, t2_slice_of(name), (size_t) i, &field, &err), T2_OK);
        assert_int_equal(field, i);
    }
    assert_int_equal(rec_schema_place(s, t2_slice_of("f7"), 9, &field, &err), T2_OK);
    assert_int_equal(field, 7);
    assert_int_equal(rec_schema_place(s, t2_slice_of("x"), 0, &field, &err), T2_ENOMEM);
    t_assert_contains(err.message, "8192");
    rec_schema_free(s);
    rec_schema_free(NULL);
}

static void test_sequences(void **state)
{
    struct rec_schema *s = rec_schema_new();
    static const struct {
        const char *bytes;
        size_t n;
        bool is_one;
    } cases[] = {{"", 0, false},
                 {"\x0a\0", 2, false},
                 {"\x0a\0\x12\0", 4, true},
                 {"\x12\0", 2, true},
                 {"\x0a\x01\x12", 3, false},
                 {"\x0a\x01x\x12\0", 5, true},
                 {"\x0a\xff\xff\xff\xff\xff\x12", 7, false},
                 {"\x0a\x80", 2, false},
                 {"\x1a\x12", 2, false}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *guarded = t_guarded_alloc(cases[i].n + 1);
        uint64_t before = s->n_sequences;
        memcpy(guarded + 1, cases[i].bytes, cases[i].n);
        rec_schema_see_payload(s, (struct t2_slice){guarded + 1, cases[i].n});
        assert_int_equal(s->n_sequences - before, cases[i].is_one);
        t_guarded_free(guarded, cases[i].n + 1);
    }
    rec_schema_free(s);
}

T_MAIN(cmocka_unit_test(test_discover), cmocka_unit_test(test_join),
       cmocka_unit_test(test_no_example), cmocka_unit_test(test_too_many),
       cmocka_unit_test(test_sequences))
