#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tokenizer/subword_tree.h"

/* What is kept, against the definition, is in test_vocab_builder.c; here: threads and sizes. */

enum { KINDS = 20, WORDS = 30000, ROUNDS = 4 };

static struct tok_words many_words(void)
{
    struct tok_words w = {.n_words = WORDS, .n_kinds = KINDS, .last = 5};

    w.starts = t2_alloc(WORDS + 1, sizeof *w.starts);
    w.counts = t2_alloc(WORDS, sizeof *w.counts);
    w.symbols = t2_alloc((size_t) WORDS * 16, sizeof *w.symbols);
    for (uint32_t k = 0; k < WORDS; k++) {
        size_t len = 1 + t_hash64(k) % 14;

        for (size_t i = 0; i < len; i++) {
            uint64_t h = t_hash64((uint64_t) k * 31 + i);
            uint32_t s = (uint32_t) (h % KINDS * (h >> 32) % KINDS);

            w.symbols[w.n_symbols++] = s == w.last ? 0 : s;
        }
        w.symbols[w.n_symbols++] = w.last;
        w.starts[k + 1] = w.n_symbols;
        w.counts[k] = 1 + t_hash64(k + 1) % 50;
    }
    return w;
}

static void test_threads_do_not_matter(void **state)
{
    static const uint64_t min_counts[] = {1, 3, 40, 500};
    struct tok_words w = many_words();
    struct tok_probe_arrays arrays = {0};
    struct tok_tree t;

    (void) state;
    assert_true(w.n_symbols > 4 << 15); /* enough for several pieces */
    tok_tree_init(&t, &w, UINT32_MAX, NULL, 0, NULL);
    for (size_t m = 0; m < 4; m++) {
        size_t sizes[ROUNDS], n_kept;
        struct tok_kept *kept;

        tok_tree_probe(&t, &w, min_counts[m], ROUNDS, NULL, &arrays, sizes, &kept, &n_kept);
        assert_int_equal(n_kept, sizes[ROUNDS - 1]);
        for (int threads = 1; threads <= 4; threads++) {
            struct t2_pool *pool = t2_pool_new(threads);
            size_t sizes_again[ROUNDS], n_again;
            struct tok_kept *again;

            tok_tree_probe(&t, &w, min_counts[m], ROUNDS, pool, &arrays, sizes_again, &again,
                           &n_again);
            assert_memory_equal(sizes, sizes_again, sizeof sizes);
            assert_int_equal(n_kept, n_again);
            for (size_t i = 0; i < n_kept; i++) {
                assert_int_equal(kept[i].node, again[i].node);
                assert_true(kept[i].count == again[i].count);
            }
            t2_free(again);
            t2_pool_free(pool);
        }
        for (size_t i = 0; i < n_kept; i++)
            assert_true(kept[i].count >= min_counts[m] || t.depth[kept[i].node] == 1);
        t2_free(kept);
    }
    tok_probe_arrays_release(&arrays);
    tok_tree_release(&t);
    tok_words_release(&w);
}

/* A higher min_count than anything: the alphabet is left. */
static void test_alphabet_is_always_kept(void **state)
{
    struct tok_words w = many_words();
    struct tok_probe_arrays arrays = {0};
    struct tok_tree t;
    size_t sizes[2], n_kept;
    struct tok_kept *kept;

    (void) state;
    tok_tree_init(&t, &w, UINT32_MAX, NULL, 0, NULL);
    tok_tree_probe(&t, &w, UINT64_MAX, 2, NULL, &arrays, sizes, &kept, &n_kept);
    assert_int_equal(n_kept, KINDS);
    for (size_t i = 0; i < n_kept; i++)
        assert_int_equal(t.depth[kept[i].node], 1);
    t2_free(kept);
    tok_probe_arrays_release(&arrays);
    tok_tree_release(&t);
    tok_words_release(&w);
}

T_MAIN(cmocka_unit_test(test_threads_do_not_matter), cmocka_unit_test(test_alphabet_is_always_kept))
