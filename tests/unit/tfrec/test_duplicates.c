/*
 * tests/unit/tfrec/test_duplicates.c - exact within memory, a fair estimate beyond.
 */
#include "tfrec/duplicates.h"

#include "tests/support/t.h"

/* n records of n_different payloads. */
static uint64_t count(uint64_t n, uint64_t n_different, uint64_t memory, bool *exact,
                      uint64_t *most)
{
    struct rec_duplicates *d = rec_duplicates_new(memory);
    uint64_t result;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t payload = i % n_different;
        struct rec_hash128 h =
            rec_hash128((struct t2_slice){(const uint8_t *) &payload, sizeof payload});
        rec_duplicates_add(d, &h, 1);
    }
    result = rec_duplicates_count(d, exact, most);
    rec_duplicates_free(d);
    return result;
}

static void test_count(void **state)
{
    bool exact;
    uint64_t most;

    (void) state;
    assert_int_equal(count(0, 1, 0, &exact, &most), 0);
    assert_int_equal(most, 0);
    assert_int_equal(count(10, 10, 0, &exact, &most), 0);
    assert_int_equal(most, 1);
    assert_int_equal(count(10000, 700, 0, &exact, &most), 9300);
    assert_true(exact);
    assert_int_equal(most, 15);
    assert_int_equal(count(100000, 50000, 16 << 20, &exact, &most), 50000);
    assert_true(exact);
    uint64_t about = count(100000, 50000, 0, &exact, &most);
    assert_false(exact);
    assert_true(about > 44000 && about < 56000);
    rec_duplicates_free(NULL);
}

static void test_hash(void **state)
{
    struct rec_hash128 a = rec_hash128(t2_slice_of("a")), b = rec_hash128(t2_slice_of("b"));

    (void) state;
    assert_true(a.a != b.a && a.b != b.b && a.a != a.b);
}

T_MAIN(cmocka_unit_test(test_count), cmocka_unit_test(test_hash))
