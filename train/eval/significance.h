/*
 * train/eval/significance.h - how sure a score is, and a difference of scores: sacreBLEU 2.6's
 * confidence interval, paired bootstrap (Koehn 2004) and paired approximate randomisation (Riezler
 * and Maxwell 2005).
 */
#ifndef EV_SIGNIFICANCE_H
#define EV_SIGNIFICANCE_H

#include "train/eval/metric.h"

struct ev_estimate {
    double mean, interval; /* half of the 95 % interval */
};

/* Of the scores of resampled corpora, n > 0; sorts them.  The mean of one system's report is exact,
 * that of paired tests is NumPy's. */
struct ev_estimate ev_estimate_exact(struct ev_number *scores, size_t n);
struct ev_estimate ev_estimate_numpy(struct ev_number *scores, size_t n);

/* How likely a difference of `real` is by chance. */
double ev_p_bootstrap(const struct ev_number *baseline, const struct ev_number *system, size_t n,
                      double real);
double ev_p_randomised(const struct ev_number *differences, size_t n, double real);

#endif
