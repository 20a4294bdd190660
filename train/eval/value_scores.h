/*
 * train/eval/value_scores.h - how near predicted numbers are to the true ones, and predicted sets
 * of labels: scores of evaluations whose targets are values.
 *
 * They have the names of tensor2tensor's utils/metrics.py.  There most of them are means over
 * batches of what a batch has; here all are of all samples together, as the original's of one batch
 * that has them all, so that no score depends on the size of batches.
 */
#ifndef EV_VALUE_SCORES_H
#define EV_VALUE_SCORES_H

#include <stdbool.h>
#include <stdint.h>

enum ev_value_kind { EV_NO_VALUES, EV_REALS, EV_LABEL_SETS };

/* Scores that are said where they are asked for, as bits. */
enum {
    EV_LOG_POISSON = 1,
    EV_TWO_CLASSES = 2, /* two_class_accuracy, two_class_log_likelihood: targets are 0 or 1 */
    EV_ONE_HOT = 4,     /* softmax_cross_entropy_one_hot, sigmoid_*_one_hot, sigmoid_accuracy */
    EV_ROC_AUC = 8,     /* of two labels, one of which holds */
    EV_MATCH_3 = 16     /* accuracy_multilabel_match3 */
};

/*
 * p a prediction, t its target, means over all values of all samples; NaN where nothing was added.
 * Of label sets p is a logit: a label is said to hold where it is above 0.  "The first" is the
 * label whose sigmoid, as a float32, is the greatest, "the greatest" that of the greatest logit; of
 * several the first.
 */
struct ev_value_means {
    enum ev_value_kind kind;
    unsigned asked;
    double unpadded_mse, rmse; /* mean (p - t)^2, and its root */
    double mean_absolute_error;
    double r_squared;                 /* 1 - sum (t - p)^2 / sum (t - mean t)^2 */
    double pearson;                   /* correlation; NaN where one side does not vary */
    double binary_accuracy;           /* of all labels, those that were said rightly */
    double set_precision, set_recall; /* rightly said to hold, of those said to, of those that do */
    /* A sum, as in the original: e^p - t p, and above 1 Stirling's approximation of log t!. */
    double log_poisson;
    double two_class_accuracy;       /* p rounded, halves to even, is t */
    double two_class_log_likelihood; /* mean log p of class 1, log (1 - p) of class 0 */
    /* Means over samples: - sum t log softmax(p); over labels: of the sigmoid's. */
    double softmax_cross_entropy_one_hot, sigmoid_cross_entropy_one_hot;
    double sigmoid_accuracy;           /* the first is the first label that holds, or label 0 */
    double sigmoid_precision_one_hot;  /* the first holds */
    double sigmoid_recall_one_hot;     /* likewise, of all that hold */
    double roc_auc;                    /* of the greatest, a 0 or a 1: area of three points */
    double accuracy_multilabel_match3; /* a third where the greatest holds and is not label 0 */
};

/* Sums of one evaluation; zero-initialise with kind, and with asked. */
struct ev_value_sums {
    enum ev_value_kind kind;
    unsigned asked;
    double n, p, t, pp, tt, pt; /* of values, less the first sample's target, and products */
    double squares, absolute;   /* (p - t)^2, |p - t| */
    double first;               /* what is taken off */
    double right, said, held, both;
    double rows, log_poisson, rounded_right, log_likelihood;
    double softmax, sigmoid, same_first, first_holds, thirds;
    double table[2][2]; /* of two labels: [which holds][which is the greatest] */
};

/* A batch (rows, columns), in the order of the samples. */
void ev_value_sums_add(struct ev_value_sums *s, const float *predictions, const float *targets,
                       int64_t rows, int64_t columns);
struct ev_value_means ev_value_sums_means(const struct ev_value_sums *s);

/* Is there a score of this name, where rows have so many values?  Its bit is added to *asked. */
bool ev_value_score_ask(enum ev_value_kind kind, int64_t columns, const char *name,
                        unsigned *asked);

/* Score i, from 0 on: its name, or NULL behind the last one of the kind. */
const char *ev_value_score(const struct ev_value_means *m, int i, double *value);

#endif
