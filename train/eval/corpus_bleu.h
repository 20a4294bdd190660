/*
 * train/eval/corpus_bleu.h - sacreBLEU's corpus score with its usual settings, segment by segment:
 * tokenizer 13a, exponential smoothing, one reference.
 */
#ifndef EV_CORPUS_BLEU_H
#define EV_CORPUS_BLEU_H

#include "base/err.h"

struct ev_corpus_bleu; /* belongs to one thread */

T2_MUST_CHECK enum t2_status ev_corpus_bleu_new(struct ev_corpus_bleu **b, struct t2_err *err);
void ev_corpus_bleu_free(struct ev_corpus_bleu *b);
T2_MUST_CHECK enum t2_status ev_corpus_bleu_add(struct ev_corpus_bleu *b, const char *hypothesis,
                                                const char *reference, struct t2_err *err);
/* 0 to 100; NaN of no segments. */
double ev_corpus_bleu_score(const struct ev_corpus_bleu *b);
/* What the score is made of, so that segments may be added elsewhere: counts, which add up. */
enum { EV_CORPUS_BLEU_SUMS = 11 };
void ev_corpus_bleu_sums(const struct ev_corpus_bleu *b, double sums[EV_CORPUS_BLEU_SUMS]);
void ev_corpus_bleu_add_sums(struct ev_corpus_bleu *b, const double sums[EV_CORPUS_BLEU_SUMS]);

#endif
