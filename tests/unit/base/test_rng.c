/*
 * tests/unit/base/test_rng.c - Philox against Random123's vectors; streams, distributions,
 * permutations.
 */
#include "base/box_muller.h"
#include "base/hash.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static void check_philox(const uint32_t counter[4], const uint32_t key[2],
                         const uint32_t expected[4])
{
    uint32_t out[4];

    t2_philox(counter, key, out);
    assert_memory_equal(out, expected, sizeof out);
}

/* kat_vectors of Random123, philox4x32 10. */
static void test_known_answers(void **state)
{
    static const uint32_t zero[4] = {0, 0, 0, 0},
                          ones[4] = {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                          pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                          pi_key[2] = {0xa4093822, 0x299f31d0};
    static const uint32_t from_zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                          from_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                          from_pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};

    (void) state;
    check_philox(zero, zero, from_zero);
    check_philox(ones, ones, from_ones);
    check_philox(pi, pi_key, from_pi);
}

/* The mapping of a stream's name is part of the reproducibility contract (rng.c). */
static void test_stream_mapping(void **state)
{
    struct t2_rng r;
    uint32_t key[2], out[4], second[4];

    (void) state;
    t2_rng_init(&r, 1, T2_RNG_TEST, UINT64_C(0x123456789abc), UINT64_C(0xdef011223344));
    t2_rng_key(1, T2_RNG_TEST, key);
    assert_memory_equal(r.key, key, sizeof key);
    t2_philox((const uint32_t[4]){0, 0x56789abc, 0x11223344, 0x1234def0}, key, out);
    t2_philox((const uint32_t[4]){1, 0x56789abc, 0x11223344, 0x1234def0}, key, second);
    for (int i = 0; i < 4; i++)
        assert_int_equal(t2_rng_u32(&r), out[i]);
    assert_true(t2_rng_u64(&r) == ((uint64_t) second[1] << 32 | second[0]));
}

static void test_key_value(void **state)
{
    uint32_t key[2];

    (void) state;
    t2_rng_key(0, (enum t2_purpose) 0, key); /* splitmix64(0) */
    assert_int_equal(key[0], 0x7b1dcdaf);
    assert_int_equal(key[1], 0xe220a839);
}

