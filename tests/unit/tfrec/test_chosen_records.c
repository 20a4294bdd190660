/*
 * tests/unit/tfrec/test_chosen_records.c - the records with the smallest keys.
 */
#include <stdlib.h>

#include "tests/support/t.h"
#include "tfrec/chosen_records.h"

enum { N = 500 };

static int by_key(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void test_smallest(void **state)
{
    char path[] = "f";
    const struct tfr_input_file file = {.path = path};
    struct tfr_record records[N];
    const struct tfr_batch b = {.file = &file, .first = 10, .records = records, .n = N};
    uint64_t keys[N], sorted[N];

    (void) state;
    for (size_t i = 0; i < N; i++) {
        keys[i] = sorted[i] = t_hash64(i) % 100; /* with equal ones */
        records[i] = (struct tfr_record){t2_slice_of("payload"), 20 * i};
    }
    qsort(sorted, N, sizeof *sorted, by_key);
    for (size_t capacity = 0; capacity <= N + 1; capacity += capacity < 20 ? 1 : 97) {
        struct rec_keeper k = {.capacity = capacity};
        uint64_t kept[N];
        for (size_t i = 0; i < N; i++)
            rec_keep(&k, keys[i], &b, i);
        assert_int_equal(k.n, capacity < N ? capacity : N);
        for (size_t i = 0; i < k.n; i++) {
            kept[i] = k.kept[i].key;
            assert_int_equal(kept[i], keys[k.kept[i].number - 10]);
            assert_int_equal(k.kept[i].offset, 20 * (k.kept[i].number - 10));
        }
        qsort(kept, k.n, sizeof *kept, by_key);
        if (k.n > 0)
            assert_memory_equal(kept, sorted, k.n * sizeof *kept);
        rec_keeper_release(&k);
    }
}

T_MAIN(cmocka_unit_test(test_smallest))
