/*
 * train/eval/bleu.h - corpus BLEU as Tensor2Tensor's script computes it; sacreBLEU's is in
 * sacrebleu.h.
 *
 * Spec t2t-trainer.md §8.2, §8.3; t2t-datagen.md §10.3.  How a line becomes tokens is in
 * bleu_tokenize.h.
 */
#ifndef EV_BLEU_H
#define EV_BLEU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ev_bleu {
    double score;         /* 0..100: 100 times a float32 */
    double precisions[4]; /* percent, smoothed */
    double brevity_penalty;
    uint64_t n_segments;
    uint64_t hypothesis_length, reference_length; /* tokens */
    uint64_t matches[4], possible[4];             /* n-grams of order 1..4 */
};

/* ---- segment by segment: memory does not grow with the corpus ---- */

struct ev_bleu_sum; /* belongs to one thread */

struct ev_bleu_sum *ev_bleu_sum_new(bool lower_case);
void ev_bleu_sum_free(struct ev_bleu_sum *s);
/* One hypothesis against its reference; UTF-8 without the line end. */
void ev_bleu_sum_add(struct ev_bleu_sum *s, struct t2_slice hypothesis, struct t2_slice reference);
/* Appends the tokens of a line, joined by blanks, as both sides of a segment are cut. */
void ev_bleu_tokenize(struct ev_bleu_sum *s, struct t2_slice line, struct t2_buf *tokens);
/* The score of all segments so far. */
void ev_bleu_sum_score(const struct ev_bleu_sum *s, struct ev_bleu *bleu);

/* The score of counts: sets precisions, brevity_penalty and score. */
void ev_bleu_of_counts(struct ev_bleu *bleu);

/* ---- at once ---- */

/*
 * Line n of one file against line n of the other, plain or gzip; lines end at LF only, a last line
 * without one counts.  n_scores scores in one pass: lower_case[i] asked, bleu[i] answered.
 *
 * T2_EFORMAT: the numbers of lines differ (both, and the first line without a partner, are named),
 * a line is not UTF-8 (file, line and byte), or there is no line at all.
 */
T2_MUST_CHECK enum t2_status ev_bleu_files(const char *hypothesis_path, const char *reference_path,
                                           const bool *lower_case, int n_scores,
                                           struct ev_bleu *bleu, struct t2_err *err);

#endif
