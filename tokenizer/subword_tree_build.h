/*
 * tokenizer/subword_tree_build.h - nodes of a tree out of sorted suffixes; inside subword_*.c.
 */
#ifndef TOK_SUBWORD_TREE_BUILD_H
#define TOK_SUBWORD_TREE_BUILD_H

#include "tokenizer/subword_tree.h"

#define TOK_NO_NODE UINT32_MAX

/* A node on the path to the current suffix, not numbered yet. */
struct tok_open_node {
    uint32_t depth;
    uint32_t children; /* list through tok_tree.parent */
    int32_t last_leaf; /* index into order of the last suffix that is this node; -1 if none is */
};

struct tok_tree_builder {
    struct tok_tree *t;
    const struct tok_words *words;
    const int32_t *order;
    /* Symbols that the suffix order[i] shares with the one before it, 0 for the first: shared[i],
     * or by its place, shared[order[i]]. */
    const uint32_t *shared;
    bool shared_by_place;
    uint32_t capacity;
    struct tok_open_node *stack;
    size_t n_stack, stack_capacity;
    uint32_t next_symbol; /* all above have their node */
};

/* Until its suffix is visited, locus[p] holds the length of the suffix at p: those of words first
 * .. end - 1. */
void tok_tree_find_lengths(struct tok_tree *t, const struct tok_words *w, uint32_t first,
                           uint32_t end, uint32_t limit);
void tok_tree_begin(struct tok_tree_builder *b);
/* Nodes of the n suffixes in b->order; a later call must give suffixes that begin with smaller
 * symbols. */
void tok_tree_visit(struct tok_tree_builder *b, int32_t n);
/* Nodes of symbols from b->next_symbol - 1 down to symbol + 1, which no suffix begins with. */
void tok_tree_unused_symbols(struct tok_tree_builder *b, uint32_t symbol);
uint32_t tok_tree_new_node(struct tok_tree_builder *b, uint32_t depth, uint32_t at);

/* How many nodes tok_tree_visit will make of n suffixes with the same first symbols, sorted: order
 * (n) places, shared (n) by their order.  t->locus holds lengths. */
uint32_t tok_tree_count_nodes(const struct tok_tree *t, const int32_t *order,
                              const uint32_t *shared, int32_t n);
/* locus, nodes and counts of a tree whose min_count is set, limit > 0; the rare ones are left out.
 * Every suffix is sorted by reading its symbols. */
void tok_tree_by_groups(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                        struct t2_pool *pool);

#endif
