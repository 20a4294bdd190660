/*
 * train/eval/value_scores.h - how near predicted numbers are to the true ones, and predicted sets
 * of labels: scores of evaluations whose targets are values.
 *
 * They have the names of tensor2tensor's utils/metrics.py.  There most of them are means over
 * batches of what a batch has; here all are of all samples together, so that no score depends on
 * the size of batches.
 */
#ifndef EV_VALUE_SCORES_H
#define EV_VALUE_SCORES_H

#include <stdint.h>

enum ev_value_kind { EV_NO_VALUES, EV_REALS, EV_LABEL_SETS };

/*
 * p a prediction, t its target, means over all values of all samples; NaN where nothing was added.
 * Of label sets p is a logit: a label is said to hold where it is above 0.
 */
struct ev_value_means {
    enum ev_value_kind kind;
    double unpadded_mse, rmse; /* mean (p - t)^2, and its root */
    double mean_absolute_error;
    double r_squared;                 /* 1 - sum (t - p)^2 / sum (t - mean t)^2 */
    double pearson;                   /* correlation; NaN where one side does not vary */
    double sigmoid_accuracy;          /* of all labels, those that were said rightly */
    double set_precision, set_recall; /* rightly said to hold, of those said to, of those that do */
};

/* Sums of one evaluation; zero-initialise with kind. */
struct ev_value_sums {
    enum ev_value_kind kind;
    double n, p, t, pp, tt, pt; /* of values, less the first sample's target, and products */
    double squares, absolute;   /* (p - t)^2, |p - t| */
    double first;               /* what is taken off */
    double right, said, held, both;
};

/* n values, in the order of the samples. */
void ev_value_sums_add(struct ev_value_sums *s, const float *predictions, const float *targets,
                       int64_t n);
struct ev_value_means ev_value_sums_means(const struct ev_value_sums *s);

/* Score i, from 0 on: its name, or NULL behind the last one of the kind. */
const char *ev_value_score(const struct ev_value_means *m, int i, double *value);

#endif
