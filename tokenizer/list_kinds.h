/*
 * tokenizer/list_kinds.h - lists of entries that are not lists of words, though they look like
 * them.
 *
 * A list of words is what T2T's TokenTextEncoder takes: a text is cut at its blanks.  Lists of
 * pieces of words would give unknown words only, without a word said.
 */
#ifndef TOK_LIST_KINDS_H
#define TOK_LIST_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What entries are when they are pieces of words, with the way out; NULL: words, as far as one can
 * see. */
const char *tok_list_of_pieces(const struct t2_slice *entries, size_t n);

/* Lines "entry TAB number": what such a file is, with the way out; NULL: it is none. */
const char *tok_table_of_entries(const struct t2_slice *lines, size_t n);

/* A line of such a table; false: it is none. */
bool tok_table_line(struct t2_slice line, struct t2_slice *entry, double *number);

#endif
