/*
 * tokenizer/subword_tree.c - the tree from the suffix array; probing it is in subword_probe.c.
 */
#include "tokenizer/subword_tree.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/suffix_array.h"

static const uint32_t NONE = UINT32_MAX;

void tok_words_release(struct tok_words *w)
{
    t2_free(w->symbols);
    t2_free(w->starts);
    t2_free(w->counts);
    *w = (struct tok_words){0};
}

/* A node on the path to the current suffix, not numbered yet. */
struct open_node {
    uint32_t depth;
    uint32_t children; /* list through tok_tree.parent */
    int32_t last_leaf; /* index into order of the last suffix that is this node; -1 if none is */
};

struct builder {
    struct tok_tree *t;
    const struct tok_words *words;
    const int32_t *order;
    const uint32_t *shared;
    uint32_t capacity;
    struct open_node *stack;
    size_t n_stack, stack_capacity;
    uint32_t next_symbol; /* all above have their node */
};

static uint32_t new_node(struct builder *b, uint32_t depth, uint32_t at)
{
    struct tok_tree *t = b->t;

    if (t->n_nodes == b->capacity) {
        b->capacity += b->capacity / 2 + 1024;
        t->parent = t2_realloc(t->parent, b->capacity, sizeof(*t->parent));
        t->depth = t2_realloc(t->depth, b->capacity, sizeof(*t->depth));
        t->at = t2_realloc(t->at, b->capacity, sizeof(*t->at));
    }
    t->depth[t->n_nodes] = depth;
    t->at[t->n_nodes] = at;
    return t->n_nodes++;
}

static void open_node(struct builder *b, uint32_t depth, int32_t last_leaf)
{
    if (b->n_stack == b->stack_capacity) {
        b->stack_capacity = b->stack_capacity * 2 + 256;
        b->stack = t2_realloc(b->stack, b->stack_capacity, sizeof(*b->stack));
    }
    b->stack[b->n_stack++] = (struct open_node){depth, NONE, last_leaf};
}

static struct open_node *top(struct builder *b)
{
    return &b->stack[b->n_stack - 1];
}

static void add_child(struct builder *b, struct open_node *parent, uint32_t node)
{
    b->t->parent[node] = parent->children;
    parent->children = node;
}

/* Nodes of symbols from next_symbol - 1 down to symbol + 1, which no suffix begins with. */
static void add_unused_symbols(struct builder *b, uint32_t symbol)
{
    while (b->next_symbol > symbol) {
        --b->next_symbol;
        add_child(b, &b->stack[0], new_node(b, 1, b->next_symbol));
    }
}

/* Numbers the top node, whose first suffix is order[first], and takes it from the stack. */
static uint32_t close_top(struct builder *b, int32_t first)
{
    struct open_node o = b->stack[--b->n_stack];
    uint32_t at = (uint32_t) b->order[first];
    uint32_t node;

    if (o.depth == 1) {
        at = b->words->symbols[at];
        add_unused_symbols(b, at + 1);
        b->next_symbol = at;
    }
    node = new_node(b, o.depth, at);
    for (uint32_t c = o.children, next; c != NONE; c = next) {
        next = b->t->parent[c];
        b->t->parent[c] = node;
    }
    for (int32_t i = first; i <= o.last_leaf; ++i)
        b->t->locus[b->order[i]] = node;
    return node;
}

/* Closes the nodes that the suffix before order[i] does not share. */
static void close_down_to(struct builder *b, uint32_t depth, int32_t i)
{
    while (top(b)->depth > depth) {
        uint32_t node = close_top(b, i), own = b->t->depth[node];
        uint32_t up = top(b)->depth;

        if (up < depth)
            open_node(b, depth, -1);
        else if (up == 0 && own > 1)
            open_node(b, 1, -1); /* every symbol has a node */
        add_child(b, top(b), node);
    }
}

