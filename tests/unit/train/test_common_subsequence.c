/*
 * tests/unit/train/test_common_subsequence.c - against the table of Wagner and Fischer, over
 * several blocks of 64.
 */
#include "tests/support/t.h"
#include "train/eval/common_subsequence.h"

enum { MAX = 300 };

static uint64_t plain(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
    static uint64_t table[MAX + 1][MAX + 1];

    for (size_t i = 0; i <= n_a; i++)
        for (size_t k = 0; k <= n_b; k++) {
            if (i == 0 || k == 0)
                table[i][k] = 0;
            else if (a[i - 1] == b[k - 1])
                table[i][k] = table[i - 1][k - 1] + 1;
            else
                table[i][k] = table[i - 1][k] > table[i][k - 1] ? table[i - 1][k] : table[i][k - 1];
        }
    return table[n_a][n_b];
}

static void test_like_plain(void **state)
{
    static uint32_t a[MAX], b[MAX];
    struct ev_lcs *l = ev_lcs_new();

    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        size_t n_a = t_hash64(3 * seed) % (seed % 10 ? 80 : MAX);
        size_t n_b = t_hash64(3 * seed + 1) % (seed % 7 ? 80 : MAX);
        uint64_t kinds = 1 + t_hash64(3 * seed + 2) % 30;

        kinds = kinds < n_a + n_b ? kinds : n_a + n_b; /* numbers are below their number */
        for (size_t i = 0; i < n_a; i++)
            a[i] = (uint32_t) (t_hash64(seed * 1000 + i) % kinds);
        for (size_t i = 0; i < n_b; i++)
            b[i] = (uint32_t) (t_hash64(seed * 2000 + i) % kinds);
        assert_int_equal(ev_lcs(l, a, n_a, b, n_b), plain(a, n_a, b, n_b));
        if (kinds <= 2 * n_a)
            assert_int_equal(ev_lcs(l, a, n_a, a, n_a), n_a);
    }
    ev_lcs_free(l);
    ev_lcs_free(NULL);
}

T_MAIN(cmocka_unit_test(test_like_plain))
