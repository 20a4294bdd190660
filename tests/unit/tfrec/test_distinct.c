/*
 * tests/unit/tfrec/test_distinct.c - exact, then estimated; the same however the values are spread.
 */
#include "tfrec/distinct.h"

#include <stdlib.h>

#include "tests/support/t.h"

static int by_key(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* n different keys, each several times, over three parts that are joined in the given order. */
static uint64_t count(uint64_t n, size_t limit, size_t dense, const int order[3], bool *exact)
{
    struct rec_distinct parts[3], all;
    uint64_t result;

    for (int i = 0; i < 3; i++)
        rec_distinct_init(&parts[i], limit, dense);
    rec_distinct_init(&all, limit, dense);
    for (uint64_t i = 0; i < 3 * n; i++)
        rec_distinct_add(&parts[t_hash64(i) % 3], i % n < 50 ? i % n : t_hash64(i % n));
    for (int i = 0; i < 3; i++)
        rec_distinct_join(&all, &parts[order[i]]);
    rec_distinct_finish(&all);
    result = rec_distinct_count(&all, exact);
    for (int i = 0; i < 3; i++)
        rec_distinct_release(&parts[i]);
    rec_distinct_release(&all);
    return result;
}

static void test_count(void **state)
{
    static const int forth[] = {0, 1, 2}, back[] = {2, 0, 1};
    bool exact;

    (void) state;
    assert_int_equal(count(1000, 1000, 64, forth, &exact), 1000);
    assert_true(exact);
    assert_int_equal(count(1000, 1000, 0, back, &exact), 1000);
    assert_true(exact);
    uint64_t n = count(200000, 4096, 64, forth, &exact);
    assert_false(exact);
    assert_true(n > 190000 && n < 210000);
    assert_int_equal(count(200000, 4096, 64, back, &exact), n);
    assert_int_equal(count(200000, 4096, 1 << 16, back, &exact), n);
}

static void test_shrink(void **state)
{
    static const int forth[] = {0, 1, 2};
    struct rec_distinct d;
    bool exact;

    (void) state;
    rec_distinct_init(&d, 8192, 1024);
    for (uint64_t i = 0; i < 5000; i++)
        rec_distinct_add(&d, i < 50 ? i : t_hash64(i));
    rec_distinct_shrink(&d, 512, 16);
    rec_distinct_finish(&d);
    assert_int_equal(rec_distinct_count(&d, &exact), count(5000, 512, 16, forth, &exact));
    assert_false(exact);
    rec_distinct_release(&d);
}

static void test_top(void **state)
{
    struct rec_distinct d;
    struct rec_counted top[3];
    bool exact;

    (void) state;
    rec_distinct_init(&d, 100, 10);
    for (uint64_t key = 0; key < 40; key++) {
        for (uint64_t k = 0; k < (key == 7 ? 9 : key == 30 || key == 20 ? 5 : 1); k++)
            rec_distinct_add(&d, key);
    }
    rec_distinct_finish(&d);
    assert_int_equal(rec_distinct_count(&d, &exact), 40);
    assert_int_equal(rec_distinct_top(&d, top, 3, by_key), 3);
    assert_int_equal(top[0].key, 7);
    assert_int_equal(top[0].count, 9);
    assert_int_equal(top[1].key, 20);
    assert_int_equal(top[2].key, 30);
    assert_int_equal(rec_distinct_top(&d, top, 0, by_key), 0);
    rec_distinct_release(&d);
}

T_MAIN(cmocka_unit_test(test_count), cmocka_unit_test(test_shrink), cmocka_unit_test(test_top))
