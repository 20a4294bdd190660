/*
 * tokenizer/subword_tree.h - every substring that a vocabulary build can ever count, as one tree.
 *
 * The builder (spec t2t-datagen.md §4.6) counts the substrings that begin where a piece begins, and
 * takes from each the counts of its longer ones that are kept.  As a tree of prefixes that is one
 * pass from the leaves up:
 *
 *     left(s) = count(s) - sum of given(child);  s is kept when left(s) >= min_count;
 *     given(s) = count(s) when s is kept, else the sum of given(child)
 *
 * Along a chain without branches only the lowest string can be kept (above it left() is 0, or the
 * same value that was too small), so branching points and ends are the only nodes needed: at most
 * two for each place of the text, however long the words are.
 */
#ifndef TOK_SUBWORD_TREE_H
#define TOK_SUBWORD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* Escaped words one after another.  A symbol is the rank of a code point in the alphabet, so
 * symbols order as code points do; every word ends with its only `last` symbol ('_'). */
struct tok_words {
    uint32_t *symbols;
    uint32_t n_symbols;
    uint32_t *starts; /* n_words + 1 */
    uint64_t *counts;
    uint32_t n_words;
    uint32_t n_kinds; /* size of the alphabet */
    uint32_t last;
};
void tok_words_release(struct tok_words *w);

/*
 * Nodes are numbered so that strings descend: children stand before their parent, and the node of a
 * string before those of all smaller strings.  The root is the last.  Every symbol has a node, also
 * those without a word.
 */
struct tok_tree {
    uint32_t n_nodes;
    uint32_t *parent; /* of the root: itself */
    uint32_t *depth;  /* length of the string */
    uint32_t *at;     /* where it stands in the symbols; of a node of depth 1: its symbol */
    uint64_t *count;  /* when every place of every word begins a piece */
    uint32_t *locus;  /* (n_symbols) the deepest node on the path of the suffix that begins here */
    uint64_t *whole; /* bit per place: a reserved string is the rest of the word; NULL if nowhere */
    uint64_t min_count; /* of its nodes, those of depth 1 aside; 1: all are there */
};

/* Strings longer than limit are left out; UINT32_MAX = none.  reserved: strings of symbols, each
 * with its `last`.  words is borrowed and must not change.  pool may be NULL; the result does not
 * depend on it. */
struct tok_symbols {
    const uint32_t *items;
    uint32_t n;
};
void tok_tree_init(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                   const struct tok_symbols *reserved, size_t n_reserved, struct t2_pool *pool);
/*
 * The same tree without the nodes that have fewer than min_count occurrences, for probes of
 * min_count and more: same results, a third of the memory.  Suffixes are sorted some first symbols
 * at a time, on one thread, and limit has to be TOK_PRUNED_LIMIT at most.
 */
enum { TOK_PRUNED_LIMIT = 1 << 14 };
void tok_tree_init_pruned(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                          const struct tok_symbols *reserved, size_t n_reserved,
                          uint64_t min_count);
void tok_tree_release(struct tok_tree *t);

/* A string of a vocabulary; node is of the whole tree. */
struct tok_kept {
    uint64_t count;
    uint32_t node;
};

/* What probes work in, kept from one to the next: fresh memory for each would be a tenth of the
 * time. Zeroed before the first; released with tok_probe_arrays_release. */
enum { TOK_PROBE_ARRAYS = 7 };
struct tok_probe_arrays {
    void *items[TOK_PROBE_ARRAYS];
    size_t bytes[TOK_PROBE_ARRAYS];
};
void tok_probe_arrays_release(struct tok_probe_arrays *a);

/* One probe of the search: `iterations` rounds with min_count >= 1.  sizes[i] = number of strings
 * after round i.  *kept (owned by the caller, t2_free) are those of the last round, in order of
 * their nodes.  pool may be NULL; the result does not depend on it. */
void tok_tree_probe(const struct tok_tree *t, const struct tok_words *words, uint64_t min_count,
                    int iterations, struct t2_pool *pool, struct tok_probe_arrays *arrays,
                    size_t *sizes, struct tok_kept **kept, size_t *n_kept);

#endif
