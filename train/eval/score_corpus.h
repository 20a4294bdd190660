/*
 * train/eval/score_corpus.h - a metric over all lines of a system's translation.
 */
#ifndef EV_SCORE_CORPUS_H
#define EV_SCORE_CORPUS_H

#include "base/pool.h"
#include "train/eval/metric.h"
#include "train/eval/score_lines.h"

struct ev_corpus {
    const struct ev_lines *references; /* of as many lines as each system */
    int n_references;
};

/*
 * Sets stats, (n lines, m->n_stats).  Lines are shared out over the pool; each is computed alone,
 * so the number of threads changes nothing.  A failure names file and line.
 */
T2_MUST_CHECK enum t2_status ev_corpus_stats(const struct ev_metric *m, const struct ev_corpus *c,
                                             const struct ev_lines *system, struct t2_pool *pool,
                                             double *stats, struct t2_err *err);
/* Sums over all lines, in their order. */
void ev_corpus_sum(const struct ev_metric *m, const double *stats, size_t n, double *sums);

#endif