static void test_streams_differ(void **state)
{
    static const uint64_t big = UINT64_C(1) << 40;
    const struct {
        uint64_t seed;
        enum t2_purpose purpose;
        uint64_t step, index;
    } names[] = {{0, T2_RNG_INIT, 0, 0},   {1, T2_RNG_INIT, 0, 0},   {0, T2_RNG_DROPOUT, 0, 0},
                 {0, T2_RNG_INIT, 1, 0},   {0, T2_RNG_INIT, 0, 1},   {0, T2_RNG_INIT, big, 0},
                 {0, T2_RNG_INIT, 0, big}, {big, T2_RNG_INIT, 0, 0}, {0, T2_RNG_INIT, big, big}};
    enum { N = sizeof names / sizeof *names };
    uint64_t first[N];

    (void) state;
    for (size_t i = 0; i < N; i++) {
        struct t2_rng r;

        t2_rng_init(&r, names[i].seed, names[i].purpose, names[i].step, names[i].index);
        first[i] = t2_rng_u64(&r);
        for (size_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

static void test_uniform(void **state)
{
    enum { N = 100000 };
    double sum = 0, square = 0, sum_d = 0;
    struct t2_rng r;

    (void) state;
    t2_rng_init(&r, 7, T2_RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++) {
        float u = t2_rng_uniform(&r);
        double d = t2_rng_uniform_double(&r);

        assert_true(u >= 0 && u < 1 && d >= 0 && d < 1);
        sum += (double) u;
        square += (double) u * (double) u;
        sum_d += d;
    }
    assert_true(fabs(sum / N - 0.5) < 0.005);
    assert_true(fabs(sum_d / N - 0.5) < 0.005);
    assert_true(fabs(square / N - 1.0 / 3) < 0.005);
}

static void test_normal(void **state)
{
    enum { N = 100000 };
    double sum = 0, square = 0, cube = 0, fourth = 0;
    struct t2_rng r;

    (void) state;
    t2_rng_init(&r, 7, T2_RNG_TEST, 1, 0);
    for (int i = 0; i < N; i++) {
        double x = t2_rng_normal(&r);

        sum += x;
        square += x * x;
        cube += x * x * x;
        fourth += x * x * x * x;
    }
    assert_true(fabs(sum / N) < 0.015);
    assert_true(fabs(square / N - 1) < 0.025);
    assert_true(fabs(cube / N) < 0.06);
    assert_true(fabs(fourth / N - 3) < 0.2);
}

static void test_seek(void **state)
{
    struct t2_rng all, part;
    double x[9];

    (void) state;
    t2_rng_init(&all, 5, T2_RNG_TEST, 3, 9);
    part = all;
    for (int i = 0; i < 9; i++)
        x[i] = t2_rng_normal(&all);
    for (int first = 8; first >= 0; first--) {
        t2_rng_seek(&part, (uint64_t) first);
        for (int i = first; i < 9; i++)
            assert_true(t2_rng_normal(&part) == x[i]);
    }
}

/* Words at the ends, around powers of two and quarters of a turn, and some of all sizes. */
static uint32_t some_word(uint32_t i)
{
    static const uint32_t ends[] = {0,          1,          0x3fffffff, 0x40000000,
                                    0x40000001, 0x7fffffff, 0x80000000, 0x80000001,
                                    0xbfffffff, 0xc0000000, 0xfffffffe, 0xffffffff};
    enum { ENDS = sizeof ends / sizeof *ends };

    if (i < ENDS)
        return ends[i];
    i -= ENDS;
    if (i < 32)
        return UINT32_C(1) << i;
    return (uint32_t) t2_hash64(&i, sizeof i, 0) >> i % 32;
}

static void test_box_muller_is_as_libm(void **state)
{
    enum { N = 20000 };

    (void) state;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t w = some_word(i);
        double ln = log(((double) w + 0.5) * 0x1p-32);
        double cosine = cos((double) w * 0x1p-32 * 6.283185307179586477);

        assert_true(fabs(t2_ln_of_word(w) - ln) <= 5e-16 * fabs(ln));
        /* the angle there is rounded, at most by 4.5e-16 */
        assert_true(fabs(t2_cos_of_word(w) - cosine) <= 7e-16);
    }
    assert_true(t2_cos_of_word(0) == 1.0 && t2_cos_of_word(UINT32_C(1) << 30) == 0.0);
}

/* From any word of a block and of any length: the numbers one by one, and the same stream after. */
static void test_many_are_one_by_one(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 127, 128, 129, 131, 1000};
    double x[1000], u[1000];

    (void) state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int skipped = 0; skipped < 5; skipped++) {
            size_t n = lengths[l];
            struct t2_rng one, many;

            t2_rng_init(&one, 11, T2_RNG_TEST, 5, n);
            for (int i = 0; i < skipped; i++)
                t2_rng_u32(&one);
            many = one;
            t2_rng_normals(&many, x, n);
            t2_rng_uniform_doubles(&many, u, n);
            for (size_t i = 0; i < n; i++)
                assert_true(x[i] == t2_rng_normal(&one));
            for (size_t i = 0; i < n; i++)
                assert_true(u[i] == t2_rng_uniform_double(&one));
            assert_int_equal(t2_rng_u32(&many), t2_rng_u32(&one));
        }
}

static void test_below(void **state)
{
    enum { N = 70000 };
    int count[7] = {0};
    struct t2_rng r;
    uint64_t n = UINT64_C(3) << 62, low = 0;

    (void) state;
    t2_rng_init(&r, 7, T2_RNG_TEST, 2, 0);
    for (int i = 0; i < N; i++)
        count[t2_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(count[i], 9500, 10500);
    assert_int_equal(t2_rng_below(&r, 1), 0);
    /* Three quarters of 2^64: without rejection every third value comes twice as often. */
    for (int i = 0; i < 3000; i++) {
        uint64_t v = t2_rng_below(&r, n);

        assert_true(v < n);
        low += v % 3 == 0;
    }
    assert_in_range(low, 900, 1100);
}

static void check_permutation(uint64_t n, uint64_t seed)
{
    static uint8_t seen[5000];
    struct t2_perm p;

    memset(seen, 0, sizeof seen);
    t2_perm_init(&p, n, seed, T2_RNG_ORDER, 3);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t v = t2_perm_at(&p, i);

        assert_true(v < n);
        assert_int_equal(seen[v], 0);
        seen[v] = 1;
    }
}

