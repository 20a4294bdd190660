/*
 * vocab/word_counts.h - the words of a corpus, counted on all threads.
 */
#ifndef VOC_WORD_COUNTS_H
#define VOC_WORD_COUNTS_H

#include <stdint.h>

#include "base/err.h"
#include "tokenizer/vocab_builder.h"
#include "vocab/corpus.h"

/* Counts the blocks whose index is task modulo n_tasks (0 of 1: all).  *counts is owned by the caller. */
T2_MUST_CHECK enum t2_status voc_count_words(const struct voc_corpus *c, uint64_t task,
                                             uint64_t n_tasks, struct t2_pool *pool,
                                             struct tok_counts **counts, struct t2_err *err);

/* "2/8" (the third of eight): false when it is none. */
bool voc_parse_task(const char *text, uint64_t *task, uint64_t *n_tasks);

#endif
