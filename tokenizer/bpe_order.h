/*
 * tokenizer/bpe_order.h - which merges a byte-pair vocabulary needs when any two neighbours merge
 * whose concatenation is an entry, lowest rank first; for conversions.
 *
 * tiktoken and SentencePiece merge so, while tokenizer.json lists pairs.  The two agree when every
 * entry is what merging its own symbols gives.  For then, as long as merges were done in ascending
 * rank, the symbols within the place of an entry are those that the entry alone would have (a merge
 * across its border would have made the place another), so the pair that becomes the entry is
 * always the same one, its split, and no pair of a lower rank can come up later.  An entry that
 * merging does not give, though some two entries make it up, breaks this and is counted.
 */
#ifndef TOK_BPE_ORDER_H
#define TOK_BPE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TOK_NO_RANK = -1 };

/* All by id, borrowed. */
struct tok_ranked {
    const struct t2_slice *tokens; /* empty: a hole */
    const int64_t *ranks;          /* TOK_NO_RANK: no merge makes it */
    size_t n;
    bool by_char; /* symbols are characters of UTF-8, else bytes */
};

/* The last merge of an entry; -1: it has none (a single symbol, a hole, or never made). */
struct tok_split {
    int32_t left, right;
};

struct tok_splits {
    struct tok_split *items; /* by id */
    size_t n_wrong;          /* entries that break the rule above */
    int32_t first_wrong;
    size_t n_never; /* longer entries that no merge makes, and no two entries make up */
    int32_t first_never;
};

void tok_splits_init(struct tok_splits *s, const struct tok_ranked *r);
void tok_splits_release(struct tok_splits *s);

/* Length of the symbol that begins at s[at]. */
size_t tok_symbol_bytes(struct t2_slice s, size_t at, bool by_char);

#endif