static void test_permutations_are_complete(void **state)
{
    (void) state;
    for (uint64_t n = 1; n < 70; n++)
        check_permutation(n, n);
    check_permutation(255, 1);
    check_permutation(256, 1);
    check_permutation(257, 1);
    check_permutation(4096, 1);
    check_permutation(4097, 1);
    check_permutation(5000, 1);
}

static void test_permutation_of_a_huge_range(void **state)
{
    uint64_t n = UINT64_MAX, a, b;
    struct t2_perm p;

    (void) state;
    t2_perm_init(&p, n, 5, T2_RNG_ORDER, 0);
    a = t2_perm_at(&p, 0);
    b = t2_perm_at(&p, n - 1);
    assert_true(a < n && b < n && a != b);
    assert_true(a > 1000 && b > 1000);
}

/* All orders of three, about equally often. */
static void test_permutations_are_fair(void **state)
{
    enum { N = 6000 };
    int count[27] = {0}, orders = 0;

    (void) state;
    for (uint64_t seed = 0; seed < N; seed++) {
        struct t2_perm p;

        t2_perm_init(&p, 3, seed, T2_RNG_ORDER, 0);
        count[t2_perm_at(&p, 0) * 9 + t2_perm_at(&p, 1) * 3 + t2_perm_at(&p, 2)]++;
    }
    for (int i = 0; i < 27; i++) {
        if (count[i] == 0)
            continue;
        orders++;
        assert_in_range(count[i], N / 6 - 150, N / 6 + 150);
    }
    assert_int_equal(orders, 6);
}

/* Neighbours do not stay neighbours, and every place gets every part of the range. */
static void test_permutation_mixes(void **state)
{
    enum { N = 10000 };
    double mean = 0;
    int near = 0;
    struct t2_perm p;

    (void) state;
    t2_perm_init(&p, N, 1, T2_RNG_ORDER, 0);
    for (uint64_t i = 0; i < N - 1; i++) {
        double d = (double) t2_perm_at(&p, i + 1) - (double) t2_perm_at(&p, i);

        near += fabs(d) <= 5;
        mean += fabs(d) / N;
    }
    assert_true(near < 30); /* 10 expected */
    assert_true(fabs(mean - N / 3.0) < N / 50.0);
}

static void test_permutation_depends_on_its_name(void **state)
{
    struct t2_perm a, b, c, d;
    int same_b = 0, same_c = 0, same_d = 0;

    (void) state;
    t2_perm_init(&a, 1000, 1, T2_RNG_ORDER, 0);
    t2_perm_init(&b, 1000, 2, T2_RNG_ORDER, 0);
    t2_perm_init(&c, 1000, 1, T2_RNG_ORDER, 1);
    t2_perm_init(&d, 1000, 1, T2_RNG_TEST, 0);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t v = t2_perm_at(&a, i);

        same_b += v == t2_perm_at(&b, i);
        same_c += v == t2_perm_at(&c, i);
        same_d += v == t2_perm_at(&d, i);
    }
    assert_true(same_b < 10 && same_c < 10 && same_d < 10);
}

T_MAIN(cmocka_unit_test(test_known_answers), cmocka_unit_test(test_stream_mapping),
       cmocka_unit_test(test_key_value), cmocka_unit_test(test_streams_differ),
       cmocka_unit_test(test_uniform), cmocka_unit_test(test_normal), cmocka_unit_test(test_seek),
       cmocka_unit_test(test_box_muller_is_as_libm), cmocka_unit_test(test_many_are_one_by_one),
       cmocka_unit_test(test_below), cmocka_unit_test(test_permutations_are_complete),
       cmocka_unit_test(test_permutation_of_a_huge_range),
       cmocka_unit_test(test_permutations_are_fair), cmocka_unit_test(test_permutation_mixes),
       cmocka_unit_test(test_permutation_depends_on_its_name))
