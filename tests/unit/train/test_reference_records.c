/*
 * Tests of train/input/reference_records.c: every sample once an epoch, within reach of the
 * buffers, another order every epoch and for every seed.  Through batches: test_reference.c.
 */
#include "train/input/reference_records.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

enum { N = 5000, FILES = 20, PER_FILE = N / FILES };

static struct in_index index_of(void)
{
    struct in_index x = {.n = N, .places = t2_alloc(N, sizeof(struct in_place))};

    for (int f = 0; f < FILES; f++)
        t2_strs_push(&x.paths, "file");
    for (uint64_t i = 0; i < N; i++)
        x.places[i] = (struct in_place){(i / PER_FILE) << IN_OFFSET_BITS | i, 1, 1};
    return x;
}

static void read_epoch(struct in_reference_records *r, uint64_t order[N])
{
    static bool seen[N];
    uint64_t sample;
    int n = 0;

    memset(seen, 0, sizeof seen);
    while (in_reference_records_next(r, &sample)) {
        assert_true(n < N && sample < N && !seen[sample]);
        seen[sample] = true;
        order[n++] = sample;
    }
    assert_int_equal(n, N);
}

static void test_epochs(void **state)
{
    static uint64_t first[N], second[N], again[N];
    struct in_index x = index_of();
    struct in_reference_records r;
    bool files[FILES] = {0};
    int n_files = 0;

    (void) state;
    in_reference_records_init(&r, &x, 5);
    assert_int_equal(r.n_first, PER_FILE);
    read_epoch(&r, first);
    read_epoch(&r, second);
    assert_int_equal(r.epoch, 2);
    assert_memory_not_equal(first, second, sizeof first);
    in_reference_records_rewind(&r);
    read_epoch(&r, again);
    assert_memory_equal(first, again, sizeof first);
    /* the first record can be any of those that eight files and the buffer have let in */
    for (int i = 0; i < PER_FILE; i++)
        files[first[i] / PER_FILE] = true;
    for (int f = 0; f < FILES; f++)
        n_files += files[f];
    assert_true(n_files >= IN_REFERENCE_CYCLE - 1 && n_files <= IN_REFERENCE_CYCLE);
    in_reference_records_release(&r);

    in_reference_records_init(&r, &x, 6);
    read_epoch(&r, again);
    assert_memory_not_equal(first, again, sizeof first);
    in_reference_records_release(&r);
    t2_strs_release(&x.paths);
    t2_free(x.places);
}

T_MAIN(cmocka_unit_test(test_epochs))
