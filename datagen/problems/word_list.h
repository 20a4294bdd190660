/*
 * datagen/problems/word_list.h - the vocabulary of the words that occur most, as T2T's token
 * problems make it.
 */
#ifndef DG_WORD_LIST_H
#define DG_WORD_LIST_H

#include "datagen/vocabs/ranked_words.h"

/*
 * Writes the words, one a line, as they are ranked.
 *
 * reserved: <pad> and <EOS> stand before them, are not among them, and the last line ends with LF
 * (TokenTextEncoder.store_to_file); else they are joined by LF.  most 0: all words.
 */
T2_MUST_CHECK enum t2_status dg_write_word_list(struct dg_ranked_words *words, size_t most,
                                                bool reserved, const char *path,
                                                struct t2_err *err);

#endif
