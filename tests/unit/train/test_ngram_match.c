/*
 * tests/unit/train/test_ngram_match.c - clipped matches and sets of n-grams against comparing every
 * n-gram with every other.
 */
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/ngram_match.h"

enum { MAX_PARTS = 600, ORDER = 4, MAX_REFERENCES = 3 };

struct text {
    uint32_t parts[MAX_PARTS];
    size_t n;
};

static bool same(const uint32_t *a, const uint32_t *b, size_t order)
{
    return memcmp(a, b, order * sizeof *a) == 0;
}

/* How often an n-gram stands in a text. */
static uint64_t times(const struct text *t, const uint32_t *ngram, size_t order)
{
    uint64_t n = 0;

    for (size_t i = 0; i + order <= t->n; i++)
        n += same(t->parts + i, ngram, order);
    return n;
}

/* The first place of its n-gram in the text? */
static bool is_first(const struct text *t, size_t i, size_t order)
{
    for (size_t k = 0; k < i; k++)
        if (same(t->parts + k, t->parts + i, order))
            return false;
    return true;
}

static uint64_t plain_matches(const struct text *h, const struct text *r, int n_r, size_t order)
{
    uint64_t matches = 0;

    for (size_t i = 0; i + order <= h->n; i++) {
        uint64_t here = times(h, h->parts + i, order), most = 0;

        if (!is_first(h, i, order))
            continue;
        for (int k = 0; k < n_r; k++) {
            uint64_t n = times(&r[k], h->parts + i, order);

            most = n > most ? n : most;
        }
        matches += here < most ? here : most;
    }
    return matches;
}

static void check(struct ev_ngrams *g, const struct text *h, const struct text *r, int n_r)
{
    uint64_t matches[ORDER];

    ev_ngrams_start(g);
    for (int k = 0; k < n_r; k++)
        ev_ngrams_reference(g, r[k].parts, r[k].n);
    ev_ngrams_match(g, h->parts, h->n, matches);
    for (size_t k = 0; k < ORDER; k++)
        assert_int_equal(matches[k], plain_matches(h, r, n_r, k + 1));
}

static void fill(struct text *t, uint64_t seed, uint64_t kinds, bool is_long)
{
    t->n = t_hash64(seed) % (is_long ? MAX_PARTS : 70);
    for (size_t i = 0; i < t->n; i++) /* some beyond the table of single parts */
        t->parts[i] = (uint32_t) (t_hash64(seed * 10000 + i) % kinds * 37);
}

/* All lengths around the sizes of the tables, few and many different parts, one table for all. */
static void test_like_plain(void **state)
{
    static struct text h, r[MAX_REFERENCES];
    struct ev_ngrams *g = ev_ngrams_new(ORDER);

    (void) state;
    for (uint64_t seed = 1; seed < 300; seed++) {
        uint64_t kinds = 1 + t_hash64(seed) % (seed % 2 ? 4 : 200);

        fill(&h, 7 * seed, kinds, seed % 50 == 0);
        for (int k = 0; k < MAX_REFERENCES; k++)
            fill(&r[k], 7 * seed + 1 + (uint64_t) k, kinds, seed % 40 == 0);
        check(g, &h, r, 1);
        check(g, &h, r, MAX_REFERENCES);
        check(g, &r[0], r, 1);
        check(g, &h, r, 0);
    }
    ev_ngrams_free(g);
    ev_ngrams_free(NULL);
}

static uint64_t n_different(const struct text *t, const struct text *also_in, size_t order)
{
    uint64_t n = 0;

    for (size_t i = 0; i + order <= t->n; i++)
        n += is_first(t, i, order) && (!also_in || times(also_in, t->parts + i, order) > 0);
    return n;
}

static void test_sets(void **state)
{
    static struct text h, r;

    (void) state;
    for (int order = 1; order <= 3; order++) {
        struct ev_ngrams *g = ev_ngrams_new(order);

        for (uint64_t seed = 1; seed < 100; seed++) {
            struct ev_ngram_sets sets;

            fill(&h, 3 * seed, 5, false);
            fill(&r, 3 * seed + 1, 5, false);
            ev_ngrams_start(g);
            ev_ngrams_reference(g, r.parts, r.n);
            ev_ngrams_sets(g, h.parts, h.n, &sets);
            assert_int_equal(sets.n_reference, n_different(&r, NULL, (size_t) order));
            assert_int_equal(sets.n_hypothesis, n_different(&h, NULL, (size_t) order));
            assert_int_equal(sets.n_both, n_different(&h, &r, (size_t) order));
        }
        ev_ngrams_free(g);
    }
}

static void test_possible(void **state)
{
    (void) state;
    assert_int_equal(ev_ngrams_possible(5, 4), 2);
    assert_int_equal(ev_ngrams_possible(4, 4), 1);
    assert_int_equal(ev_ngrams_possible(3, 4), 0);
    assert_int_equal(ev_ngrams_possible(0, 1), 0);
}

T_MAIN(cmocka_unit_test(test_like_plain), cmocka_unit_test(test_sets),
       cmocka_unit_test(test_possible))
