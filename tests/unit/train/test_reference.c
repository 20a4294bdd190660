/*
 * Tests of train/input/reference.c: every sample once an epoch but for buckets' rests, the buffers'
 * reach, resuming.
 */
#include "train/input/reference.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

/* n samples over n_files files, of lengths 1 .. 20. */
static struct in_index index_of(uint64_t n, uint64_t n_files)
{
    struct in_index x = {.n = n, .places = t2_alloc((size_t) n, sizeof(struct in_place))};

    for (uint64_t f = 0; f < n_files; f++)
        t2_strs_push(&x.paths, "file");
    for (uint64_t i = 0; i < n; i++)
        x.places[i] = (struct in_place){(i * n_files / n) << IN_OFFSET_BITS | i,
                                        1 + (int32_t) (t_hash64(i) % 20), 1};
    return x;
}

static void release(struct in_index *x)
{
    t2_strs_release(&x->paths);
    t2_free(x->places);
}

static struct in_scheme scheme_of(int64_t batch_size)
{
    struct in_scheme s;

    assert_int_equal(in_scheme_new(batch_size, 20, 8, 1.1, true, 1, 1, 0, &s, &err), T2_OK);
    return s;
}

/* Batches are of one bucket and full; no sample comes a second time much before all have come. */
static void test_samples(void **state)
{
    enum { N = 5000 };
    struct in_index x = index_of(N, 13);
    struct in_scheme s = scheme_of(200);
    struct in_reference *r = in_reference_new(&x, &s, 4, 11);
    static unsigned count[N];
    unsigned least = 100, most = 0;
    int32_t n;

    (void) state;
    memset(count, 0, sizeof count);
    while (in_reference_samples(r) < 10 * N) {
        const uint64_t *batch = in_reference_next(r, &n);
        int bucket = in_scheme_bucket(&s, x.places[batch[0]].inputs_length);

        assert_int_equal(n, s.batch_sizes[bucket]);
        for (int32_t i = 0; i < n; i++) {
            assert_true(batch[i] < N);
            assert_int_equal(in_scheme_bucket(&s, x.places[batch[i]].inputs_length), bucket);
            count[batch[i]]++;
        }
    }
    for (int i = 0; i < N; i++) {
        least = count[i] < least ? count[i] : least;
        most = count[i] > most ? count[i] : most;
    }
    assert_true(least >= 9 && most <= 11);
    in_reference_free(r);
    in_reference_free(NULL);
    in_scheme_release(&s);
    release(&x);
}

/* The epoch of a sample is how often it came before; the one that is skipped at the beginning,
 * too. */
static void test_epochs(void **state)
{
    enum { N = 3000 };
    struct in_index x = index_of(N, 5);
    struct in_scheme s = scheme_of(200);
    struct in_reference *r = in_reference_new(&x, &s, 4, 11);
    static bool seen[8][N];
    int32_t n;

    (void) state;
    while (in_reference_samples(r) < 6 * N) {
        const uint64_t *batch = in_reference_next(r, &n), *epochs = in_reference_epochs(r);

        for (int32_t i = 0; i < n; i++) {
            assert_true(epochs[i] < 8 && !seen[epochs[i]][batch[i]]);
            seen[epochs[i]][batch[i]] = true;
        }
    }
    for (int i = 0; i < N; i++)
        for (int epoch = 1; epoch < 4; epoch++)
            assert_true(seen[epoch][i]);
    in_reference_free(r);
    in_scheme_release(&s);
    release(&x);
}

/* What comes first lies within the reach of the record buffer: 8 files in turn, 1024 records, and
 * the skip of one file at most. */
static void test_reach_of_the_buffers(void **state)
{
    enum { N = 40000, FILES = 20 };
    struct in_index x = index_of(N, FILES);
    struct in_scheme s = scheme_of(200);
    struct in_reference *r = in_reference_new(&x, &s, 0, 3);
    bool seen[FILES] = {false};
    int n_files = 0;
    int32_t n;

    (void) state;
    while (in_reference_samples(r) < 2000) {
        const uint64_t *batch = in_reference_next(r, &n);

        for (int32_t i = 0; i < n; i++) {
            uint64_t file = x.places[batch[i]].at >> IN_OFFSET_BITS;

            n_files += !seen[file];
            seen[file] = true;
        }
    }
    assert_int_equal(n_files, 8);
    in_reference_free(r);
    in_scheme_release(&s);
    release(&x);
}

static uint64_t digest(struct in_reference *r, int n_batches)
{
    uint64_t h = 0;
    int32_t n;

    for (int i = 0; i < n_batches; i++) {
        const uint64_t *batch = in_reference_next(r, &n);

        for (int32_t k = 0; k < n; k++)
            h = t_hash64(h ^ batch[k]);
    }
    return h;
}

static void test_seek(void **state)
{
    struct in_index x = index_of(300, 3);
    struct in_scheme s = scheme_of(100);
    struct in_reference *r = in_reference_new(&x, &s, 16, 3), *q = in_reference_new(&x, &s, 16, 4);
    uint64_t at, after;

    (void) state;
    assert_int_not_equal(digest(r, 20), digest(q, 20)); /* seeds */
    in_reference_free(q);
    at = in_reference_samples(r);
    after = digest(r, 90);
    q = in_reference_new(&x, &s, 16, 3);
    assert_int_equal(in_reference_seek(q, at, &err), T2_OK);
    assert_int_equal(in_reference_samples(q), at);
    assert_int_equal(digest(q, 90), after);
    assert_int_equal(in_reference_seek(q, at, &err), T2_OK); /* back */
    assert_int_equal(digest(q, 90), after);
    assert_int_equal(in_reference_seek(q, 1, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is inside a batch");
    assert_int_equal(in_reference_seek(q, UINT64_MAX, &err), T2_EFORMAT);
    in_reference_free(r);
    in_reference_free(q);
    in_scheme_release(&s);
    release(&x);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_epochs),
       cmocka_unit_test(test_reach_of_the_buffers), cmocka_unit_test(test_seek))
