/*
 * train/eval/ngram_match.h - clipped n-gram matches of one segment, exact and in linear time.
 *
 * Nothing is compared by hash alone: every n-gram of the reference gets a number, and an n-gram is
 * the pair (number of its first n-1 tokens, last token).
 */
#ifndef EV_NGRAM_MATCH_H
#define EV_NGRAM_MATCH_H

#include <stdint.h>

#include "base/buf.h"

enum { EV_NGRAM_ORDER = 4 };

struct ev_ngrams; /* working memory, reused from segment to segment; belongs to one thread */

struct ev_ngrams *ev_ngrams_new(void);
void ev_ngrams_free(struct ev_ngrams *g);

struct ev_ngram_counts {
    uint64_t hypothesis_length, reference_length;
    uint64_t matches[EV_NGRAM_ORDER], possible[EV_NGRAM_ORDER];
};

/* Adds one segment to *counts.  Tokens are joined by single blanks: "" has none. */
void ev_ngrams_add(struct ev_ngrams *g, struct t2_slice hypothesis, struct t2_slice reference,
                   struct ev_ngram_counts *counts);

#endif
