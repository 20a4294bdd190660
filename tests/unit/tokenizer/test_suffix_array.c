#include "tokenizer/suffix_array.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

static bool suffix_before(const uint32_t *t, int32_t n, int32_t a, int32_t b)
{
    while (a < n && b < n && t[a] == t[b]) {
        a++;
        b++;
    }
    return b < n && (a == n || t[a] < t[b]);
}

/* What the header says: symbols in common up to the first `last` and the limit. */
static uint32_t shared_plainly(const uint32_t *t, int32_t a, int32_t b, uint32_t last,
                               uint32_t limit)
{
    uint32_t h = 0;

    while (h < limit && t[a + (int32_t) h] == t[b + (int32_t) h])
        if (t[a + (int32_t) h++] == last)
            break;
    return h;
}

static void check(const uint32_t *t, int32_t n, uint32_t kinds, uint32_t limit)
{
    int32_t *order = calloc((size_t) n + 1, sizeof *order);
    uint32_t *shared = calloc((size_t) n + 1, sizeof *shared);
    uint8_t *seen = calloc((size_t) n + 1, 1);

    assert_non_null(order);
    assert_non_null(shared);
    assert_non_null(seen);
    tok_suffix_array(t, n, kinds, order);
    for (int32_t i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_int_equal(seen[order[i]]++, 0);
        if (i > 0)
            assert_true(suffix_before(t, n, order[i - 1], order[i]));
    }
    if (n > 0) {
        uint32_t last = t[n - 1];

        tok_suffix_shared(t, n, order, last, limit, shared);
        assert_int_equal(shared[order[0]], 0);
        for (int32_t i = 1; i < n; i++)
            assert_int_equal(shared[order[i]],
                             shared_plainly(t, order[i - 1], order[i], last, limit));
    }
    free(seen);
    free(shared);
    free(order);
}

static void test_small(void **state)
{
    static const uint32_t banana[] = {1, 0, 2, 0, 2, 0};
    int32_t order[6];

    (void) state;
    tok_suffix_array(banana, 6, 3, order);
    assert_int_equal(order[0], 5);
    assert_int_equal(order[1], 3);
    assert_int_equal(order[2], 1);
    assert_int_equal(order[3], 0);
    assert_int_equal(order[4], 4);
    assert_int_equal(order[5], 2);
    check(banana, 0, 3, UINT32_MAX);
    for (int32_t n = 1; n <= 6; n++)
        check(banana, n, 3, UINT32_MAX);
}

/* Every text of up to nine symbols of three kinds. */
static void test_all_short(void **state)
{
    (void) state;
    for (int32_t n = 1; n <= 8; n++) {
        uint32_t total = 1, t[8];

        for (int32_t i = 0; i < n; i++)
            total *= 3;
        for (uint32_t k = 0; k < total; k++) {
            uint32_t rest = k;

            for (int32_t i = 0; i < n; i++, rest /= 3)
                t[i] = rest % 3;
            check(t, n, 3, 1 + k % 4);
        }
    }
}

static void test_random(void **state)
{
    static const uint32_t kinds[] = {1, 2, 3, 10, 300, 5000};
    uint32_t t[3000];

    (void) state;
    for (uint64_t round = 0; round < 60; round++) {
        int32_t n = 1 + (int32_t) (t_hash64(round) % 3000);
        uint32_t k = kinds[round % 6];
        uint32_t period = round % 5 == 0 ? 7 : UINT32_MAX; /* repetitive too */

        for (int32_t i = 0; i < n; i++)
            t[i] = (uint32_t) (t_hash64(round * 65537 + (uint32_t) i % period) % k);
        check(t, n, k, round % 3 == 0 ? 5 : UINT32_MAX);
    }
}

/* Linear time whatever the text: a million equal symbols, and Fibonacci's text. */
static void test_long_repeats(void **state)
{
    enum { N = 1000000 };
    uint32_t *t = calloc(N, sizeof *t), *shared = calloc(N, sizeof *shared);
    int32_t *order = calloc(N, sizeof *order);
    size_t a = 1, b = 1;

    (void) state;
    assert_non_null(t);
    assert_non_null(shared);
    assert_non_null(order);
    for (int32_t i = 0; i < N - 1; i++)
        t[i] = 1;
    tok_suffix_array(t, N, 2, order);
    tok_suffix_shared(t, N, order, 0, UINT32_MAX, shared);
    for (int32_t i = 0; i < N; i++)
        assert_int_equal(order[i], N - 1 - i);
    assert_int_equal(shared[0], N - 2);
    t[0] = 1;
    while (b < N) { /* each text is the last one followed by the one before */
        size_t n = a < N - b ? a : N - b;

        memcpy(t + b, t, n * sizeof *t);
        if (b == 1)
            t[1] = 2;
        n = b;
        b += a;
        a = n;
    }
    t[N - 1] = 0;
    tok_suffix_array(t, N, 3, order);
    tok_suffix_shared(t, N, order, 0, UINT32_MAX, shared);
    for (int32_t i = 1; i < N; i += 1013) {
        uint32_t h = shared[order[i]];

        assert_memory_equal(t + order[i - 1], t + order[i], h * sizeof *t);
        assert_true(t[order[i - 1] + (int32_t) h] < t[order[i] + (int32_t) h]);
    }
    free(order);
    free(shared);
    free(t);
}

T_MAIN(cmocka_unit_test(test_small), cmocka_unit_test(test_all_short),
       cmocka_unit_test(test_random), cmocka_unit_test(test_long_repeats))
