/*
 * tests/unit/base/test_hash.c - the 64-bit hash: stable, different for different input, mixed well.
 */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

    return (x > y) - (x < y);
}

static bool all_different(uint64_t *h, size_t n)
{
    qsort(h, n, sizeof *h, compare);
    for (size_t i = 1; i < n; i++) {
        if (h[i] == h[i - 1])
            return false;
    }
    return true;
}

/* Must never change: files may be named by it. */
static void test_values(void **state)
{
    (void) state;
    assert_true(t2_hash64("", 0, 0) == UINT64_C(0xe79d923e5f79d3ed));
    assert_true(t2_hash64("abc", 3, 0) == UINT64_C(0x386466985a27ac4d));
    assert_true(t2_hash64("abc", 3, 1) == UINT64_C(0xd4bd6efdcedd1577));
    assert_true(t2_hash64("0123456789012345678901234567890123456789", 40, 0) ==
                UINT64_C(0xe83c74d5968ab21b));
}

static void test_every_length_and_bit_counts(void **state)
{
    enum { MAX = 100 };
    uint8_t data[MAX];
    static uint64_t h[MAX * 8 + 1];

    (void) state;
    for (size_t n = 0; n < MAX; n++) {
        size_t k = 0;

        for (size_t i = 0; i < n; i++)
            data[i] = (uint8_t) t_hash64(i);
        h[k++] = t2_hash64(data, n, 0);
        for (size_t bit = 0; bit < n * 8; bit++) {
            data[bit / 8] ^= (uint8_t) (1 << bit % 8);
            h[k++] = t2_hash64(data, n, 0);
            data[bit / 8] ^= (uint8_t) (1 << bit % 8);
        }
        assert_true(all_different(h, k));
    }
}

static void test_zeros_of_different_length(void **state)
{
    static const uint8_t zeros[300];
    uint64_t h[300];

    (void) state;
    for (size_t n = 0; n < 300; n++)
        h[n] = t2_hash64(zeros, n, 0);
    assert_true(all_different(h, 300));
}

/* Each input bit flips each output bit about half of the time. */
static void test_avalanche(void **state)
{
    enum { TRIALS = 400, BYTES = 12 };

    (void) state;
    for (size_t bit = 0; bit < BYTES * 8; bit++) {
        int flips[64] = {0};

        for (uint64_t t = 0; t < TRIALS; t++) {
            uint64_t words[2] = {t_hash64(2 * t), t_hash64(2 * t + 1)}, difference;
            uint8_t data[BYTES];

            memcpy(data, words, BYTES);
            difference = t2_hash64(data, BYTES, 0);
            data[bit / 8] ^= (uint8_t) (1 << bit % 8);
            difference ^= t2_hash64(data, BYTES, 0);
            for (int o = 0; o < 64; o++)
                flips[o] += (int) (difference >> o & 1);
        }
        for (int o = 0; o < 64; o++)
            assert_in_range(flips[o], TRIALS / 2 - 60, TRIALS / 2 + 60); /* 6 sigma */
    }
}

static void test_reads_nothing_outside(void **state)
{
    (void) state;
    for (size_t n = 0; n < 80; n++) {
        uint8_t *end = t_guarded_alloc(n);

        memset(end, 1, n);
        assert_true(t2_hash64(end, n, 0) != 0);
        t_guarded_free(end, n);
    }
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_every_length_and_bit_counts),
       cmocka_unit_test(test_zeros_of_different_length), cmocka_unit_test(test_avalanche),
       cmocka_unit_test(test_reads_nothing_outside))
