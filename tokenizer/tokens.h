/*
 * tokenizer/tokens.h - T2T's TokenTextEncoder, beyond what every encoder can (encoder.h).
 *
 * Spec t2t-datagen.md §4.10.
 */
#ifndef TOK_TOKENS_H
#define TOK_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"

/* As TokenTextEncoder(None, vocab_list=words): <pad>, <EOS>, then the words that are neither.
 * Copied. */
struct tok_encoder *tok_tokens_of_list(const struct t2_slice *words, size_t n);

/* A file as TokenTextEncoder reads it, whatever else it looks like to tok_load: each line is an
 * entry, also one that no word can equal.  T2_EFORMAT: not UTF-8, or empty. */
T2_MUST_CHECK enum t2_status tok_tokens_load(const char *path, struct tok_encoder **e,
                                             struct t2_err *err);

/*
 * What a word that is not listed becomes (replace_oov): an entry, or with NULL an error.  A file
 * that was just loaded has the first of <UNK>, UNK, <unk> that is an entry.  T2_EFORMAT: no such
 * entry.
 */
T2_MUST_CHECK enum t2_status tok_tokens_replace(struct tok_encoder *e, const char *word,
                                                struct t2_err *err);

/* Are entries 0 and 1 <pad> and <EOS>? */
bool tok_tokens_reserved(const struct tok_encoder *e);

/* The next word of str.split() from *at on, which moves behind it; false at the end. */
bool tok_next_word(const uint8_t *text, size_t len_bytes, size_t *at, struct t2_slice *word);

#endif
