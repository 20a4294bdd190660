/*
 * Batches hold what the parser (example_parse.c) and the views (example_values.c) say, for every
 * form of a record and for damaged ones.
 */
#include "tfrecord/example_batch.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"

enum { N_NAMES = 4 };
static const char *const names[N_NAMES] = {"ids", "weights", "image", "other"};
static const enum tfr_kind kinds[N_NAMES] = {TFR_INT64, TFR_FLOAT, TFR_BYTES, TFR_INT64};

static struct tfr_example ex;

static struct t2_slice value_of(const struct tfr_column *c, size_t k)
{
    return (struct t2_slice){c->data + c->ends[k], (size_t) (c->ends[k + 1] - c->ends[k])};
}

/* Row i of the batch is what the parser finds in the record. */
static void check_row(const struct tfr_batch *b, size_t i, struct t2_slice record)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    for (size_t k = 0; k < b->n_columns; k++) {
        const struct tfr_column *c = &b->columns[k];
        const struct tfr_view *v = tfr_example_find(&ex, c->name);
        size_t at = (size_t) c->splits[i], n = (size_t) c->splits[i + 1] - at;
        assert_int_equal(n, !v || v->kind == TFR_NONE ? 0 : v->n);
        if (n == 0)
            continue;
        assert_int_equal(c->kind, v->kind);
        int64_t *ints = t2_alloc(n, sizeof *ints);
        struct t2_slice *bytes = t2_alloc(n, sizeof *bytes);
        if (v->kind == TFR_INT64) {
            tfr_view_ints(v, ints);
            assert_memory_equal(ints, c->ints + at, n * sizeof *ints);
        } else if (v->kind == TFR_FLOAT) {
            tfr_view_floats(v, (float *) ints);
            assert_memory_equal(ints, c->floats + at, n * sizeof(float));
        } else {
            tfr_view_bytes(v, bytes);
            for (size_t j = 0; j < n; j++)
                assert_true(t2_slice_eq(bytes[j], value_of(c, at + j)));
        }
        t2_free(ints);
        t2_free(bytes);
    }
}

/* An Example whose lists have up to n values. */
static void make(struct t2_buf *b, uint64_t seed, size_t n)
{
    int64_t *ints = t2_alloc(n + 1, sizeof *ints);
    float *floats = t2_alloc(n + 1, sizeof *floats);
    struct t2_slice bytes[3] = {{(const uint8_t *) "abc", 3}, {NULL, 0}, {b->data, 0}};
    struct tfr_feature f[] = {
        {.name = "weights", .kind = TFR_FLOAT, .n = t_hash64(seed) % (n + 1), .floats = floats},
        {.name = "ids", .kind = TFR_INT64, .n = t_hash64(seed + 1) % (n + 1), .ints = ints},
        {.name = "unasked", .kind = TFR_INT64, .n = n, .ints = ints},
        {.name = "image", .kind = TFR_BYTES, .n = t_hash64(seed + 2) % 4, .bytes = bytes}};

    for (size_t i = 0; i < n; i++) {
        ints[i] = (int64_t) (t_hash64(seed * 99 + i) >> (t_hash64(i + seed) % 64));
        ints[i] = seed % 2 == 0 ? ints[i] & 0xffff : ints[i];
    }
    t_fill(floats, n, seed);
    t2_buf_clear(b);
    tfr_example_build(b, f, seed % 5 == 0 ? 1 : 4);
    t2_free(ints);
    t2_free(floats);
}

static void test_equals_views(void **state)
{
    enum { N = 300 };
    struct t2_buf records[N] = {{0}};
    struct t2_err err = T2_ERR_INIT;
    struct tfr_batch b;
    (void) state;

    for (int asked = 0; asked < 2; asked++) {
        tfr_batch_init(&b, names, asked ? kinds : NULL, N_NAMES);
        for (int round = 0; round < 2; round++) {
            tfr_batch_clear(&b);
            for (size_t i = 0; i < N; i++) {
                make(&records[i], i, i % 7 == 0 ? 9000 : i);
                assert_int_equal(tfr_batch_add(&b, t2_buf_slice(&records[i]), &err), T2_OK);
            }
            assert_int_equal(b.n_records, N);
            for (size_t i = 0; i < N; i++)
                check_row(&b, i, t2_buf_slice(&records[i]));
        }
        tfr_batch_release(&b);
    }
    for (size_t i = 0; i < N; i++)
        t2_buf_release(&records[i]);
}

