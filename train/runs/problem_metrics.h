/*
 * train/runs/problem_metrics.h - what evaluations of a problem say beside accuracy: the original's
 * eval_metrics() of each of its problems.
 */
#ifndef TR_PROBLEM_METRICS_H
#define TR_PROBLEM_METRICS_H

#include "datagen/problem.h"
#include "train/eval/value_scores.h"
#include "train/models/model.h"

/* EV_APPROX_BLEU, ... (eval/id_scores.h), as bits.  Problems that the original has not are taken
 * for what they are most like: text for text, speech for speech. */
unsigned tr_problem_metrics(const struct dg_view *view);

/* What targets of this kind are to scores. */
enum ev_value_kind tr_value_kind(enum mdl_target_kind target);

/* What an evaluation knows of the targets. */
struct tr_metric_target {
    enum ev_value_kind values; /* EV_NO_VALUES: they are ids */
    int64_t n_values;
    bool class_labels;     /* one id a row */
    bool images;           /* of classes; nothing but accuracy is said */
    bool pixels, mixtures; /* ids are values of pixels; they are no ids, but mixtures */
    bool has_inputs;       /* rows of ids */
    bool masked;           /* records say which of the ids count */
};
/* The names of --eval_metrics, with commas between: *ids gets bits of eval/id_scores.h, *values of
 * eval/value_scores.h.  T2_EUSAGE: there is none of that name, or not of such targets. */
T2_MUST_CHECK enum t2_status tr_ask_metrics(const char *names, const struct tr_metric_target *of,
                                            unsigned *ids, unsigned *values, struct t2_err *err);

#endif
