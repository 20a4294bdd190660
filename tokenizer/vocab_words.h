/*
 * tokenizer/vocab_words.h - word counts as symbols: the alphabet of a vocabulary, ranked, and all
 * words escaped in it.
 *
 * Follows build_from_token_counts of tensor2tensor/data_generators/text_encoder.py: the alphabet is
 * the characters of all words and of the reserved tokens; words are escaped before they are cut.
 */
#ifndef TOK_VOCAB_WORDS_H
#define TOK_VOCAB_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/pool.h"
#include "tokenizer/counts.h"
#include "tokenizer/escape.h"
#include "tokenizer/subword_tree.h"

/* A symbol is the rank of a code point: the number of smaller ones in the alphabet. */
struct tok_ranks {
    struct tok_alphabet set;
    uint32_t *before;      /* by 64 code points: how many of the alphabet are smaller */
    uint32_t *code_points; /* (n) by rank */
    uint32_t n;
};

/* coverage in (0, 1): only the most frequent characters, as many as cover that share of all; else
 * every one.  Owned by the caller, released with tok_ranks_release.  pool may be NULL here and
 * below; results do not depend on it. */
void tok_ranks_init(struct tok_ranks *r, const struct tok_counts *counts,
                    const char *const *reserved, size_t n_reserved, double coverage,
                    struct t2_pool *pool);
void tok_ranks_release(struct tok_ranks *r);

/* Writes the symbols of an escaped word, its end included, to `to`, or only counts them when to is
 * NULL (tok_escape, in symbols).  Returns how many. */
size_t tok_escape_symbols(const struct tok_ranks *r, const uint8_t *word, size_t len_bytes,
                          uint32_t *to);

/* All words of counts, in the order of tok_counts_next; released with tok_words_release.
 * T2_EFORMAT: no word; T2_EUNSUPPORTED: INT32_MAX symbols or more. */
T2_MUST_CHECK enum t2_status tok_words_init(struct tok_words *w, const struct tok_ranks *r,
                                            const struct tok_counts *counts, struct t2_pool *pool,
                                            struct t2_err *err);

#endif
