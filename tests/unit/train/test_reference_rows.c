/*
 * Tests of train/input/reference_rows.c: rows have room, epochs are whole, resuming.
 */
#include "train/input/reference_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

enum { N = 3000, LENGTH = 40, ROWS = 6 };

static struct t2_err err;

static struct in_index index_of(void)
{
    struct in_index x = {.n = N, .places = t2_alloc(N, sizeof(struct in_place))};

    for (int f = 0; f < 12; f++)
        t2_strs_push(&x.paths, "file");
    for (uint64_t i = 0; i < N; i++)
        x.places[i] =
            (struct in_place){(i * 12 / N) << IN_OFFSET_BITS | i, 1 + (int32_t) (t_hash64(i) % 20),
                              1 + (int32_t) (t_hash64(i + N) % 20)};
    return x;
}

static void release(struct in_index *x)
{
    t2_strs_release(&x->paths);
    t2_free(x->places);
}

static void check_rows(enum in_packing form)
{
    static unsigned count[N];
    struct in_index x = index_of();
    struct in_reference_rows *r = in_reference_rows_new(&x, form, LENGTH, ROWS, 3, 7);
    unsigned least = 1000, most = 0;

    memset(count, 0, sizeof count);
    while (in_reference_rows_samples(r) < 10 * N) {
        uint32_t n;
        const struct in_place *const *row = in_reference_rows_next(r, &n);
        int32_t inputs = 0, targets = 0;

        assert_true(n > 0);
        for (uint32_t i = 0; i < n; i++) {
            inputs += row[i]->inputs_length;
            targets += row[i]->targets_length;
            count[row[i] - x.places]++;
        }
        assert_true(inputs <= LENGTH && targets <= LENGTH);
    }
    for (int i = 0; i < N; i++) {
        least = count[i] < least ? count[i] : least;
        most = count[i] > most ? count[i] : most;
    }
    assert_true(least >= 8 && most <= 11);
    in_reference_rows_free(r);
    release(&x);
}

static void test_rows(void **state)
{
    (void) state;
    check_rows(IN_PACK_LATEST);
    check_rows(IN_PACK_QUEUE);
}

/* From every batch on, the same rows. */
static void test_seek(void **state)
{
    struct in_index x = index_of();
    struct in_reference_rows *a = in_reference_rows_new(&x, IN_PACK_LATEST, LENGTH, ROWS, 3, 7);
    struct in_reference_rows *b = in_reference_rows_new(&x, IN_PACK_LATEST, LENGTH, ROWS, 3, 7);
    uint32_t n, m;

    (void) state;
    for (int batch = 0; batch < 40; batch++) {
        assert_int_equal(in_reference_rows_seek(b, in_reference_rows_samples(a), &err), T2_OK);
        for (int i = 0; i < ROWS; i++) {
            const struct in_place *const *row = in_reference_rows_next(a, &n);
            const struct in_place *const *other = in_reference_rows_next(b, &m);

            assert_int_equal(n, m);
            assert_memory_equal(row, other, n * sizeof(struct in_place *));
        }
        assert_int_equal(in_reference_rows_samples(a), in_reference_rows_samples(b));
    }
    assert_int_equal(in_reference_rows_seek(b, 1, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is inside a batch");
    assert_int_equal(in_reference_rows_seek(b, UINT64_MAX, &err), T2_EFORMAT);
    in_reference_rows_free(a);
    in_reference_rows_free(b);
    in_reference_rows_free(NULL);
    release(&x);
}

/* One sample, and more rows in a batch than an epoch has. */
static void test_little(void **state)
{
    struct in_index x = index_of();
    struct in_reference_rows *r;
    uint32_t n;

    (void) state;
    x.n = 1;
    r = in_reference_rows_new(&x, IN_PACK_QUEUE, LENGTH, ROWS, 0, 1);
    for (int i = 0; i < 20; i++) {
        assert_true(in_reference_rows_next(r, &n)[0] == &x.places[0]);
        assert_int_equal(n, 1);
    }
    in_reference_rows_free(r);
    release(&x);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_seek), cmocka_unit_test(test_little))
