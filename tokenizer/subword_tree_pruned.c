/*
 * tokenizer/subword_tree_pruned.c - the tree without its rare nodes, never all of it at a time.
 *
 * The suffixes that begin with some symbols are sorted and become nodes, and the rare ones among
 * these go before the next symbols' turn.
 *
 * Peak memory is words, locus and one group of about a sixteenth of the suffixes with its nodes,
 * in place of a suffix array, a table of prefixes and all nodes.  Groups go from the highest first
 * symbol to the lowest, so the numbering is that of the whole tree.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/subword_tree_build.h"

enum { GROUPS = 16, SMALL_SORT = 12, SMALL_DEPTH = 4 };

struct pruner {
    struct tok_tree_builder b;
    const struct tok_words *words;
    int32_t *order;  /* places of the suffixes of a group */
    uint32_t *sizes; /* how many suffixes begin with a symbol */
    uint32_t *map;   /* node of the group -> node that stays */
    uint32_t map_capacity, count_capacity;
};

/* ---- sorting ---- */

/* The symbol at a depth of the suffix at p, raised by 1; 0 behind its end. */
static uint32_t symbol_at(const struct pruner *p, int32_t place, uint32_t depth)
{
    return depth < p->b.t->locus[place] ? p->words->symbols[(uint32_t) place + depth] + 1 : 0;
}

static bool is_less(const struct pruner *p, int32_t a, int32_t b, uint32_t depth)
{
    for (;; depth++) {
        uint32_t x = symbol_at(p, a, depth), y = symbol_at(p, b, depth);

        if (x != y)
            return x < y;
        if (x == 0)
            return false;
    }
}

static void sort_small(const struct pruner *p, int32_t *items, size_t n, uint32_t depth)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && is_less(p, items[k], items[k - 1], depth); k--) {
            int32_t swap = items[k];

            items[k] = items[k - 1];
            items[k - 1] = swap;
        }
}

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* Quicksort by the symbol at a depth, in three parts; the middle one goes on with the next symbol.
 * A suffix has at most TOK_PRUNED_LIMIT symbols, so that deep the recursion is. */
static void sort_suffixes(const struct pruner *p, int32_t *items, size_t n, uint32_t depth)
{
    while (n > SMALL_SORT) {
        uint32_t pivot = median(symbol_at(p, items[0], depth), symbol_at(p, items[n / 2], depth),
                                symbol_at(p, items[n - 1], depth));
        size_t low = 0, at = 0, high = n;

        while (at < high) {
            uint32_t symbol = symbol_at(p, items[at], depth);
            size_t to = symbol < pivot ? low++ : symbol > pivot ? --high : at;
            int32_t swap = items[to];

            items[to] = items[at];
            items[at] = swap;
            at += symbol <= pivot;
        }
        sort_suffixes(p, items, low, depth);
        if (pivot > 0)
            sort_suffixes(p, items + low, high - low, depth + 1);
        items += high;
        n -= high;
    }
    sort_small(p, items, n, depth);
}

/* ---- a group ---- */

/* The suffixes that begin with a symbol from `low` up to, not with, `high`, in order. */
static uint32_t collect(struct pruner *p, uint32_t low, uint32_t high)
{
    const struct tok_words *w = p->words;
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->n_symbols; i++)
        if (w->symbols[i] >= low && w->symbols[i] < high)
            p->order[n++] = (int32_t) i;
    sort_suffixes(p, p->order, n, 0);
    return n;
}

/* Occurrences of the nodes from `first` on. */
static void count_nodes(struct pruner *p, uint32_t first, uint32_t low, uint32_t high)
{
    const struct tok_words *w = p->words;
    struct tok_tree *t = p->b.t;

    if (t->n_nodes > p->count_capacity) {
        p->count_capacity = t->n_nodes + t->n_nodes / 4;
        t->count = t2_realloc(t->count, p->count_capacity, sizeof *t->count);
    }
    memset(t->count + first, 0, (t->n_nodes - first) * sizeof *t->count);
    for (uint32_t k = 0; k < w->n_words; k++)
        for (uint32_t i = w->starts[k]; i < w->starts[k + 1]; i++)
            if (w->symbols[i] >= low && w->symbols[i] < high)
                t->count[t->locus[i]] += w->counts[k];
    for (uint32_t i = first; i < t->n_nodes; i++)
        if (t->depth[i] > 1)
            t->count[t->parent[i]] += t->count[i];
}

/* Closes the gaps that the rare nodes from `first` on leave; their suffixes go to what is above
 * them. */
