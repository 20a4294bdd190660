/*
 * datagen/vocabs/ranked_words.h - how often words occur, and the most frequent first, in a part of
 * --max_memory: what does not fit goes to disk.
 */
#ifndef DG_RANKED_WORDS_H
#define DG_RANKED_WORDS_H

#include "base/buf.h"
#include "datagen/problem.h"

enum dg_equal_words {
    DG_EQUALS_BY_BYTES, /* of words that are as frequent the lesser in bytes comes first */
    DG_EQUALS_BY_FIRST  /* the one that was added first */
};

struct dg_ranked_words;
/* Files are made in options->data_dir, which is borrowed. */
struct dg_ranked_words *dg_ranked_words_new(const struct dg_options *options,
                                            enum dg_equal_words equals);
void dg_ranked_words_free(struct dg_ranked_words *w); /* NULL is allowed */
/* A word, which may hold any bytes.  A failure is remembered: dg_ranked_words_rank. */
void dg_ranked_words_add(struct dg_ranked_words *w, struct t2_slice word);
/* The words of a text: what stands between white space (spec t2t-datagen.md §4.1). */
void dg_ranked_words_add_text(struct dg_ranked_words *w, struct t2_slice text);
/* All are added. */
T2_MUST_CHECK enum t2_status dg_ranked_words_rank(struct dg_ranked_words *w, struct t2_err *err);
/* The next word, borrowed until the next call; T2_EOF after the last.  T2_ENOMEM when those that
 * were given are more than a vocabulary may have: it is in memory as a whole where it is used. */
T2_MUST_CHECK enum t2_status dg_ranked_words_next(struct dg_ranked_words *w, struct t2_slice *word,
                                                  uint64_t *count, struct t2_err *err);

#endif
