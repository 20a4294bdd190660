/*
 * tokenizer/escape.h - words into the alphabet of a subword vocabulary and back.
 *
 * Spec t2t-datagen.md §4.4 (_escape_token, _unescape_token of text_encoder.py).
 */
#ifndef TOK_ESCAPE_H
#define TOK_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A set of code points.  Owned by the caller, released with tok_alphabet_free. */
struct tok_alphabet {
    uint64_t *bits; /* one per code point */
};

/* "\_u;0123456789": part of every alphabet. */
extern const char tok_escape_characters[];

void tok_alphabet_init(struct tok_alphabet *a); /* the escape characters alone */
void tok_alphabet_release(struct tok_alphabet *a);
void tok_alphabet_add(struct tok_alphabet *a, const uint8_t *text, size_t len_bytes);

static inline bool tok_alphabet_has(const struct tok_alphabet *a, uint32_t code_point)
{
    return (a->bits[code_point / 64] >> code_point % 64 & 1) != 0;
}

/* Appends the escaped word, its final '_' included.  Bytes that are not UTF-8 count as U+FFFD. */
void tok_escape(const struct tok_alphabet *a, const uint8_t *word, size_t len_bytes,
                struct t2_buf *out);
/* Appends the word of a piece without its final '_'. */
void tok_unescape(const uint8_t *piece, size_t len_bytes, struct t2_buf *out);

#endif