/* Suffixes are visited from the last to the first, so nodes come out in descending order. */
static void build_nodes(struct builder *b, uint32_t limit)
{
    struct tok_tree *t = b->t;
    uint32_t root;

    open_node(b, 0, -1);
    for (int32_t i = limit > 0 ? (int32_t) b->words->n_symbols - 1 : -1; i >= 0; --i) {
        uint32_t p = (uint32_t) b->order[i];
        uint32_t len = t->locus[p]; /* see find_lengths */

        add_unused_symbols(b, b->words->symbols[p] + 1);
        if (len > top(b)->depth)
            open_node(b, len, i);
        close_down_to(b, i > 0 ? b->shared[p] : 0, i);
    }
    add_unused_symbols(b, 0);
    root = new_node(b, 0, 0);
    for (uint32_t c = b->stack[0].children, next; c != NONE; c = next) {
        next = t->parent[c];
        t->parent[c] = root;
    }
    t->parent[root] = root;
    if (limit == 0)
        for (uint32_t p = 0; p < b->words->n_symbols; ++p)
            t->locus[p] = root;
}

/* Until its suffix is visited, locus[p] holds the length of the suffix at p. */
static void find_lengths(struct tok_tree *t, const struct tok_words *w, uint32_t limit)
{
    for (uint32_t k = 0; k < w->n_words; ++k)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; ++p) {
            uint32_t left = w->starts[k + 1] - p;

            t->locus[p] = left < limit ? left : limit;
        }
}

static void count_all(struct tok_tree *t, const struct tok_words *w)
{
    t->count = t2_alloc(t->n_nodes, sizeof(*t->count));
    for (uint32_t k = 0; k < w->n_words; ++k)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; ++p)
            t->count[t->locus[p]] += w->counts[k];
    for (uint32_t i = 0; i + 1 < t->n_nodes; ++i)
        t->count[t->parent[i]] += t->count[i];
}

/* Order of the suffix at p against a string that ends with `last`, looking at no more than that. */
static int compare_suffix(const struct tok_words *w, uint32_t p, struct tok_symbols s)
{
    for (uint32_t i = 0; i < s.n; ++i) {
        uint32_t a = w->symbols[p + i], b = s.items[i];

        if (a != b)
            return a < b ? -1 : 1;
        /* Both end with their first `last`, so neither runs over its end. */
    }
    return 0;
}

static void find_reserved(struct tok_tree *t, const struct tok_words *w, const int32_t *order,
                          struct tok_symbols s)
{
    uint32_t low = 0, high = w->n_symbols;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare_suffix(w, (uint32_t) order[middle], s) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->n_symbols && compare_suffix(w, (uint32_t) order[low], s) == 0; ++low) {
        uint32_t p = (uint32_t) order[low];

        if (t->whole == NULL)
            t->whole = t2_alloc(w->n_symbols / 64 + 1, sizeof(*t->whole));
        t->whole[p / 64] |= (uint64_t) 1 << p % 64;
    }
}

void tok_tree_init(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                   const struct tok_symbols *reserved, size_t n_reserved)
{
    int32_t n = (int32_t) words->n_symbols;
    int32_t *order = t2_alloc(words->n_symbols, sizeof(*order));
    uint32_t *shared = t2_alloc(words->n_symbols, sizeof(*shared));
    struct builder b = {
        .t = t, .words = words, .order = order, .shared = shared, .next_symbol = words->n_kinds};

    T2_ASSERT(words->n_symbols > 0 && words->n_symbols < INT32_MAX);
    *t = (struct tok_tree){0};
    t->locus = t2_alloc(words->n_symbols, sizeof(*t->locus));
    tok_suffix_array(words->symbols, n, words->n_kinds, order);
    tok_suffix_shared(words->symbols, n, order, words->last, limit, shared);
    for (size_t i = 0; i < n_reserved; ++i)
        find_reserved(t, words, order, reserved[i]);
    find_lengths(t, words, limit);
    build_nodes(&b, limit);
    t2_free(order);
    t2_free(shared);
    t2_free(b.stack);
    count_all(t, words);
}

void tok_tree_release(struct tok_tree *t)
{
    t2_free(t->parent);
    t2_free(t->depth);
    t2_free(t->at);
    t2_free(t->count);
    t2_free(t->locus);
    t2_free(t->whole);
    *t = (struct tok_tree){0};
}
