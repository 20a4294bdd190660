/*
 * tokenizer/subword_tree.c - the tree from the suffix array; probing it is in subword_probe.c.
 *
 * The nodes are found as from a suffix array and its table of common prefixes (Abouelhoda, Kurtz,
 * Ohlebusch 2004): suffixes are visited from the last to the first, and a stack holds the nodes on
 * the path to the present one.  When the next suffix shares only `shared` symbols with it, all
 * deeper nodes are complete: they get their number, and their parent is what is below them on the
 * stack, or a new node of depth `shared`.  Nodes thus come out children first and in descending
 * order of their strings, which is the order that probes walk.
 *
 * While a node is open its children form a list through parent[]; it becomes their parent when it
 * closes.
 */
#include "tokenizer/subword_tree_build.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/suffix_array.h"

void tok_words_release(struct tok_words *w)
{
    t2_free(w->symbols);
    t2_free(w->starts);
    t2_free(w->counts);
    *w = (struct tok_words){0};
}

uint32_t tok_tree_new_node(struct tok_tree_builder *b, uint32_t depth, uint32_t at)
{
    struct tok_tree *t = b->t;

    if (t->n_nodes == b->capacity) {
        b->capacity += b->capacity / 2 + 1024;
        t->parent = t2_realloc(t->parent, b->capacity, sizeof *t->parent);
        t->depth = t2_realloc(t->depth, b->capacity, sizeof *t->depth);
        t->at = t2_realloc(t->at, b->capacity, sizeof *t->at);
    }
    t->depth[t->n_nodes] = depth;
    t->at[t->n_nodes] = at;
    return t->n_nodes++;
}

/*
 * A node on the stack: depth, its children so far, and the last suffix that ends exactly there (-1
 * none).
 */
static void open_node(struct tok_tree_builder *b, uint32_t depth, int32_t last_leaf)
{
    if (b->n_stack == b->stack_capacity) {
        b->stack_capacity = b->stack_capacity * 2 + 256;
        b->stack = t2_realloc(b->stack, b->stack_capacity, sizeof *b->stack);
    }
    b->stack[b->n_stack++] = (struct tok_open_node){depth, TOK_NO_NODE, last_leaf};
}

static struct tok_open_node *top(struct tok_tree_builder *b)
{
    return &b->stack[b->n_stack - 1];
}

static void add_child(struct tok_tree_builder *b, struct tok_open_node *parent, uint32_t node)
{
    b->t->parent[node] = parent->children;
    parent->children = node;
}

/* Nodes of symbols from next_symbol - 1 down to symbol + 1, which no suffix begins with. */
void tok_tree_unused_symbols(struct tok_tree_builder *b, uint32_t symbol)
{
    while (b->next_symbol > symbol) {
        b->next_symbol--;
        add_child(b, &b->stack[0], tok_tree_new_node(b, 1, b->next_symbol));
    }
}

/* Numbers the top node, whose first suffix is order[first], and takes it from the stack. */
static uint32_t close_top(struct tok_tree_builder *b, int32_t first)
{
    struct tok_open_node o = b->stack[--b->n_stack];
    uint32_t at = (uint32_t) b->order[first];
    uint32_t node;

    if (o.depth == 1) {
        at = b->words->symbols[at];
        tok_tree_unused_symbols(b, at + 1);
        b->next_symbol = at;
    }
    node = tok_tree_new_node(b, o.depth, at);
    for (uint32_t c = o.children, next; c != TOK_NO_NODE; c = next) {
        next = b->t->parent[c];
        b->t->parent[c] = node;
    }
    for (int32_t i = first; i <= o.last_leaf; i++)
        b->t->locus[b->order[i]] = node;
    return node;
}

/* Closes the nodes that the suffix before order[i] does not share. */
static void close_down_to(struct tok_tree_builder *b, uint32_t depth, int32_t i)
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

/* Symbols that order[i] shares with the suffix before it: from the table, or, for a group of the
 * pruned tree, by comparing. */
static uint32_t shared_before(const struct tok_tree_builder *b, int32_t i)
{
    uint32_t p = (uint32_t) b->order[i], q, most, n = 0;

    if (i == 0)
        return 0;
    if (b->shared)
        return b->shared[p];
    q = (uint32_t) b->order[i - 1];
    most = b->t->locus[p] < b->t->locus[q] ? b->t->locus[p] : b->t->locus[q];
    while (n < most && b->words->symbols[p + n] == b->words->symbols[q + n])
        n++;
    return n;
}

void tok_tree_begin(struct tok_tree_builder *b)
{
    b->next_symbol = b->words->n_kinds;
    open_node(b, 0, -1);
}

/* Suffixes are visited from the last to the first, so nodes come out in descending order. */
void tok_tree_visit(struct tok_tree_builder *b, int32_t n)
{
    struct tok_tree *t = b->t;

    for (int32_t i = n - 1; i >= 0; i--) {
        uint32_t p = (uint32_t) b->order[i];
        uint32_t len = t->locus[p]; /* see find_lengths */
        uint32_t shared = shared_before(b, i);

        tok_tree_unused_symbols(b, b->words->symbols[p] + 1);
        if (len > top(b)->depth)
            open_node(b, len, i);
        close_down_to(b, shared, i);
    }
}

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

/* locus (n_symbols) has two uses: until its suffix is visited, locus[p] holds the length of the
 * suffix at p, from then on the node. */
void tok_tree_find_lengths(struct tok_tree *t, const struct tok_words *w, uint32_t limit)
{
    for (uint32_t k = 0; k < w->n_words; k++)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; p++) {
            uint32_t left = w->starts[k + 1] - p;

            t->locus[p] = left < limit ? left : limit;
        }
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

/* Order of the suffix at p against a string that ends with `last`, looking at no more than that. */
static int compare_suffix(const struct tok_words *w, uint32_t p, struct tok_symbols s)
{
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t a = w->symbols[p + i], b = s.items[i];

        if (a != b)
            return a < b ? -1 : 1;
        /* Both end with their first `last`, so neither runs over its end. */
    }
    return 0;
}

/*
 * Marks the places where the rest of the word is a reserved string: a range of the suffix array,
 * found by bisection.
 */
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
    for (; low < w->n_symbols && compare_suffix(w, (uint32_t) order[low], s) == 0; low++) {
        uint32_t p = (uint32_t) order[low];

        if (!t->whole)
            t->whole = t2_alloc(w->n_symbols / 64 + 1, sizeof *t->whole);
        t->whole[p / 64] |= (uint64_t) 1 << p % 64;
    }
}

void tok_tree_init(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                   const struct tok_symbols *reserved, size_t n_reserved)
{
    int32_t n = (int32_t) words->n_symbols;
    int32_t *order = t2_alloc(words->n_symbols, sizeof *order);
    uint32_t *shared = t2_alloc(words->n_symbols, sizeof *shared);
    struct tok_tree_builder b = {.t = t, .words = words, .order = order, .shared = shared};

    T2_ASSERT(words->n_symbols > 0 && words->n_symbols < INT32_MAX);
    *t = (struct tok_tree){.min_count = 1};
    t->locus = t2_alloc(words->n_symbols, sizeof *t->locus);
    tok_suffix_array(words->symbols, n, words->n_kinds, order);
    tok_suffix_shared(words->symbols, n, order, words->last, limit, shared);
    for (size_t i = 0; i < n_reserved; i++)
        find_reserved(t, words, order, reserved[i]);
    tok_tree_find_lengths(t, words, limit);
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
