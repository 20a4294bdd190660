/*
 * tests/unit/base/test_radix_sort.c - keys rise, and equal ones stay in their order.
 */
#include "base/radix_sort.h"

#include "base/alloc.h"
#include "tests/support/t.h"

struct small {
    uint64_t key;
    uint32_t place, unused;
};

struct large {
    uint64_t key;
    size_t place;
    uint64_t rest[3];
};

/* Keys with few values, with all bits, and alike but for one byte. */
static uint64_t key_of(int kind, size_t i)
{
    uint64_t x = t_hash64(i + 1);

    return kind == 0 ? x % 3 : kind == 1 ? x : (x & 0xff0000) | 0x7700000000000005;
}

static void test_order(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 47, 48, 1000};

    (void) state;
    for (int kind = 0; kind < 3; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t n = sizes[s];
            struct small *a = t2_alloc(n + 1, sizeof *a), *a_spare = t2_alloc(n + 1, sizeof *a);
            struct large *b = t2_alloc(n + 1, sizeof *b), *b_spare = t2_alloc(n + 1, sizeof *b);

            for (size_t i = 0; i < n; i++) {
                a[i] = (struct small){.key = key_of(kind, i), .place = (uint32_t) i};
                b[i] = (struct large){.key = key_of(kind, i), .place = i, .rest = {i, i, ~i}};
            }
            t2_radix_sort(a, n, sizeof *a, a_spare);
            t2_radix_sort(b, n, sizeof *b, b_spare);
            for (size_t i = 0; i < n; i++) {
                assert_true(a[i].key == key_of(kind, a[i].place));
                assert_true(b[i].key == a[i].key && b[i].place == a[i].place);
                assert_true(b[i].rest[0] == b[i].place && b[i].rest[2] == ~b[i].place);
                if (i > 0)
                    assert_true(a[i - 1].key < a[i].key ||
                                (a[i - 1].key == a[i].key && a[i - 1].place < a[i].place));
            }
            t2_free(a);
            t2_free(b);
            t2_free(a_spare);
            t2_free(b_spare);
        }
}

T_MAIN(cmocka_unit_test(test_order))
