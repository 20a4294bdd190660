/*
 * tokenizer/counts.h - walking over word counts, and bounding their memory; filling them is in
 * vocab_builder.h.
 */
#ifndef TOK_COUNTS_H
#define TOK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tokenizer/vocab_builder.h"

/* Next word and its count, in no particular order unless c was sorted; false at the end.  *cursor
 * begins at 0.  The word is borrowed until c changes. */
bool tok_counts_next(const struct tok_counts *c, size_t *cursor, struct t2_slice *word,
                     uint64_t *n);
/* Cursors are below it.  One may begin anywhere, and stands one behind the word that it has found:
 * so threads can walk parts of a table. */
size_t tok_counts_end(const struct tok_counts *c);

/*
 * Calls full(arg, c) when another word would bring c above max_bytes, the moment of growing
 * included; full has to empty c.  More than max_bytes is only used by a word that does not fit.
 */
void tok_counts_limit(struct tok_counts *c, size_t max_bytes,
                      void (*full)(void *arg, struct tok_counts *c), void *arg);
/* Brings the words into the order of t2_slice_cmp, in place; nothing is added until c is
 * emptied. */
void tok_counts_sort(struct tok_counts *c);
/* Appends a word that comes after all that are there, to c as it was emptied: c is sorted then and
 * takes no more than it has to. */
void tok_counts_append(struct tok_counts *c, const uint8_t *word, size_t len_bytes, uint64_t n);
/* Sorts, and gives back what the sorted words do not need. */
void tok_counts_pack(struct tok_counts *c);
void tok_counts_clear(struct tok_counts *c);

#endif
