/*
 * train/eval/score_table.c - see the header.
 */
#include "train/eval/score_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "train/eval/resample.h"

enum t2_status ev_test_plan_seed(struct ev_test_plan *plan, struct t2_err *err)
{
    const char *text = getenv("SACREBLEU_SEED");

    if (!text)
        text = "12345";
    if (strcasecmp(text, "none") == 0) {
        snprintf(plan->seed_text, sizeof plan->seed_text, "none");
        if (getentropy(&plan->seed, sizeof plan->seed) != 0)
            return t2_fail(err, T2_EIO, "the system gives no random numbers");
        return T2_OK;
    }
    if (!t2_parse_u64(text, &plan->seed))
        return t2_fail(err, T2_EUSAGE,
                       "SACREBLEU_SEED='%s' in the environment: a number of 0 or more, or none",
                       text);
    snprintf(plan->seed_text, sizeof plan->seed_text, "%" PRIu64, plan->seed);
    return T2_OK;
}

void ev_signature(const struct ev_metric *m, int n_references, const struct ev_test_plan *plan,
                  bool is_short, struct t2_buf *out)
{
    const char *kind = plan->test == EV_TEST_PAIRED_AR ? "ar" : "bs";

    t2_buf_printf(out, is_short ? "#:%d|" : "nrefs:%d|", n_references);
    if (plan->test != EV_TEST_NONE)
        t2_buf_printf(out, is_short ? "%s:%zu|rs:%s|" : "%s:%zu|seed:%s|", kind, plan->n_samples,
                      plan->seed_text);
    m->kind->signature(m, is_short, out);
    t2_buf_printf(out, is_short ? "v:%s" : "version:%s", EV_SACREBLEU_VERSION);
}

/* What the cells of one metric are computed from. */
struct column {
    struct ev_score_table *table;
    size_t index;
    struct t2_pool *pool;
    size_t n;                              /* lines */
    double *baseline, *system;             /* statistics, (n, n_stats) */
    struct ev_number *of_baseline, *other; /* resampled scores, n_samples */
};

static enum t2_status resample(const struct column *c, const double *stats,
                               struct ev_number *scores, struct t2_err *err)
{
    const struct ev_test_plan *plan = c->table->plan;

    return ev_resample(c->table->metrics[c->index], stats, c->n, plan->n_samples, plan->seed,
                       c->pool, scores, err);
}

/* The cell of a system that is compared with the baseline. */
static enum t2_status compare(const struct column *c, struct ev_cell *cell, struct t2_err *err)
{
    const struct ev_test_plan *plan = c->table->plan;
    double real = fabs(ev_cell(c->table, 0, c->index)->score - cell->score);

    cell->has_p = true;
    if (plan->test == EV_TEST_PAIRED_AR) {
        T2_TRY(ev_randomise(c->table->metrics[c->index], c->baseline, c->system, c->n,
                            plan->n_samples, plan->seed, c->pool, c->other, err));
        cell->p = ev_p_randomised(c->other, plan->n_samples, real);
        return T2_OK;
    }
    T2_TRY(resample(c, c->system, c->other, err));
    cell->p = ev_p_bootstrap(c->of_baseline, c->other, plan->n_samples, real);
    cell->has_estimate = true;
    cell->estimate = ev_estimate_numpy(c->other, plan->n_samples);
    return T2_OK;
}

static enum t2_status fill_cell(const struct column *c, const struct ev_corpus *corpus,
                                size_t system, struct t2_err *err)
{
    struct ev_score_table *t = c->table;
    const struct ev_metric *m = t->metrics[c->index];
    struct ev_cell *cell = &t->cells[system * t->n_metrics + c->index];
    double *stats = system == 0 ? c->baseline : c->system;

    T2_TRY(ev_corpus_stats(m, corpus, &t->systems[system], c->pool, stats, err));
    cell->sums = t2_alloc((size_t) m->n_stats, sizeof *cell->sums);
    ev_corpus_sum(m, stats, c->n, cell->sums);
    cell->score = m->kind->score(m, cell->sums, EV_SUMS_PYTHON).v;
    if (t->plan->test == EV_TEST_CONFIDENCE) {
        T2_TRY(resample(c, stats, c->other, err));
        cell->has_estimate = true;
        cell->estimate = ev_estimate_exact(c->other, t->plan->n_samples);
    } else if (t->plan->test == EV_TEST_PAIRED_BOOTSTRAP && system == 0) {
        T2_TRY(resample(c, stats, c->of_baseline, err));
        memcpy(c->other, c->of_baseline, t->plan->n_samples * sizeof *c->other);
        cell->has_estimate = true;
        cell->estimate = ev_estimate_numpy(c->other, t->plan->n_samples);
    } else if (t->plan->test != EV_TEST_NONE && system > 0) {
        T2_TRY(compare(c, cell, err));
    }
    return T2_OK;
}

static enum t2_status fill_column(struct ev_score_table *t, size_t index,
                                  const struct ev_corpus *corpus, struct t2_pool *pool,
                                  struct t2_err *err)
{
    size_t n_stats = (size_t) t->metrics[index]->n_stats, n = t->systems[0].n;
    size_t n_samples = t->plan->test == EV_TEST_NONE ? 0 : t->plan->n_samples;
    struct column c = {t, index, pool, n, NULL, NULL, NULL, NULL};
    enum t2_status st = T2_OK;

    c.baseline = t2_alloc(n * n_stats, sizeof *c.baseline);
    c.system = t2_alloc(t->n_systems > 1 ? n * n_stats : 0, sizeof *c.system);
    c.of_baseline = t2_alloc(n_samples, sizeof *c.of_baseline);
    c.other = t2_alloc(n_samples, sizeof *c.other);
    for (size_t i = 0; i < t->n_systems && st == T2_OK; i++)
        st = fill_cell(&c, corpus, i, err);
    t2_free(c.baseline);
    t2_free(c.system);
    t2_free(c.of_baseline);
    t2_free(c.other);
    return st;
}

enum t2_status ev_score_table_fill(struct ev_score_table *t, const struct ev_corpus *corpus,
                                   struct t2_pool *pool, struct t2_err *err)
{
    /* Before anything takes long. */
    for (size_t i = 0; i < t->n_systems; i++)
        for (int k = 0; k < corpus->n_references; k++)
            T2_TRY(ev_lines_match(&t->systems[i], &corpus->references[k], err));
    if (t->systems[0].n == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' and '%s' are empty: nothing to score",
                       t->systems[0].name, corpus->references[0].name);
    t->n_references = corpus->n_references;
    t->cells = t2_alloc(t->n_systems * t->n_metrics, sizeof *t->cells);
    for (size_t i = 0; i < t->n_metrics; i++)
        T2_TRY(fill_column(t, i, corpus, pool, err));
    return T2_OK;
}

void ev_score_table_release(struct ev_score_table *t)
{
    for (size_t i = 0; t->cells && i < t->n_systems * t->n_metrics; i++)
        t2_free(t->cells[i].sums);
    t2_free(t->cells);
    t->cells = NULL;
}
