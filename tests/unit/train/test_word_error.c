/*
 * tests/unit/train/test_word_error.c - distances against the plain table, words and characters as
 * jiwer cuts them, edits as rapidfuzz aligns them.
 */
#include <stdio.h>

#include "tests/support/t.h"
#include "train/eval/word_error.h"

static struct ev_edits edits_of(const char *hypothesis, const char *reference, bool characters)
{
    struct ev_edits e = {0, 0, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct ev_error *work = ev_error_new();

    assert_int_equal(ev_error_line(work, t2_slice_of(hypothesis), t2_slice_of(reference),
                                   characters, &e, &err),
                     T2_OK);
    ev_error_free(work);
    return e;
}

static void check(const char *hypothesis, const char *reference, bool characters, uint64_t hits,
                  uint64_t substitutions, uint64_t deletions, uint64_t insertions)
{
    struct ev_edits e = edits_of(hypothesis, reference, characters);

    assert_int_equal(e.hits, hits);
    assert_int_equal(e.substitutions, substitutions);
    assert_int_equal(e.deletions, deletions);
    assert_int_equal(e.insertions, insertions);
}

static void test_words(void **state)
{
    (void) state;
    check("a b c", "a b c", false, 3, 0, 0, 0);
    check("", "", false, 0, 0, 0, 0);
    check("", "a b", false, 0, 0, 2, 0);
    check("a b", "", false, 0, 0, 0, 2);
    check("a x c", "a b c", false, 2, 1, 0, 0);
    check("the quick fox", "the quik brown fox", false, 2, 1, 1, 0);
    check(" a  b ", "a b", false, 2, 0, 0, 0);
    check("a\tb", "a b", false, 0, 1, 1, 0);  /* one tab is part of a word */
    check("a \tb", "a b", false, 2, 0, 0, 0); /* beside a blank it is none */
    check("\u3000a\u00a0b", "a\u00a0b", false, 1, 0, 0, 0);
}

static void test_characters(void **state)
{
    (void) state;
    check("gr\u00fcn", "grun", true, 3, 1, 0, 0);
    check(" ab", "a b", true, 2, 0, 1, 0);
    check("kitten", "sitting", true, 4, 2, 1, 0);
}

static void test_rate(void **state)
{
    const struct ev_edits none = {0, 0, 0, 0}, some = {3, 1, 2, 4}, silence = {0, 0, 0, 3};

    (void) state;
    assert_true(ev_error_rate(&none) == 0);
    assert_true(ev_error_rate(&some) == 7.0 / 6);
    assert_true(ev_error_rate(&silence) == 3);
}

enum { MAX = 200 };

static uint64_t plain(const char *a, size_t n_a, const char *b, size_t n_b)
{
    static uint64_t d[MAX + 1][MAX + 1];

    for (size_t i = 0; i <= n_a; i++)
        for (size_t k = 0; k <= n_b; k++) {
            if (i == 0 || k == 0) {
                d[i][k] = i + k;
                continue;
            }
            d[i][k] = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            d[i][k] = d[i - 1][k] + 1 < d[i][k] ? d[i - 1][k] + 1 : d[i][k];
            d[i][k] = d[i][k - 1] + 1 < d[i][k] ? d[i][k - 1] + 1 : d[i][k];
        }
    return d[n_a][n_b];
}

static void test_like_plain(void **state)
{
    static char h[MAX + 1], r[MAX + 1];

    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        size_t n_h = t_hash64(2 * seed) % (seed % 5 ? 40 : MAX);
        size_t n_r = t_hash64(2 * seed + 1) % (seed % 7 ? 40 : MAX);
        struct ev_edits e;

        for (size_t i = 0; i < n_h; i++)
            h[i] = (char) ('a' + t_hash64(seed * 1000 + i) % (1 + seed % 9));
        for (size_t i = 0; i < n_r; i++)
            r[i] = (char) ('a' + t_hash64(seed * 2000 + i) % (1 + seed % 9));
        h[n_h] = r[n_r] = '\0';
        e = edits_of(h, r, true);
        assert_int_equal(e.substitutions + e.deletions + e.insertions, plain(h, n_h, r, n_r));
        assert_int_equal(e.hits + e.substitutions + e.deletions, n_r);
        assert_int_equal(e.hits + e.substitutions + e.insertions, n_h);
    }
}

T_MAIN(cmocka_unit_test(test_words), cmocka_unit_test(test_characters), cmocka_unit_test(test_rate),
       cmocka_unit_test(test_like_plain))
