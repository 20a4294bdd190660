/*
 * train/eval/score_table.h - scores of systems by metrics, with what was found about their chance.
 */
#ifndef EV_SCORE_TABLE_H
#define EV_SCORE_TABLE_H

#include "base/str.h"
#include "train/eval/score_corpus.h"
#include "train/eval/significance.h"

enum ev_test { EV_TEST_NONE, EV_TEST_CONFIDENCE, EV_TEST_PAIRED_BOOTSTRAP, EV_TEST_PAIRED_AR };

struct ev_test_plan {
    enum ev_test test;
    size_t n_samples; /* resamples or trials, > 0 */
    uint64_t seed;
    char seed_text[32]; /* as the signature has it */
};
/* Sets seed and seed_text by $SACREBLEU_SEED, 12345 without it; "none" is a new seed each time.
 * T2_EUSAGE: no whole number. */
T2_MUST_CHECK enum t2_status ev_test_plan_seed(struct ev_test_plan *plan, struct t2_err *err);

struct ev_cell {
    double score;
    bool has_estimate, has_p;
    struct ev_estimate estimate;
    double p;
    double *sums; /* of the metric's statistics, over all lines */
};

struct ev_score_table {
    const struct ev_lines *systems; /* borrowed */
    size_t n_systems;
    struct ev_metric *const *metrics; /* borrowed */
    size_t n_metrics;
    const struct ev_test_plan *plan; /* borrowed */
    int n_references;
    struct ev_cell *cells; /* (systems, metrics) */
};

/* Computes all cells; the first system is the baseline of paired tests. */
T2_MUST_CHECK enum t2_status ev_score_table_fill(struct ev_score_table *t,
                                                 const struct ev_corpus *corpus,
                                                 struct t2_pool *pool, struct t2_err *err);
void ev_score_table_release(struct ev_score_table *t);

static inline const struct ev_cell *ev_cell(const struct ev_score_table *t, size_t system,
                                            size_t metric)
{
    return &t->cells[system * t->n_metrics + metric];
}

/* Appends "nrefs:1|bs:1000|seed:12345|case:mixed|...|version:2.6.0". */
void ev_signature(const struct ev_metric *m, int n_references, const struct ev_test_plan *plan,
                  bool is_short, struct t2_buf *out);

#endif
