/*
 * train/tune/trial_metrics.h - the objective of a trial, from the metrics.jsonl of its folder.
 */
#ifndef TUNE_TRIAL_METRICS_H
#define TUNE_TRIAL_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * *value is what the evaluation at `step` says of the metric, a key of its line; NaN when that is
 * not a finite number.  T2_EUSAGE: evaluations have no such key, with those that there are.
 * T2_EFORMAT: there is no evaluation at that step.
 */
T2_MUST_CHECK enum t2_status tune_metric_at(const char *trial_dir, const char *metric, int64_t step,
                                            double *value, struct t2_err *err);

struct tune_point {
    int64_t step;
    double value;
};
/* The finite values of all evaluations, by step; none when there is no file.  *points is owned by
 * the caller. */
T2_MUST_CHECK enum t2_status tune_metric_curve(const char *trial_dir, const char *metric,
                                               struct tune_point **points, size_t *n,
                                               struct t2_err *err);

#endif
