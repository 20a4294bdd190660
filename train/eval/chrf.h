/*
 * train/eval/chrf.h - chrF and chrF++ as sacreBLEU 2.6 computes them (metrics/chrf.py; Popović
 * 2015, 2017): F-score of the n-grams of characters, and of words where word_order is not 0.
 *
 * Statistics of a segment, for each order of characters, then of words: n-grams of the hypothesis
 * (0 where the reference has none of that order), of the reference, matches; against the reference
 * that gives the best score.
 */
#ifndef EV_CHRF_H
#define EV_CHRF_H

#include "train/eval/metric.h"

enum { EV_CHRF_MAX_ORDER = 16 }; /* of each kind */

struct ev_chrf_options {
    int char_order, word_order, beta; /* 6, 0, 2; at least one order is not 0 */
    bool lower_case, whitespace;      /* whether white space counts */
    bool eps_smoothing;               /* as chrF++.py, instead of leaving out empty orders */
};

struct ev_metric *ev_chrf_new(const struct ev_chrf_options *options);

#endif
