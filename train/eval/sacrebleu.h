/*
 * train/eval/sacrebleu.h - BLEU as sacreBLEU 2.6 computes it (metrics/bleu.py).
 *
 *   BLEU = 100 * brevity * (p1 p2 p3 p4)^(1/4),  p_n = matches / possible n-grams of order n
 *   brevity = 1, or exp(1 - reference length / hypothesis length) for a shorter hypothesis
 *
 * Statistics of a segment: hypothesis length, length of the reference that is nearest to it,
 * matches of orders 1..4, possible matches of orders 1..4.
 */
#ifndef EV_SACREBLEU_H
#define EV_SACREBLEU_H

#include "train/eval/bleu_tokenizer.h"
#include "train/eval/metric.h"

enum ev_smoothing { EV_SMOOTH_NONE, EV_SMOOTH_FLOOR, EV_SMOOTH_ADD_K, EV_SMOOTH_EXP };

struct ev_sacrebleu_options {
    bool lower_case, effective_order;
    enum ev_smoothing smoothing;
    double smooth_value; /* of floor and add-k; NaN: the default, 0.1 and 1 */
};

enum {
    EV_BLEU_ORDER = 4,
    EV_BLEU_HYPOTHESIS = 0, /* indices of the statistics */
    EV_BLEU_REFERENCE = 1,
    EV_BLEU_MATCHES = 2,
    EV_BLEU_POSSIBLE = EV_BLEU_MATCHES + EV_BLEU_ORDER,
    EV_BLEU_STATS = EV_BLEU_POSSIBLE + EV_BLEU_ORDER
};

/* Names of the smoothing methods, in the order of the enum: none floor add-k exp. */
extern const char *const ev_smoothing_names[4];

/* Takes the tokenizer over. */
struct ev_metric *ev_sacrebleu_new(const struct ev_sacrebleu_options *options,
                                   struct ev_tokenizer *tokenizer);

struct ev_bleu_parts {
    double precisions[EV_BLEU_ORDER]; /* percent, smoothed */
    double brevity_penalty;
};
/* The score of sums of statistics; parts may be NULL. */
struct ev_number ev_sacrebleu_score(const struct ev_sacrebleu_options *options, const double *stats,
                                    enum ev_sums sums, struct ev_bleu_parts *parts);
/* Appends "68.1/43.2/29.9/21.4 (BP = 1.000 ratio = 1.002 hyp_len = 12000 ref_len = 11980)". */
void ev_sacrebleu_verbose(const double *stats, const struct ev_bleu_parts *parts,
                          struct t2_buf *out);

#endif
