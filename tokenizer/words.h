/*
 * tokenizer/words.h - text into words (tensor2tensor/data_generators/tokenizer.py).
 *
 * Spec t2t-datagen.md §4.2.  A word is a maximal run of alphanumeric or of other code points; a run
 * that is one blank is left out unless it begins or ends the text.  Inner loops use word_scan.h.
 */
#ifndef TOK_WORDS_H
#define TOK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Calls fn for each word of the text in order.  Words are borrowed from text. */
typedef void (*tok_word_fn)(void *arg, const uint8_t *word, size_t len_bytes);
void tok_split_words(const uint8_t *text, size_t len_bytes, tok_word_fn fn, void *arg);

#endif
