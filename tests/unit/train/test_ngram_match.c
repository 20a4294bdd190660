/*
 * tests/unit/train/test_ngram_match.c - clipped matches against comparing every n-gram with every
 * other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/ngram_match.h"

enum { MAX_TOKENS = 600 };

/* Matches of order n: each n-gram of the hypothesis takes one equal one of the reference. */
static uint64_t plain_matches(const int *h, int n_h, const int *r, int n_r, int n)
{
    static char taken[MAX_TOKENS];
    uint64_t matches = 0;

    memset(taken, 0, sizeof taken);
    for (int i = 0; i + n <= n_h; i++)
        for (int k = 0; k + n <= n_r; k++)
            if (!taken[k] && memcmp(h + i, r + k, (size_t) n * sizeof *h) == 0) {
                taken[k] = 1;
                matches++;
                break;
            }
    return matches;
}

static void text_of(const int *tokens, int n, struct t2_buf *text)
{
    t2_buf_clear(text);
    for (int i = 0; i < n; i++)
        t2_buf_printf(text, i ? " t%d" : "t%d", tokens[i]);
}

static void check(struct ev_ngrams *g, const int *h, int n_h, const int *r, int n_r)
{
    struct ev_ngram_counts counts = {0, 0, {0}, {0}};
    struct t2_buf hypothesis = {NULL, 0, 0}, reference = {NULL, 0, 0};

    text_of(h, n_h, &hypothesis);
    text_of(r, n_r, &reference);
    ev_ngrams_add(g, t2_buf_slice(&hypothesis), t2_buf_slice(&reference), &counts);
    assert_int_equal(counts.hypothesis_length, n_h);
    assert_int_equal(counts.reference_length, n_r);
    for (int k = 0; k < EV_NGRAM_ORDER; k++) {
        assert_int_equal(counts.possible[k], n_h > k ? n_h - k : 0);
        assert_int_equal(counts.matches[k], plain_matches(h, n_h, r, n_r, k + 1));
    }
    t2_buf_release(&hypothesis);
    t2_buf_release(&reference);
}

/* All lengths around the sizes of the tables, few and many different tokens, one table for all. */
static void test_like_plain(void **state)
{
    static int h[MAX_TOKENS], r[MAX_TOKENS];
    struct ev_ngrams *g = ev_ngrams_new();

    (void) state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        int n_h = (int) (t_hash64(seed * 3) % (seed % 50 == 0 ? MAX_TOKENS : 70));
        int n_r = (int) (t_hash64(seed * 3 + 1) % (seed % 40 == 0 ? MAX_TOKENS : 70));
        uint64_t kinds = 1 + t_hash64(seed * 3 + 2) % (seed % 2 ? 4 : 200);

        for (int i = 0; i < n_h; i++)
            h[i] = (int) (t_hash64(seed * 10000 + (uint64_t) i) % kinds);
        for (int i = 0; i < n_r; i++)
            r[i] = (int) (t_hash64(seed * 20000 + (uint64_t) i) % kinds);
        check(g, h, n_h, r, n_r);
        check(g, r, n_r, r, n_r);
    }
    ev_ngrams_free(g);
}

static void test_sums(void **state)
{
    struct ev_ngrams *g = ev_ngrams_new();
    struct ev_ngram_counts counts = {0, 0, {0}, {0}};

    (void) state;
    ev_ngrams_add(g, t2_slice_of("a b c"), t2_slice_of("a b d"), &counts);
    ev_ngrams_add(g, t2_slice_of(""), t2_slice_of("a"), &counts);
    ev_ngrams_add(g, t2_slice_of("a a a"), t2_slice_of("a a"), &counts);
    ev_ngrams_add(g, t2_slice_of("x"), t2_slice_of(""), &counts);
    assert_int_equal(counts.hypothesis_length, 7);
    assert_int_equal(counts.reference_length, 6);
    assert_int_equal(counts.matches[0], 2 + 2);
    assert_int_equal(counts.matches[1], 1 + 1);
    assert_int_equal(counts.matches[2], 0);
    assert_int_equal(counts.possible[2], 2);
    ev_ngrams_free(g);
    ev_ngrams_free(NULL);
}

T_MAIN(cmocka_unit_test(test_like_plain), cmocka_unit_test(test_sums))
