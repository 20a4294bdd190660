/*
 * tokenizer/subwords.h - the model of T2T's subwords; between subwords.c and subwords_decode.c.
 */
#ifndef TOK_SUBWORDS_H
#define TOK_SUBWORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tokenizer/encoder.h"
#include "tokenizer/escape.h"
#include "tokenizer/trie.h"

struct tok_subwords {
    struct tok_alphabet alphabet;
    struct tok_trie trie; /* there once has_trie: the first word that is cut makes it */
    _Atomic bool has_trie;
    uint8_t needs_escape[256]; /* by byte: 1 when a word with it cannot be cut as it stands */
    uint8_t *shapes;           /* by id: what decoding must know of the entry */
    bool is_quoted;            /* in its file */
};

/* The model of an encoder of this kind; NULL: it is of another.  Borrowed. */
const struct tok_subwords *tok_subwords_model(const struct tok_encoder *e);

/* The shape of an entry, for shapes. */
uint8_t tok_entry_shape(struct t2_slice entry);
void tok_subwords_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text);

#endif
