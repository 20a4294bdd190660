#include "tokenizer/subword_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

/* Words of symbols 0 .. kinds-2, each ended by kinds-1 or, when low_last, by 0. */
static struct tok_words random_words(uint64_t seed, uint32_t n_words, uint32_t kinds, uint32_t last)
{
    struct tok_words w = {.n_words = n_words, .n_kinds = kinds, .last = last};

    w.starts = t2_alloc(n_words + 1, sizeof *w.starts);
    w.counts = t2_alloc(n_words, sizeof *w.counts);
    w.symbols = t2_alloc((size_t) n_words * 12, sizeof *w.symbols);
    for (uint32_t k = 0; k < n_words; k++) {
        size_t len = t_hash64(seed * 31 + k) % 11;

        for (size_t i = 0; i < len; i++) {
            uint32_t s = (uint32_t) (t_hash64(seed * 1009 + k * 13 + i) % (kinds - 1));

            w.symbols[w.n_symbols++] = s + (s >= last);
        }
        w.symbols[w.n_symbols++] = last;
        w.starts[k + 1] = w.n_symbols;
        w.counts[k] = 1 + t_hash64(seed + k) % 5;
    }
    return w;
}

static struct tok_symbols string_of(const struct tok_tree *t, const struct tok_words *w,
                                    uint32_t node)
{
    if (t->depth[node] == 1)
        return (struct tok_symbols){&t->at[node], 1};
    return (struct tok_symbols){w->symbols + t->at[node], t->depth[node]};
}

static int compare(struct tok_symbols a, struct tok_symbols b)
{
    for (uint32_t i = 0; i < a.n && i < b.n; i++)
        if (a.items[i] != b.items[i])
            return a.items[i] < b.items[i] ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

static bool begins(struct tok_symbols s, struct tok_symbols prefix)
{
    return prefix.n <= s.n && compare((struct tok_symbols){s.items, prefix.n}, prefix) == 0;
}

static uint64_t count_of(const struct tok_words *w, struct tok_symbols s)
{
    uint64_t n = 0;

    for (uint32_t k = 0; k < w->n_words; k++)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; p++)
            if (begins((struct tok_symbols){w->symbols + p, w->starts[k + 1] - p}, s))
                n += w->counts[k];
    return n;
}

static void check_tree(const struct tok_words *w, uint32_t limit)
{
    struct tok_tree t;
    uint32_t root, n_single = 0;

    tok_tree_init(&t, w, limit, NULL, 0, NULL);
    root = t.n_nodes - 1;
    assert_int_equal(t.depth[root], 0);
    assert_int_equal(t.parent[root], root);
    for (uint32_t i = 0; i < root; i++) {
        struct tok_symbols s = string_of(&t, w, i);

        assert_true(t.parent[i] > i);
        assert_true(t.depth[t.parent[i]] < t.depth[i]);
        assert_true(t.depth[i] <= limit || t.depth[i] == 1);
        if (t.parent[i] != root)
            assert_true(begins(s, string_of(&t, w, t.parent[i])));
        else
            assert_int_equal(t.depth[i], 1);
        if (i > 0)
            assert_true(compare(string_of(&t, w, i - 1), s) > 0);
        if (limit > 0)
            assert_true(t.count[i] == count_of(w, s));
        n_single += t.depth[i] == 1;
    }
    assert_int_equal(n_single, w->n_kinds);
    for (uint32_t k = 0; k < w->n_words; k++)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; p++) {
            uint32_t left = w->starts[k + 1] - p;
            struct tok_symbols suffix = {w->symbols + p, left < limit ? left : limit};

            if (limit == 0)
                assert_int_equal(t.locus[p], root);
            else
                assert_int_equal(compare(string_of(&t, w, t.locus[p]), suffix), 0);
        }
    assert_null(t.whole);
    tok_tree_release(&t);
}

static void test_nodes(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint32_t kinds = 2 + (uint32_t) (seed % 5);
        struct tok_words w =
            random_words(seed, 1 + (uint32_t) (seed % 37), kinds, (uint32_t) (seed % kinds));

        check_tree(&w, UINT32_MAX);
        check_tree(&w, (uint32_t) (seed % 7));
        tok_words_release(&w);
    }
}

static void test_reserved(void **state)
{
    static const uint32_t in[] = {1, 2, 0}, nowhere[] = {3, 3, 3, 3, 0}, prefix[] = {1, 0};
    uint32_t symbols[] = {1, 2, 0, 2, 1, 2, 0, 1, 2, 3, 0};
    uint32_t starts[] = {0, 3, 7, 11};
    uint64_t counts[] = {1, 1, 1};
    const struct tok_words w = {symbols, 11, starts, counts, 3, 4, 0};
    const struct tok_symbols reserved[] = {{in, 3}, {nowhere, 5}, {prefix, 2}};
    struct tok_tree t;

    (void) state;
    tok_tree_init(&t, &w, UINT32_MAX, reserved, 3, NULL);
    assert_non_null(t.whole);
    assert_int_equal(t.whole[0], 1u << 0 | 1u << 4); /* 1 2 0 is all that is left */
    tok_tree_release(&t);
    tok_tree_init(&t, &w, 2, reserved, 1, NULL); /* whatever the limit */
    assert_int_equal(t.whole[0], 1u << 0 | 1u << 4);
    tok_tree_release(&t);
    tok_tree_init(&t, &w, UINT32_MAX, reserved + 1, 2, NULL);
    assert_null(t.whole);
    tok_tree_release(&t);
}

/* At most two nodes for each place: a text of one repeated symbol is the worst. */
static void test_size(void **state)
{
    enum { N = 200000 };
    struct tok_words w = {.n_symbols = N, .n_words = 1, .n_kinds = 2, .last = 0};
    struct tok_tree t;

    (void) state;
    w.symbols = t2_alloc(N, sizeof *w.symbols);
    w.starts = t2_alloc(2, sizeof *w.starts);
    w.counts = t2_alloc(1, sizeof *w.counts);
    for (uint32_t i = 0; i + 1 < N; i++)
        w.symbols[i] = 1;
    w.starts[1] = N;
    w.counts[0] = 7;
    tok_tree_init(&t, &w, UINT32_MAX, NULL, 0, NULL);
    assert_true(t.n_nodes <= 2 * N);
    assert_true(t.count[t.n_nodes - 1] == (uint64_t) 7 * N);
    tok_tree_release(&t);
    tok_words_release(&w);
}

T_MAIN(cmocka_unit_test(test_nodes), cmocka_unit_test(test_reserved), cmocka_unit_test(test_size))
