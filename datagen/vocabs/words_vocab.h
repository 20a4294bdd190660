/*
 * datagen/vocabs/words_vocab.h - the words of a text as its vocabulary.
 */
#ifndef DG_WORDS_VOCAB_H
#define DG_WORDS_VOCAB_H

#include "datagen/problem.h"

/*
 * A dg_problem.vocab.make: <pad>, <EOS>, the entry for unknown words if the spec has one, then the
 * words between blanks of the TRAIN samples, the most frequent first, of equals the lesser in
 * bytes; in all approx_size entries at most.
 */
T2_MUST_CHECK enum t2_status dg_make_words_vocab(const struct dg_problem *p,
                                                 const struct dg_options *options,
                                                 enum dg_side_index side, const char *path,
                                                 struct t2_err *err);

#endif