static void drop_rare(struct pruner *p, uint32_t first, uint32_t n_suffixes)
{
    struct tok_tree *t = p->b.t;
    uint32_t n = t->n_nodes - first, to = first;

    if (n > p->map_capacity) {
        p->map_capacity = n;
        p->map = t2_realloc(p->map, n, sizeof *p->map);
    }
    for (uint32_t i = 0; i < n; i++) {
        bool stays = t->depth[first + i] <= 1 || t->count[first + i] >= t->min_count;

        p->map[i] = stays ? to++ : TOK_NO_NODE;
    }
    for (uint32_t i = n; i-- > 0;)
        if (p->map[i] == TOK_NO_NODE)
            p->map[i] = p->map[t->parent[first + i] - first];
    for (uint32_t i = 0; i < n_suffixes; i++)
        t->locus[p->order[i]] = p->map[t->locus[p->order[i]] - first];
    to = first;
    for (uint32_t i = 0; i < n; i++) {
        if (t->depth[first + i] > 1 && t->count[first + i] < t->min_count)
            continue;
        t->depth[to] = t->depth[first + i];
        t->at[to] = t->at[first + i];
        t->count[to] = t->count[first + i];
        /* The root has no number yet: depth says it later. */
        if (t->depth[to] > 1)
            t->parent[to] = p->map[t->parent[first + i] - first];
        to++;
    }
    t->n_nodes = to;
}

static void add_group(struct pruner *p, uint32_t low, uint32_t high)
{
    uint32_t first = p->b.t->n_nodes, n = collect(p, low, high);

    p->b.order = p->order;
    tok_tree_visit(&p->b, (int32_t) n);
    tok_tree_unused_symbols(&p->b, low);
    p->b.stack[0].children = TOK_NO_NODE; /* depth says whose children they are */
    count_nodes(p, first, low, high);
    drop_rare(p, first, n);
}

/* ---- all of them ---- */

/* Groups of about a sixteenth of the suffixes, one symbol at least. */
static uint32_t group_begin(const struct pruner *p, uint32_t high, uint32_t *n)
{
    uint32_t most = p->words->n_symbols / GROUPS, low = high;

    *n = 0;
    do
        *n += p->sizes[--low];
    while (low > 0 && *n + p->sizes[low - 1] <= most);
    return low;
}

static uint32_t largest_group(const struct pruner *p)
{
    uint32_t largest = 0, n;

    for (uint32_t high = p->words->n_kinds; high > 0;) {
        high = group_begin(p, high, &n);
        largest = n > largest ? n : largest;
    }
    return largest;
}

static void add_root(struct tok_tree_builder *b, uint32_t *count_capacity)
{
    struct tok_tree *t = b->t;
    uint32_t root = tok_tree_new_node(b, 0, 0);

    if (t->n_nodes > *count_capacity)
        t->count = t2_realloc(t->count, t->n_nodes, sizeof *t->count);
    t->count[root] = 0;
    t->parent[root] = root;
    for (uint32_t i = 0; i < root; i++)
        if (t->depth[i] == 1) {
            t->parent[i] = root;
            t->count[root] += t->count[i];
        }
}

/* Places where a reserved string is the rest of the word. */
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

void tok_tree_init_pruned(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                          const struct tok_symbols *reserved, size_t n_reserved, uint64_t min_count)
{
    struct pruner p = {.words = words, .b = {.t = t, .words = words}};
    uint32_t n;

    T2_ASSERT(words->n_symbols > 0 && words->n_symbols < INT32_MAX);
    T2_ASSERT(limit > 0 && limit <= TOK_PRUNED_LIMIT);
    *t = (struct tok_tree){.min_count = min_count};
    t->locus = t2_alloc(words->n_symbols, sizeof *t->locus);
    p.sizes = t2_alloc(words->n_kinds, sizeof *p.sizes);
    for (uint32_t i = 0; i < words->n_symbols; i++)
        p.sizes[words->symbols[i]]++;
    p.order = t2_realloc(NULL, (size_t) largest_group(&p) + 1, sizeof *p.order);
    for (size_t i = 0; i < n_reserved; i++)
        find_reserved(t, words, reserved[i]);
    tok_tree_find_lengths(t, words, limit);
    tok_tree_begin(&p.b);
    for (uint32_t high = words->n_kinds, low; high > 0; high = low) {
        low = group_begin(&p, high, &n);
        add_group(&p, low, high);
    }
    add_root(&p.b, &p.count_capacity);
    t2_free(p.order);
    t2_free(p.sizes);
    t2_free(p.map);
    t2_free(p.b.stack);
}
