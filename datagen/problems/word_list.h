/*
 * datagen/problems/word_list.h - the vocabulary of the words that occur most, as T2T's token problems make it.
 */
#ifndef DG_WORD_LIST_H
#define DG_WORD_LIST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"

/* Counts the words of a text: what stands between white space (spec t2t-datagen.md §4.1). */
void dg_count_words(struct t2_map *counts, struct t2_slice text);

/*
 * Writes the words, one a line, by falling count, then by bytes.
 *
 * reserved: <pad> and <EOS> stand before them, are not among them, and the last line ends with LF
 * (TokenTextEncoder.store_to_file); else they are joined by LF.  most 0: all words.
 */
T2_MUST_CHECK enum t2_status dg_write_word_list(const struct t2_map *counts, size_t most,
                                                bool reserved, const char *path,
                                                struct t2_err *err);

#endif
