/*
 * train/eval/ngram_match.h - n-grams of one segment that hypothesis and references share: the
 * counting of BLEU, chrF and ROUGE, exact and in linear time.
 *
 * What an n-gram is made of are numbers: of words (word_ids.h) or code points.  Nothing is compared
 * by hash alone: every n-gram of the references gets a number, and an n-gram is the pair (number of
 * its first n-1 parts, last part).
 */
#ifndef EV_NGRAM_MATCH_H
#define EV_NGRAM_MATCH_H

#include <stddef.h>
#include <stdint.h>

/* Longest n-grams that are counted, and parts of a segment; together they fit the numbers. */
enum { EV_NGRAM_MAX_ORDER = 32, EV_NGRAM_MAX_PARTS = 1 << 26 };

struct ev_ngrams; /* working memory, reused from segment to segment; belongs to one thread */

/* Orders 1 ... order. */
struct ev_ngrams *ev_ngrams_new(int order);
void ev_ngrams_free(struct ev_ngrams *g);

/* Forgets all n-grams. */
void ev_ngrams_start(struct ev_ngrams *g);
/* Adds a reference; with several an n-gram counts as often as in the one that has most of it. */
void ev_ngrams_reference(struct ev_ngrams *g, const uint32_t *parts, size_t n);
/* matches[k], k < order: how many n-grams of order k + 1 the hypothesis has, each at most as often
 * as the references.  Takes the counts: once between start and start. */
void ev_ngrams_match(struct ev_ngrams *g, const uint32_t *parts, size_t n, uint64_t *matches);

/* The n-grams of the highest order as sets: how many different ones the references have, the
 * hypothesis, and both.  Instead of ev_ngrams_match. */
struct ev_ngram_sets {
    uint64_t n_reference, n_hypothesis, n_both;
};
void ev_ngrams_sets(struct ev_ngrams *g, const uint32_t *parts, size_t n,
                    struct ev_ngram_sets *sets);

/* How many n-grams of an order n parts have. */
static inline uint64_t ev_ngrams_possible(size_t n, int order)
{
    return n >= (size_t) order ? n - (size_t) order + 1 : 0;
}

#endif
