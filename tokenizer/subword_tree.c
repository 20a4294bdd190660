/*
 * tokenizer/subword_tree.c - the tree of all substrings: by groups of suffixes, or, when words are
 * very long, by a suffix array.  Probing it is in subword_probe.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/subword_tree_build.h"
#include "tokenizer/suffix_array.h"

static void build_nodes(struct tok_tree_builder *b, uint32_t limit)
{
    struct tok_tree *t = b->t;
    uint32_t root;

    tok_tree_begin(b);
    tok_tree_visit(b, limit > 0 ? (int32_t) b->words->n_symbols : 0);
    tok_tree_unused_symbols(b, 0);
    root = tok_tree_new_node(b, 0, 0);
    for (uint32_t c = b->stack[0].children, next; c != TOK_NO_NODE; c = next) {
        next = t->parent[c];
        t->parent[c] = root;
    }
    t->parent[root] = root;
    if (limit == 0)
        for (uint32_t p = 0; p < b->words->n_symbols; p++)
            t->locus[p] = root;
}

/*
 * Each place adds its word's count to its deepest node; then children add theirs to their parents,
 * in one pass since children come first.
 */
static void count_all(struct tok_tree *t, const struct tok_words *w)
{
    t->count = t2_alloc(t->n_nodes, sizeof *t->count);
    for (uint32_t k = 0; k < w->n_words; k++)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; p++)
            t->count[t->locus[p]] += w->counts[k];
    for (uint32_t i = 0; i + 1 < t->n_nodes; i++)
        t->count[t->parent[i]] += t->count[i];
}

/* Marks the places where the rest of the word is a reserved string. */
static void find_reserved(struct tok_tree *t, const struct tok_words *w, struct tok_symbols s)
{
    for (uint32_t k = 0; k < w->n_words; k++) {
        uint32_t end = w->starts[k + 1], len = end - w->starts[k];

        if (s.n > len || memcmp(w->symbols + end - s.n, s.items, s.n * sizeof *s.items) != 0)
            continue;
        if (!t->whole)
            t->whole = t2_alloc(w->n_symbols / 64 + 1, sizeof *t->whole);
        t->whole[(end - s.n) / 64] |= (uint64_t) 1 << (end - s.n) % 64;
    }
}

static void tree_by_suffix_array(struct tok_tree *t, const struct tok_words *words, uint32_t limit)
{
    int32_t n = (int32_t) words->n_symbols;
    int32_t *order = t2_alloc(words->n_symbols, sizeof *order);
    uint32_t *shared = t2_alloc(words->n_symbols, sizeof *shared);
    struct tok_tree_builder b = {
        .t = t, .words = words, .order = order, .shared = shared, .shared_by_place = true};

    t->locus = t2_alloc(words->n_symbols, sizeof *t->locus);
    tok_suffix_array(words->symbols, n, words->n_kinds, order);
    tok_suffix_shared(words->symbols, n, order, words->last, limit, shared);
    tok_tree_find_lengths(t, words, 0, words->n_words, limit);
    build_nodes(&b, limit);
    t2_free(order);
    t2_free(shared);
    t2_free(b.stack);
    count_all(t, words);
}

/* Whether suffixes can be sorted by reading them: at worst all symbols of each are read, which in
 * very long words would be too many. */
static bool words_are_short(const struct tok_words *w, uint32_t limit)
{
    enum { SYMBOLS_A_SUFFIX = 64 };
    uint64_t read = 0;

    for (uint32_t k = 0; k < w->n_words; k++) {
        uint64_t len = w->starts[k + 1] - w->starts[k];

        read += len * (len < limit ? len : limit);
    }
    return read <= (uint64_t) SYMBOLS_A_SUFFIX * w->n_symbols;
}

void tok_tree_init(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                   const struct tok_symbols *reserved, size_t n_reserved, struct t2_pool *pool)
{
    T2_ASSERT(words->n_symbols > 0 && words->n_symbols < INT32_MAX);
    *t = (struct tok_tree){.min_count = 1};
    if (limit > 0 && words_are_short(words, limit))
        tok_tree_by_groups(t, words, limit, pool);
    else
        tree_by_suffix_array(t, words, limit);
    for (size_t i = 0; i < n_reserved; i++)
        find_reserved(t, words, reserved[i]);
}

void tok_tree_init_pruned(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                          const struct tok_symbols *reserved, size_t n_reserved, uint64_t min_count)
{
    T2_ASSERT(words->n_symbols > 0 && words->n_symbols < INT32_MAX);
    T2_ASSERT(limit > 0 && limit <= TOK_PRUNED_LIMIT);
    *t = (struct tok_tree){.min_count = min_count};
    tok_tree_by_groups(t, words, limit, NULL);
    for (size_t i = 0; i < n_reserved; i++)
        find_reserved(t, words, reserved[i]);
}
