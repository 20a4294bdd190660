/*
 * tokenizer/subword_tree_build.c - nodes out of sorted suffixes.
 *
 * They are found as from a suffix array and its table of common prefixes (Abouelhoda, Kurtz,
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

#include "base/alloc.h"

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
        uint32_t shared = b->shared[b->shared_by_place ? p : (uint32_t) i];

        if (top(b)->depth == 0) /* the first of its symbol */
            tok_tree_unused_symbols(b, b->words->symbols[p] + 1);
        if (len > top(b)->depth)
            open_node(b, len, i);
        close_down_to(b, shared, i);
    }
}

/* The same steps with nothing but depths. */
uint32_t tok_tree_count_nodes(const struct tok_tree *t, const int32_t *order,
                              const uint32_t *shared, int32_t n)
{
    uint32_t *stack = NULL, n_nodes = 0;
    size_t n_stack = 1, capacity = 0;

    for (int32_t i = n - 1; i >= 0; i--) {
        uint32_t len = t->locus[order[i]];

        if (n_stack + 2 > capacity) { /* a suffix leaves at most two more than there were */
            capacity = 2 * capacity + 256;
            stack = t2_realloc(stack, capacity, sizeof *stack);
            stack[0] = 0;
        }
        if (len > stack[n_stack - 1]) {
            stack[n_stack++] = len;
            n_nodes++;
        }
        while (stack[n_stack - 1] > shared[i]) {
            uint32_t own = stack[--n_stack], up = stack[n_stack - 1];

            if (up < shared[i]) {
                stack[n_stack++] = shared[i];
                n_nodes++;
            } else if (up == 0 && own > 1) {
                stack[n_stack++] = 1;
                n_nodes++;
            }
        }
    }
    t2_free(stack);
    return n_nodes;
}

/* locus (n_symbols) has two uses: until its suffix is visited, locus[p] holds the length of the
 * suffix at p, from then on the node. */
void tok_tree_find_lengths(struct tok_tree *t, const struct tok_words *w, uint32_t first,
                           uint32_t end, uint32_t limit)
{
    for (uint32_t k = first; k < end; k++)
        for (uint32_t p = w->starts[k]; p < w->starts[k + 1]; p++) {
            uint32_t left = w->starts[k + 1] - p;

            t->locus[p] = left < limit ? left : limit;
        }
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
