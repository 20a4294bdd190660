/*
 * tests/unit/tfrec/test_histogram.c - quantiles against sorting, joining in any order, bins.
 */
#include "tfrec/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

enum { N = 5000 };

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

    return x < y ? -1 : x > y;
}

static void check(unsigned bits, bool exact)
{
    static uint64_t v[N];
    struct rec_histogram all = {.n = 0}, odd = {.n = 0}, even = {.n = 0};

    for (uint64_t i = 0; i < N; i++) {
        v[i] = t_hash64(i) >> (64 - bits);
        rec_histogram_add(&all, v[i]);
        rec_histogram_add(i % 2 ? &odd : &even, v[i]);
    }
    rec_histogram_join(&odd, &even);
    qsort(v, N, sizeof *v, by_value);
    assert_int_equal(rec_histogram_is_exact(&all), exact);
    assert_int_equal(all.min, v[0]);
    assert_int_equal(all.max, v[N - 1]);
    assert_int_equal(odd.sum, all.sum);
    for (int p = 1; p <= 100; p++) {
        uint64_t q = rec_histogram_quantile(&all, p / 100.0);
        uint64_t expected = v[(size_t) ceil(p / 100.0 * N) - 1];
        assert_int_equal(rec_histogram_quantile(&odd, p / 100.0), q);
        if (expected < REC_EXACT_SIZES)
            assert_int_equal(q, expected);
        assert_true(q <= expected && (double) (expected - q) <= 0.004 * (double) expected);
    }
    rec_histogram_release(&all);
    rec_histogram_release(&odd);
    rec_histogram_release(&even);
}

static void test_quantiles(void **state)
{
    (void) state;
    check(3, true);
    check(12, true);
    check(13, false);
    check(40, false);
    check(63, false);
}

static void test_empty(void **state)
{
    struct rec_histogram h = {.n = 0}, other = {.n = 0};
    uint64_t bins[3], width;

    (void) state;
    assert_int_equal(rec_histogram_quantile(&h, 0.5), 0);
    assert_true(isnan(rec_histogram_mean(&h)));
    assert_int_equal(rec_histogram_bins(&h, 0, bins, 3, &width), 0);
    rec_histogram_add(&other, 9);
    rec_histogram_join(&other, &h);
    rec_histogram_join(&h, &other);
    assert_int_equal(h.min, 9);
    assert_true(rec_histogram_mean(&h) == 9);
    rec_histogram_release(&h);
    rec_histogram_release(&other);
}

static void test_bins(void **state)
{
    struct rec_histogram h = {.n = 0};
    uint64_t bins[4], width;

    (void) state;
    for (uint64_t i = 10; i < 30; i++)
        rec_histogram_add(&h, i);
    rec_histogram_add(&h, 100000);
    assert_int_equal(rec_histogram_bins(&h, 29, bins, 4, &width), 4);
    assert_int_equal(width, 5);
    assert_int_equal(bins[0] + bins[1] + bins[2] + bins[3], 20);
    assert_int_equal(bins[3], 5);
    assert_int_equal(rec_histogram_bins(&h, 100000, bins, 4, &width), 4);
    assert_int_equal(bins[0], 20);
    assert_int_equal(bins[3], 1);
    rec_histogram_release(&h);
}

T_MAIN(cmocka_unit_test(test_quantiles), cmocka_unit_test(test_empty), cmocka_unit_test(test_bins))
