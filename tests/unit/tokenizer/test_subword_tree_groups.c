#include "tokenizer/subword_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

/* Words of symbols 0 .. kinds-2 with the last one at their end; long ones repeat themselves. */
static struct tok_words random_words(uint64_t seed, uint32_t n_words, uint32_t kinds)
{
    struct tok_words w = {.n_words = n_words, .n_kinds = kinds, .last = kinds - 1};

    w.starts = t2_alloc(n_words + 1, sizeof *w.starts);
    w.counts = t2_alloc(n_words, sizeof *w.counts);
    w.symbols = t2_alloc((size_t) n_words * 60, sizeof *w.symbols);
    for (uint32_t k = 0; k < n_words; k++) {
        size_t len = t_hash64(seed * 31 + k) % (k % 50 == 0 ? 59 : 11);

        for (size_t i = 0; i < len; i++)
            w.symbols[w.n_symbols++] =
                (uint32_t) (t_hash64(seed * 1009 + k * 13 + i % 7) % (kinds - 1)) / 2 * 2;
        w.symbols[w.n_symbols++] = w.last;
        w.starts[k + 1] = w.n_symbols;
        w.counts[k] = 1 + t_hash64(seed + k) % 5;
    }
    return w;
}

static void check_equal(const struct tok_words *w, const struct tok_tree *a,
                        const struct tok_tree *b, uint64_t min_count)
{
    size_t sizes_a[4], sizes_b[4], n_a, n_b;
    struct tok_kept *kept_a, *kept_b;
    struct tok_probe_arrays arrays = {0};

    tok_tree_probe(a, w, min_count, 4, NULL, &arrays, sizes_a, &kept_a, &n_a);
    tok_tree_probe(b, w, min_count, 4, NULL, &arrays, sizes_b, &kept_b, &n_b);
    assert_memory_equal(sizes_a, sizes_b, sizeof sizes_a);
    assert_int_equal(n_a, n_b);
    for (size_t i = 0; i < n_a; i++) {
        uint32_t x = kept_a[i].node, y = kept_b[i].node;

        assert_int_equal(kept_a[i].count, kept_b[i].count);
        assert_int_equal(a->depth[x], b->depth[y]);
        if (a->depth[x] == 1)
            assert_int_equal(a->at[x], b->at[y]);
        else
            assert_memory_equal(w->symbols + a->at[x], w->symbols + b->at[y],
                                a->depth[x] * sizeof *w->symbols);
    }
    tok_probe_arrays_release(&arrays);
    t2_free(kept_a);
    t2_free(kept_b);
}

static void assert_same(const struct tok_words *w, const struct tok_tree *a,
                        const struct tok_tree *b)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_memory_equal(a->parent, b->parent, a->n_nodes * 4);
    assert_memory_equal(a->depth, b->depth, a->n_nodes * 4);
    assert_memory_equal(a->count, b->count, a->n_nodes * 8);
    assert_memory_equal(a->locus, b->locus, w->n_symbols * 4);
}

static void test_same_as_whole(void **state)
{
    static const uint32_t limits[] = {1, 2, 5, 199, TOK_PRUNED_LIMIT};

    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint32_t kinds = 3 + (uint32_t) (t_hash64(seed) % 40);
        struct tok_words w = random_words(seed, 1 + (uint32_t) (seed * seed % 700), kinds);
        uint32_t reserved_items[2] = {0, w.last};
        struct tok_symbols reserved = {reserved_items, 2};
        uint32_t limit = limits[seed % 5];
        struct tok_tree whole;

        tok_tree_init(&whole, &w, limit, &reserved, 1, NULL);
        for (uint64_t m = 1; m <= 64; m *= 2) {
            struct tok_tree pruned;

            tok_tree_init_pruned(&pruned, &w, limit, &reserved, 1, m);
            assert_int_equal(!whole.whole, !pruned.whole);
            if (whole.whole)
                assert_memory_equal(whole.whole, pruned.whole, (w.n_symbols / 64 + 1) * 8);
            if (m == 1) {
                assert_same(&w, &whole, &pruned);
            } else {
                assert_true(pruned.n_nodes <= whole.n_nodes);
            }
            check_equal(&w, &whole, &pruned, m);
            check_equal(&w, &whole, &pruned, m + 3);
            tok_tree_release(&pruned);
        }
        tok_tree_release(&whole);
        tok_words_release(&w);
    }
}

/* One word so long that the suffix array is taken, and the same words by groups on threads. */
static void test_ways_agree(void **state)
{
    enum { LONG = 4000 };

    (void) state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct tok_words w = random_words(seed, 3000, 40);
        struct t2_pool *pool = t2_pool_new(1 + (int) seed % 4);
        struct tok_tree by_array, alone, together;

        w.symbols = t2_realloc(w.symbols, w.n_symbols + LONG, sizeof *w.symbols);
        w.starts = t2_realloc(w.starts, w.n_words + 2, sizeof *w.starts);
        w.counts = t2_realloc(w.counts, w.n_words + 1, sizeof *w.counts);
        for (uint32_t i = 0; i < LONG; i++)
            w.symbols[w.n_symbols++] = i + 1 < LONG ? i % 5 : w.last;
        w.counts[w.n_words++] = 3;
        w.starts[w.n_words] = w.n_symbols;
        tok_tree_init(&by_array, &w, UINT32_MAX, NULL, 0, pool);
        tok_tree_init_pruned(&alone, &w, TOK_PRUNED_LIMIT, NULL, 0, 1);
        assert_same(&w, &by_array, &alone);
        tok_tree_release(&by_array);
        tok_tree_release(&alone);
        tok_tree_init(&alone, &w, 30, NULL, 0, NULL); /* short enough for groups */
        tok_tree_init(&together, &w, 30, NULL, 0, pool);
        assert_same(&w, &alone, &together);
        tok_tree_release(&alone);
        tok_tree_release(&together);
        tok_words_release(&w);
        t2_pool_free(pool);
    }
}

T_MAIN(cmocka_unit_test(test_same_as_whole), cmocka_unit_test(test_ways_agree))
