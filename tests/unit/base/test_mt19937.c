/*
 * tests/unit/base/test_mt19937.c - the Mersenne Twister against values from CPython and NumPy.
 */
#include "base/mt19937.h"

#include <string.h>

#include "tests/support/t.h"

static void test_first_outputs(void **state)
{
    static const uint32_t expected[] = {997523187u, 584250048u, 1783926559u, 3050657107u};
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    for (int i = 0; i < 4; i++)
        assert_int_equal(t2_mt_u32(&mt), expected[i]);
}

/* The classical check value: the 10000th output for seed 5489, as in std::mt19937. */
static void test_ten_thousandth(void **state)
{
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_numpy(&mt, 5489);
    for (int i = 0; i < 9999; i++)
        (void) t2_mt_u32(&mt);
    assert_int_equal(t2_mt_u32(&mt), 4123659995u);
}

static void test_random(void **state)
{
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    assert_true(t2_mt_random(&mt) == 0.2322539622785994);
    assert_true(t2_mt_random(&mt) == 0.41535276703749935);
    assert_true(t2_mt_random(&mt) == 0.38019526502783474);
}

static void test_below(void **state)
{
    static const unsigned randint[] = {29, 17, 53, 90, 48, 85, 78, 22};
    static const char choice[] = "bbdfdfeb";
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    for (int i = 0; i < 8; i++)
        assert_int_equal(t2_mt_below(&mt, 100), randint[i]);
    t2_mt_seed_python(&mt, 429459);
    for (int i = 0; i < 8; i++)
        assert_int_equal("abcdefg"[t2_mt_below(&mt, 7)], choice[i]);
}

static void fill(uint32_t *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        items[i] = i;
}

static void test_shuffle_twice(void **state)
{
    static const uint32_t first[] = {8, 0, 7, 1, 4, 9, 5, 6, 2, 3};
    static const uint32_t second[] = {1, 7, 2, 6, 5, 8, 3, 4, 9, 0};
    uint32_t items[10];
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    fill(items, 10);
    t2_mt_shuffle_u32(&mt, items, 10);
    assert_memory_equal(items, first, sizeof items);
    fill(items, 10);
    t2_mt_shuffle_u32(&mt, items, 10);
    assert_memory_equal(items, second, sizeof items);
}

static void test_shuffle_of_short_lists(void **state)
{
    static const uint32_t three[] = {1, 2, 0}, two[] = {0, 1}, one[] = {0}, four[] = {1, 0, 2, 3};
    uint32_t items[4];
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    t2_mt_shuffle_u32(&mt, items, 0);
    fill(items, 3);
    t2_mt_shuffle_u32(&mt, items, 3);
    assert_memory_equal(items, three, sizeof three);
    fill(items, 2);
    t2_mt_shuffle_u32(&mt, items, 2);
    assert_memory_equal(items, two, sizeof two);
    fill(items, 1);
    t2_mt_shuffle_u32(&mt, items, 1);
    assert_memory_equal(items, one, sizeof one);
    fill(items, 4);
    t2_mt_shuffle_u32(&mt, items, 4);
    assert_memory_equal(items, four, sizeof four);
}

static void test_shuffle_u64_and_another_seed(void **state)
{
    static const uint64_t expected[] = {5, 8, 2, 6, 1, 9, 7, 4, 3, 0};
    uint64_t items[10];
    struct t2_mt mt;

    (void) state;
    for (uint64_t i = 0; i < 10; i++)
        items[i] = i;
    t2_mt_seed_python(&mt, 7531);
    t2_mt_shuffle_u64(&mt, items, 10);
    assert_memory_equal(items, expected, sizeof items);
}

/* Seeds and bounds above 32 bits, from CPython 3.11. */
static void test_more_than_32_bits(void **state)
{
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, UINT64_C(0));
    assert_true(t2_mt_below(&mt, UINT64_C(1)) == UINT64_C(0));
    assert_true(t2_mt_below(&mt, UINT64_C(8589934592)) == UINT64_C(1806341205));
    assert_true(t2_mt_below(&mt, UINT64_C(1000000000000000)) == UINT64_C(547108014974562));
    assert_true(t2_mt_below(&mt, UINT64_C(18446744073709551615)) == UINT64_C(16938433693753131896));
    assert_true(t2_mt_below(&mt, UINT64_C(4294967296)) == UINT64_C(2046968324));
    t2_mt_seed_python(&mt, UINT64_C(12345678901234567890));
    assert_true(t2_mt_below(&mt, UINT64_C(1)) == UINT64_C(0));
    assert_true(t2_mt_below(&mt, UINT64_C(8589934592)) == UINT64_C(7955325725));
    assert_true(t2_mt_below(&mt, UINT64_C(1000000000000000)) == UINT64_C(592002632757180));
    assert_true(t2_mt_below(&mt, UINT64_C(18446744073709551615)) == UINT64_C(10540582179027566562));
    assert_true(t2_mt_below(&mt, UINT64_C(4294967296)) == UINT64_C(2048063850));
}

static void test_skip_shuffle(void **state)
{
    uint32_t items[1000] = {0};
    struct t2_mt a, b;

    (void) state;
    t2_mt_seed_python(&a, 5);
    t2_mt_seed_python(&b, 5);
    for (uint64_t n = 0; n < 1000; n += 37) {
        t2_mt_shuffle_u32(&a, items, n);
        t2_mt_skip_shuffle(&b, n);
        assert_int_equal(t2_mt_u32(&a), t2_mt_u32(&b));
    }
}

T_MAIN(cmocka_unit_test(test_skip_shuffle), cmocka_unit_test(test_first_outputs),
       cmocka_unit_test(test_ten_thousandth), cmocka_unit_test(test_random),
       cmocka_unit_test(test_below), cmocka_unit_test(test_shuffle_twice),
       cmocka_unit_test(test_shuffle_of_short_lists),
       cmocka_unit_test(test_shuffle_u64_and_another_seed),
       cmocka_unit_test(test_more_than_32_bits))
