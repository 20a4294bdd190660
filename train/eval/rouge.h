/*
 * train/eval/rouge.h - ROUGE-1, ROUGE-2 and ROUGE-L of one summary, one line against one line, as
 * utils/rouge.py of Tensor2Tensor and as the package rouge-score 0.1.2 compute them.
 *
 *   Tensor2Tensor: words are what white space cuts; sets of n-grams; F = 2PR / (P + R + 1e-8);
 *   of the longest common subsequence F = (1 + b^2) R P / (R + b^2 P), b = P / (R + 1e-12).
 *   rouge-score: words of the letters a-z and digits, in lower case, or their stems; n-grams count
 *   as often as both have them; F = 2PR / (P + R).
 */
#ifndef EV_ROUGE_H
#define EV_ROUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum ev_rouge_variant { EV_ROUGE_T2T, EV_ROUGE_SCORE, EV_ROUGE_SCORE_STEMS };
enum { EV_ROUGE_1, EV_ROUGE_2, EV_ROUGE_L, EV_N_ROUGE };

struct ev_rouge_score {
    double precision, recall, f;
};

/* Tensor2Tensor's of what both have (n-grams as sets, or words of the longest common subsequence),
 * of so many. */
struct ev_rouge_score ev_rouge_t2t_n(uint64_t n_both, uint64_t n_prediction, uint64_t n_target);
struct ev_rouge_score ev_rouge_t2t_l(uint64_t n_both, uint64_t n_prediction, uint64_t n_target);

struct ev_rouge; /* working memory of one thread */

struct ev_rouge *ev_rouge_new(enum ev_rouge_variant variant);
void ev_rouge_free(struct ev_rouge *r);
/* Lines are UTF-8.  An empty side scores 0 (Tensor2Tensor's ROUGE-L divides by zero there). */
void ev_rouge_line(struct ev_rouge *r, struct t2_slice prediction, struct t2_slice target,
                   struct ev_rouge_score scores[EV_N_ROUGE]);

#endif
