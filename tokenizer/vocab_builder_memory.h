/*
 * tokenizer/vocab_builder_memory.h - what a build with known sizes takes; the estimate of unknown
 * ones is tok_build_memory of vocab_builder.h.
 */
#ifndef TOK_VOCAB_BUILDER_MEMORY_H
#define TOK_VOCAB_BUILDER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "tokenizer/vocab_builder.h"

struct tok_build_size {
    uint64_t n_words, n_symbols;
    uint64_t n_nodes;      /* of the tree */
    uint64_t n_kept_nodes; /* those with at least min_count occurrences */
};

/* Bytes of words, tree and one probe at their highest. */
uint64_t tok_tree_bytes(const struct tok_build_size *z, int threads);
/* The same with a pruned tree, whose nodes n_nodes counts. */
uint64_t tok_pruned_tree_bytes(const struct tok_build_size *z, int threads);
/* Shall the tree be pruned, because the whole one does not fit into options->max_memory? */
bool tok_build_is_pruned(const struct tok_counts *counts, const struct tok_build_options *options);

#endif