/* Adds the record; what the parser refuses is refused with the same words and changes nothing. */
static void try_record(struct tfr_batch *b, struct t2_slice record)
{
    struct t2_err err = T2_ERR_INIT, want = T2_ERR_INIT;
    size_t n = b->n_records;
    size_t n_values[N_NAMES];

    for (size_t k = 0; k < b->n_columns; k++)
        n_values[k] = b->columns[k].n_values;
    enum t2_status parsed = tfr_example_parse(&ex, record, &want);
    if (tfr_batch_add(b, record, &err) == T2_OK) {
        assert_int_equal(parsed, T2_OK);
        assert_int_equal(b->n_records, n + 1);
        check_row(b, n, record);
        return;
    }
    if (parsed != T2_OK)
        assert_string_equal(err.message, want.message);
    else
        t_assert_contains(err.message, "has a list of");
    assert_int_equal(b->n_records, n);
    for (size_t k = 0; k < b->n_columns; k++)
        assert_int_equal(b->columns[k].n_values, n_values[k]);
}

static void test_every_damage(void **state)
{
    struct t2_buf r = {0};
    struct tfr_batch b;
    (void) state;

    for (int asked = 0; asked < 2; asked++) {
        tfr_batch_init(&b, names, asked ? kinds : NULL, N_NAMES);
        for (uint64_t seed = 1; seed < 4; seed++) {
            make(&r, seed, 5 + 20 * seed);
            for (size_t n = 0; n < r.len_bytes; n++) {
                /* Ends at a page that cannot be read. */
                uint8_t *p = t_guarded_alloc(n + (n == 0));
                memcpy(p, r.data, n);
                try_record(&b, (struct t2_slice){p, n});
                t_guarded_free(p, n + (n == 0));
            }
            for (size_t bit = 0; bit < 8 * r.len_bytes; bit++) {
                r.data[bit / 8] ^= (uint8_t) (1 << bit % 8);
                try_record(&b, t2_buf_slice(&r));
                r.data[bit / 8] ^= (uint8_t) (1 << bit % 8);
            }
            tfr_batch_clear(&b);
        }
        tfr_batch_release(&b);
    }
    t2_buf_release(&r);
}

/* One feature "ids" with a list of this body. */
static void entry(struct t2_buf *map, uint32_t kind, struct t2_buf *list)
{
    struct t2_buf f = {0};

    wb_message(&f, kind, list);
    wb_entry(map, "ids", &f);
    t2_buf_release(&f);
}

