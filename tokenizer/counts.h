/*
 * tokenizer/counts.h - walking over word counts; filling them is in vocab_builder.h.
 */
#ifndef TOK_COUNTS_H
#define TOK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "tokenizer/vocab_builder.h"

/* Next word and its count, in no particular order; false at the end.  *cursor begins at 0.  The
 * word is borrowed until c changes. */
bool tok_counts_next(const struct tok_counts *c, size_t *cursor, struct t2_slice *word,
                     uint64_t *n);

#endif
