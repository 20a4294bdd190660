/*
 * The interface of libtfrecord: Examples built, parsed into a block, added to batches.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/tfrecord_api.h"

static const char *const names[] = {"ids", "image", "weights", "none"};
static const int kinds[] = {TFRECORD_INT64, TFRECORD_BYTES, TFRECORD_FLOAT, 0};
static const int64_t ids[] = {7, -1, 300};
static const float weights[] = {0.5f, 1.5f, -2.f};
static const void *const images[] = {"abc", "", "de"};
static const size_t sizes[] = {3, 0, 2};
static const void *const values[] = {ids, images, weights, NULL};
static const size_t *const lengths[] = {NULL, sizes, NULL, NULL};

static struct tfrecord_example *example(const char *const *wanted, size_t n)
{
    struct tfrecord_example *e;

    assert_int_equal(tfrecord_example_new(wanted, n, &e), TFRECORD_OK);
    return e;
}

/* An Example whose first three features have n values. */
static const void *build(struct tfrecord_example *e, size_t n, size_t *n_bytes)
{
    const size_t counts[] = {n, n, n, 0};
    const void *data;

    assert_int_equal(tfrecord_example_build(e, 4, names, kinds, counts, values, lengths, &data,
                                            n_bytes),
                     TFRECORD_OK);
    return data;
}

static void test_comes_back(void **state)
{
    struct tfrecord_example *maker = example(NULL, 0), *e = example(NULL, 0);
    const void *block;
    size_t n_bytes, n_block, n_features;
    (void) state;

    for (size_t n = 0; n <= 3; n++) {
        const uint8_t *record = build(maker, n, &n_bytes);
        assert_int_equal(tfrecord_example_parse(e, record, n_bytes, &block, &n_block, &n_features),
                         TFRECORD_OK);
        assert_int_equal(n_features, 4);
        for (size_t i = 0; i < 4; i++) {
            const int64_t *row = (const int64_t *) block + i * TFRECORD_ROW;
            const char *at = (const char *) block + row[4];
            size_t k = 0;
            while (strlen(names[k]) != (size_t) row[1] ||
                   memcmp(names[k], record + row[0], (size_t) row[1]) != 0)
                k++;
            assert_int_equal(row[2], kinds[k]);
            assert_int_equal(row[3], k == 3 ? 0 : n);
            assert_true(row[4] % 8 == 0 && row[4] <= (int64_t) n_block);
            if (row[2] == TFRECORD_INT64 && n > 0)
                assert_memory_equal(at, ids, n * sizeof ids[0]);
            if (row[2] == TFRECORD_FLOAT && n > 0)
                assert_memory_equal(at, weights, n * sizeof weights[0]);
            for (size_t j = 0; row[2] == TFRECORD_BYTES && j < n; j++) {
                const int64_t *where = (const int64_t *) (const void *) at + 2 * j;
                assert_int_equal(where[1], sizes[j]);
                assert_memory_equal(record + where[0], images[j], sizes[j]);
            }
        }
    }
    tfrecord_example_free(maker);
    tfrecord_example_free(e);
}

static void test_wanted(void **state)
{
    static const char *const wanted[] = {"weights", "absent"};
    struct tfrecord_example *maker = example(NULL, 0), *e = example(wanted, 2);
    const void *block;
    size_t n_bytes, n_block, n_features;
    const void *record = build(maker, 3, &n_bytes);
    (void) state;

    assert_int_equal(tfrecord_example_parse(e, record, n_bytes, &block, &n_block, &n_features),
                     TFRECORD_OK);
    assert_int_equal(n_features, 1);
    assert_int_equal(((const int64_t *) block)[2], TFRECORD_FLOAT);
    assert_int_equal(tfrecord_example_parse(e, NULL, 0, &block, &n_block, &n_features),
                     TFRECORD_OK);
    assert_int_equal(n_features, 0);
    assert_int_equal(tfrecord_example_parse(e, "\377", 1, &block, &n_block, &n_features),
                     TFRECORD_EFORMAT);
    t_assert_contains(tfrecord_error(), "not an Example: byte 0 of 1");
    tfrecord_example_free(maker);
    tfrecord_example_free(e);
}