/* Unpacked lists, lists in pieces, a name twice, two lists in a Feature, fields nobody knows. */
static void test_odd_forms(void **state)
{
    struct t2_buf list = {0}, map = {0}, r = {0}, f = {0};
    struct tfr_batch b;
    (void) state;

    for (int form = 0; form < 10; form++) {
        wb_number(&list, 1, 7);
        wb_number(&list, 1, 300);
        if (form >= 1)
            wb_bytes(&list, 1, "\x01\x02\x83\x05", 4);
        if (form == 2)
            wb_number(&list, 9, 5);
        if (form == 3) { /* the first of two names is of another kind */
            t2_buf_clear(&list);
            wb_bytes(&list, 1, "\0\0\200\77", 4);
            entry(&map, 2, &list);
            wb_bytes(&list, 1, "\x05", 1);
        }
        if (form == 4) {
            entry(&map, 3, &list);
            wb_bytes(&list, 1, "\x05\x06", 2);
        }
        if (form == 5) {
            wb_message(&f, 3, &list);
            wb_bytes(&list, 1, "\x05\x06", 2);
            wb_message(&f, 3, &list);
            wb_entry(&map, "ids", &f);
        }
        if (form == 6) { /* the list is taken back by a Feature without any */
            entry(&map, 3, &list);
            wb_entry(&map, "ids", &f);
        }
        if (form == 9) { /* a name twice, both in the usual form */
            t2_buf_clear(&list);
            wb_bytes(&list, 1, "\x05\x06\x07", 3);
            entry(&map, 3, &list);
            wb_bytes(&list, 1, "\x08", 1);
        }
        if (form == 7)
            wb_number(&map, 5, 1);
        if (form < 5 || form > 6)
            entry(&map, 3, &list);
        t2_buf_clear(&list);
        t2_buf_clear(&r);
        wb_example(&r, &map);
        if (form == 8) { /* Features in two pieces */
            wb_bytes(&list, 1, "\x09", 1);
            entry(&map, 3, &list);
            wb_example(&r, &map);
        }
        for (int asked = 0; asked < 2; asked++) {
            tfr_batch_init(&b, names, asked ? kinds : NULL, N_NAMES);
            for (int k = 0; k < 3; k++)
                try_record(&b, t2_buf_slice(&r));
            assert_int_equal(b.n_records, 3);
            tfr_batch_release(&b);
        }
    }
    t2_buf_release(&list);
    t2_buf_release(&map);
    t2_buf_release(&f);
    t2_buf_release(&r);
}

static void test_another_kind(void **state)
{
    const enum tfr_kind wrong[] = {TFR_BYTES};
    const struct tfr_feature f = {.name = "ids",
                                  .kind = TFR_INT64,
                                  .n = 2,
                                  .ints = (const int64_t[]){1, 2}};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf r = {0};
    struct tfr_batch b;
    (void) state;

    tfr_example_build(&r, &f, 1);
    tfr_batch_init(&b, names, wrong, 1);
    assert_int_equal(tfr_batch_add(&b, t2_buf_slice(&r), &err), T2_EFORMAT);
    assert_string_equal(err.message, "feature 'ids' has a list of int64, not of bytes");
    assert_int_equal(b.n_records, 0);
    tfr_batch_release(&b);
    t2_buf_release(&r);
}

static void test_without_memory(void **state)
{
    struct t2_buf r = {0};
    struct tfr_batch b;
    int n_failed = 0;
    (void) state;

    make(&r, 3, 500);
    for (uint64_t k = 1; k < 12; k++) {
        struct t2_err err = T2_ERR_INIT;
        tfr_batch_init(&b, names, kinds, N_NAMES);
        t2_alloc_fail_after(k);
        enum t2_status st = tfr_batch_add(&b, t2_buf_slice(&r), &err);
        t2_alloc_fail_after(0);
        if (st != T2_OK) {
            assert_int_equal(st, T2_ENOMEM);
            assert_int_equal(b.n_records, 0);
            n_failed++;
        }
        assert_int_equal(tfr_batch_add(&b, t2_buf_slice(&r), &err), T2_OK);
        check_row(&b, b.n_records - 1, t2_buf_slice(&r));
        tfr_batch_release(&b);
    }
    assert_true(n_failed > 3);
    t2_buf_release(&r);
}

static void test_empty(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_batch b;
    (void) state;

    tfr_batch_init(&b, names, kinds, 2);
    assert_int_equal(tfr_batch_add(&b, (struct t2_slice){NULL, 0}, &err), T2_OK);
    assert_int_equal(b.columns[0].splits[1], 0);
    tfr_batch_release(&b);
    tfr_batch_init(&b, NULL, NULL, 0);
    assert_int_equal(tfr_batch_add(&b, (struct t2_slice){NULL, 0}, &err), T2_OK);
    assert_int_equal(b.n_records, 1);
    tfr_batch_release(&b);
}

static int release(void **state)
{
    (void) state;
    tfr_example_release(&ex);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_views),
                                       cmocka_unit_test(test_every_damage),
                                       cmocka_unit_test(test_odd_forms),
                                       cmocka_unit_test(test_another_kind),
                                       cmocka_unit_test(test_without_memory),
                                       cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, release);
}
