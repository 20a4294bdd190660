/*
 * tokenizer/charsmap.h - writing a precompiled_charsmap: single characters and what replaces each.
 *
 * SentencePiece's format (darts-clone): u32 bytes of the array, the double array of UTF-8 keys as
 * u32 units, then the replacements, each ended by NUL; a key's value is the offset of its
 * replacement. Reading is in sp_model.c and sp_normalizer.c.
 */
#ifndef TOK_CHARSMAP_H
#define TOK_CHARSMAP_H

#include <stdint.h>

#include "base/buf.h"

/* Zero-initialise. */
struct tok_charsmap {
    uint32_t *units;
    size_t n, capacity;
    size_t leaf; /* the next cell for a value; n_leaves of them follow */
    size_t n_leaves;
    struct t2_buf replacements;
};

/* c is not 0 and comes once; the replacement holds no NUL. */
void tok_charsmap_add(struct tok_charsmap *m, uint32_t c, struct t2_slice replacement);
/* Appends the map. */
void tok_charsmap_write(const struct tok_charsmap *m, struct t2_buf *out);
void tok_charsmap_release(struct tok_charsmap *m);

#endif
