/*
 * train/eval/resample.h - scores of resampled and of randomised corpora, as sacreBLEU 2.6 draws
 * them with NumPy 2 (significance.py): the same random numbers, the same float32 sums.
 */
#ifndef EV_RESAMPLE_H
#define EV_RESAMPLE_H

#include "base/pool.h"
#include "train/eval/metric.h"

/*
 * Bootstrap: n_samples times n segments are drawn with replacement, the same ones of all systems;
 * scores[s][i] is the score of the i-th corpus of system s.  stats[s] is (n, m->n_stats), n > 0.
 */
T2_MUST_CHECK enum t2_status ev_resample(const struct ev_metric *m, const double *const *stats,
                                         size_t n_systems, size_t n, size_t n_samples,
                                         uint64_t seed, struct t2_pool *pool,
                                         struct ev_number *const *scores, struct t2_err *err);
/*
 * Approximate randomisation of two systems: in each of n_samples trials every segment changes its
 * system with probability 1/2; differences[i] is the absolute difference of the scores of the i-th.
 */
T2_MUST_CHECK enum t2_status ev_randomise(const struct ev_metric *m, const double *stats_a,
                                          const double *stats_b, size_t n, size_t n_samples,
                                          uint64_t seed, struct t2_pool *pool,
                                          struct ev_number *differences, struct t2_err *err);

#endif
