#include "tests/support/t.h"
#include "vocab/length_histogram.h"

static void test_empty(void **state)
{
    struct voc_lengths *h = voc_lengths_new();

    (void) state;
    assert_int_equal(voc_lengths_count(h), 0);
    assert_int_equal(voc_lengths_percentile(h, 500), 0);
    assert_int_equal(voc_lengths_percentile(h, 1000), 0);
    assert_int_equal(voc_lengths_at_most(h, 65535), 0);
    voc_lengths_free(h);
    voc_lengths_free(NULL);
}

/* Nearest rank: with 1 ... 1000, per mille p is p. */
static void test_percentiles(void **state)
{
    struct voc_lengths *h = voc_lengths_new();

    (void) state;
    for (uint64_t i = 1000; i >= 1; i--)
        voc_lengths_add(h, i);
    for (unsigned p = 1; p <= 1000; p++)
        assert_int_equal(voc_lengths_percentile(h, p), p);
    assert_int_equal(voc_lengths_percentile(h, 0), 1);
    assert_int_equal(voc_lengths_at_most(h, 0), 0);
    assert_int_equal(voc_lengths_at_most(h, 63), 63);
    assert_int_equal(voc_lengths_at_most(h, 2000), 1000);
    voc_lengths_add(h, 0);
    assert_int_equal(voc_lengths_at_most(h, 0), 1);
    assert_int_equal(voc_lengths_percentile(h, 500), 500);
    voc_lengths_free(h);
}

static void test_one(void **state)
{
    struct voc_lengths *h = voc_lengths_new();

    (void) state;
    voc_lengths_add(h, 7);
    assert_int_equal(voc_lengths_percentile(h, 0), 7);
    assert_int_equal(voc_lengths_percentile(h, 999), 7);
    voc_lengths_free(h);
}

/* Long ones: within 1/512, never below what was seen, the longest exact. */
static void test_long(void **state)
{
    struct voc_lengths *h = voc_lengths_new();

    (void) state;
    for (uint64_t length = 65535; length < UINT64_MAX / 3; length = length * 3 / 2)
        voc_lengths_add(h, length);
    assert_int_equal(voc_lengths_at_most(h, 65535), 1);
    for (unsigned p = 0; p <= 1000; p += 50) {
        uint64_t n = voc_lengths_count(h), rank = (n * p + 999) / 1000, length = 65535;
        for (uint64_t i = 1; i < rank; i++)
            length = length * 3 / 2;
        assert_int_equal(voc_lengths_percentile(h, p), length); /* one in each step */
    }
    voc_lengths_add(h, 65536);
    voc_lengths_add(h, 65537);                              /* the same step */
    assert_int_equal(voc_lengths_percentile(h, 30), 65537); /* the third of 82 */
    voc_lengths_add(h, UINT64_MAX);
    assert_true(voc_lengths_percentile(h, 1000) == UINT64_MAX);
    voc_lengths_free(h);
}

static void test_join(void **state)
{
    struct voc_lengths *a = voc_lengths_new(), *b = voc_lengths_new(), *all = voc_lengths_new();

    (void) state;
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t length = i * i * 7 % 200000;
        voc_lengths_add(i % 3 ? a : b, length);
        voc_lengths_add(all, length);
    }
    voc_lengths_join(a, b);
    assert_int_equal(voc_lengths_count(a), 5000);
    for (unsigned p = 0; p <= 1000; p++)
        assert_int_equal(voc_lengths_percentile(a, p), voc_lengths_percentile(all, p));
    voc_lengths_free(a);
    voc_lengths_free(b);
    voc_lengths_free(all);
}

T_MAIN(cmocka_unit_test(test_empty), cmocka_unit_test(test_percentiles), cmocka_unit_test(test_one),
       cmocka_unit_test(test_long), cmocka_unit_test(test_join))
