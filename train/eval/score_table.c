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
    size_t n;                  /* lines */
    double **stats;            /* of each system, (n, n_stats) */
    struct ev_number **scores; /* of each system, n_samples; of a test */
};

static struct ev_cell *cell_of(const struct column *c, size_t system)
{
    return &c->table->cells[system * c->table->n_metrics + c->index];
}

static enum t2_status fill_cell(const struct column *c, const struct ev_corpus *corpus,
                                size_t system, struct t2_err *err)
{
    struct ev_score_table *t = c->table;
    const struct ev_metric *m = t->metrics[c->index];
    struct ev_cell *cell = cell_of(c, system);

    T2_TRY(ev_corpus_stats(m, corpus, &t->systems[system], c->pool, c->stats[system], err));
    cell->sums = t2_alloc((size_t) m->n_stats, sizeof *cell->sums);
    ev_corpus_sum(m, c->stats[system], c->n, cell->sums);
    cell->score = m->kind->score(m, cell->sums, EV_SUMS_PYTHON).v;
    return T2_OK;
}

static double distance(const struct column *c, size_t system)
{
    return fabs(cell_of(c, 0)->score - cell_of(c, system)->score);
}

static enum t2_status randomise(const struct column *c, struct t2_err *err)
{
    const struct ev_test_plan *plan = c->table->plan;

    for (size_t i = 1; i < c->table->n_systems; i++) {
        struct ev_cell *cell = cell_of(c, i);

        T2_TRY(ev_randomise(c->table->metrics[c->index], c->stats[0], c->stats[i], c->n,
                            plan->n_samples, plan->seed, c->pool, c->scores[i], err));
        cell->has_p = true;
        cell->p = ev_p_randomised(c->scores[i], plan->n_samples, distance(c, i));
    }
    return T2_OK;
}

static enum t2_status resample(const struct column *c, struct t2_err *err)
{
    const struct ev_test_plan *plan = c->table->plan;
    size_t n_systems = c->table->n_systems;

    T2_TRY(ev_resample(c->table->metrics[c->index], (const double *const *) c->stats, n_systems,
                       c->n, plan->n_samples, plan->seed, c->pool, c->scores, err));
    for (size_t i = 1; i < n_systems && plan->test == EV_TEST_PAIRED_BOOTSTRAP; i++) {
        cell_of(c, i)->has_p = true;
        cell_of(c, i)->p =
            ev_p_bootstrap(c->scores[0], c->scores[i], plan->n_samples, distance(c, i));
    }
    for (size_t i = 0; i < n_systems; i++) { /* last, as it sorts the scores */
        cell_of(c, i)->has_estimate = true;
        cell_of(c, i)->estimate = plan->test == EV_TEST_CONFIDENCE
                                      ? ev_estimate_exact(c->scores[i], plan->n_samples)
                                      : ev_estimate_numpy(c->scores[i], plan->n_samples);
    }
    return T2_OK;
}

static enum t2_status fill_column(struct ev_score_table *t, size_t index,
                                  const struct ev_corpus *corpus, struct t2_pool *pool,
                                  struct t2_err *err)
{
    size_t n_stats = (size_t) t->metrics[index]->n_stats, n = t->systems[0].n;
    size_t n_samples = t->plan->test == EV_TEST_NONE ? 0 : t->plan->n_samples;
    struct column c = {t, index, pool, n, NULL, NULL};
    enum t2_status st = T2_OK;

    c.stats = t2_alloc(t->n_systems, sizeof *c.stats);
    c.scores = t2_alloc(t->n_systems, sizeof *c.scores);
    for (size_t i = 0; i < t->n_systems; i++) {
        c.stats[i] = t2_alloc(n * n_stats, sizeof *c.stats[i]);
        c.scores[i] = t2_alloc(n_samples, sizeof *c.scores[i]);
    }
    for (size_t i = 0; i < t->n_systems && st == T2_OK; i++)
        st = fill_cell(&c, corpus, i, err);
    if (st == T2_OK && t->plan->test == EV_TEST_PAIRED_AR)
        st = randomise(&c, err);
    else if (st == T2_OK && t->plan->test != EV_TEST_NONE)
        st = resample(&c, err);
    for (size_t i = 0; i < t->n_systems; i++) {
        t2_free(c.stats[i]);
        t2_free(c.scores[i]);
    }
    t2_free(c.stats);
    t2_free(c.scores);
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