static void test_batches(void **state)
{
    const char *path = t_tmp_path("x");
    struct tfrecord_example *maker = example(NULL, 0);
    struct tfrecord_reader *r;
    struct tfrecord_writer *w;
    struct tfrecord_batch *b;
    size_t n;
    (void) state;

    assert_int_equal(tfrecord_writer_open(path, NULL, &w), TFRECORD_OK);
    for (size_t i = 0; i < 10; i++) {
        const void *record = build(maker, i % 4, &n);
        assert_int_equal(tfrecord_writer_add(w, record, n), TFRECORD_OK);
    }
    assert_int_equal(tfrecord_writer_commit(w, NULL), TFRECORD_OK);
    assert_int_equal(tfrecord_reader_open(&path, 1, &r), TFRECORD_OK);
    for (int asked = 0; asked < 2; asked++) {
        assert_int_equal(tfrecord_batch_new(names, asked ? kinds : NULL, 3, &b), TFRECORD_OK);
        assert_int_equal(tfrecord_batch_splits(b, 1)[0], 0);
        assert_non_null(tfrecord_batch_values(b, 1));
        assert_non_null(tfrecord_batch_data(b, 1));
        assert_int_equal(tfrecord_batch_next(b, r, 8), TFRECORD_OK);
        assert_int_equal(tfrecord_batch_get(b, r, (const uint64_t[]){9, 3}, 2), TFRECORD_OK);
        assert_int_equal(tfrecord_batch_n_records(b), 10);
        assert_int_equal(tfrecord_batch_splits(b, 0)[10], 16);
        assert_int_equal(((const int64_t *) tfrecord_batch_values(b, 0))[15], 300);
        assert_int_equal(tfrecord_batch_kind(b, 1), TFRECORD_BYTES);
        assert_int_equal(((const int64_t *) tfrecord_batch_values(b, 1))[6], 11);
        assert_memory_equal(tfrecord_batch_data(b, 1), "abcabcabcde", 11);
        assert_null(tfrecord_batch_splits(b, 3));
        assert_int_equal(tfrecord_batch_add(b, "\377", 1), TFRECORD_EFORMAT);
        assert_int_equal(tfrecord_batch_n_records(b), 10);
        tfrecord_batch_clear(b);
        assert_int_equal(tfrecord_batch_next(b, r, 8), TFRECORD_OK);
        assert_int_equal(tfrecord_batch_n_records(b), 2);
        assert_int_equal(tfrecord_batch_next(b, r, 8), TFRECORD_END);
        assert_int_equal(tfrecord_batch_get(b, r, (const uint64_t[]){10}, 1), TFRECORD_ENOTFOUND);
        tfrecord_reader_rewind(r);
        tfrecord_batch_free(b);
    }
    assert_int_equal(tfrecord_batch_new(names, (const int[]){TFRECORD_FLOAT}, 1, &b), TFRECORD_OK);
    assert_int_equal(tfrecord_batch_next(b, r, 8), TFRECORD_EFORMAT);
    t_assert_contains(tfrecord_error(),
                      "record 0: feature 'ids' has a list of int64, not of float");
    tfrecord_batch_free(b);
    tfrecord_reader_close(r);
    tfrecord_example_free(maker);
}

static void test_misuse(void **state)
{
    static const char *const twice[] = {"a", "a"}, *const bad[] = {"\377", "b"};
    const size_t counts[] = {1, 1}, huge[] = {(size_t) 1 << 31, 0};
    const void *const nothing[] = {NULL, NULL};
    struct tfrecord_example *e = example(NULL, 0);
    struct tfrecord_batch *b;
    const void *data;
    size_t n;
    (void) state;

#define BUILD(k, names_, counts_, values_)                                                         \
    tfrecord_example_build(e, k, names_, (const int[]){TFRECORD_INT64, TFRECORD_INT64}, counts_,   \
                           values_, lengths, &data, &n)
    assert_int_equal(BUILD(2, twice, counts, ((const void *[]){ids, ids})), TFRECORD_EUSAGE);
    assert_string_equal(tfrecord_error(), "feature 'a' is there twice");
    assert_int_equal(BUILD(2, bad, counts, ((const void *[]){ids, ids})), TFRECORD_EUSAGE);
    assert_int_equal(BUILD(2, names, counts, nothing), TFRECORD_EUSAGE);
    assert_int_equal(BUILD(2, names, huge, ((const void *[]){ids, ids})), TFRECORD_EUSAGE);
    t_assert_contains(tfrecord_error(), "2 GiB");
    assert_int_equal(BUILD(2, NULL, counts, nothing), TFRECORD_EUSAGE);
    assert_int_equal(BUILD(0, NULL, NULL, NULL), TFRECORD_OK);
    assert_int_equal(tfrecord_example_build(e, 1, names, (const int[]){9}, counts, values, lengths,
                                            &data, &n),
                     TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_new(twice, NULL, 2, &b), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_new(names, (const int[]){9}, 1, &b), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_add(NULL, "", 0), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_next(NULL, NULL, 1), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_get(NULL, NULL, NULL, 0), TFRECORD_EUSAGE);
    assert_int_equal(tfrecord_batch_n_records(NULL), 0);
    tfrecord_batch_free(NULL);
    tfrecord_batch_clear(NULL);
    tfrecord_example_free(NULL);
    tfrecord_example_free(e);
}

T_MAIN(cmocka_unit_test(test_comes_back), cmocka_unit_test(test_wanted),
       cmocka_unit_test(test_batches), cmocka_unit_test(test_misuse))
