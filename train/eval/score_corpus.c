/*
 * train/eval/score_corpus.c - see the header.
 */
#include "train/eval/score_corpus.h"

#include "base/alloc.h"
#include "base/signals.h"

enum { LINES_A_PIECE = 64 };

struct job {
    const struct ev_metric *metric;
    const struct ev_corpus *corpus;
    const struct ev_lines *system;
    double *stats;
    size_t next;            /* first line of the next piece */
    void **work;            /* by worker, made when it is first needed */
    struct t2_slice *lines; /* (workers, references): those of a segment */
};

static enum t2_status next_piece(void *context, void *item, struct t2_err *err)
{
    struct job *j = context;
    size_t *first = item;

    T2_TRY(t2_check_interrupt(err));
    if (j->next >= j->system->n)
        return T2_EOF;
    *first = j->next;
    j->next += LINES_A_PIECE;
    return T2_OK;
}

static enum t2_status score_line(const struct job *j, size_t line, int worker, struct t2_err *err)
{
    struct t2_slice *references = j->lines + (size_t) worker * (size_t) j->corpus->n_references;
    struct ev_segment s = {ev_line(j->system, line), references, j->corpus->n_references};

    for (int i = 0; i < s.n_references; i++)
        references[i] = ev_line(&j->corpus->references[i], line);
    return j->metric->kind->segment(j->metric, j->work[worker], &s,
                                    j->stats + line * (size_t) j->metric->n_stats, err);
}

static enum t2_status score_piece(void *context, void *item, int worker, struct t2_err *err)
{
    struct job *j = context;
    size_t line = *(size_t *) item, end = line + LINES_A_PIECE;

    if (!j->work[worker])
        j->work[worker] = j->metric->kind->work_new(j->metric);
    for (; line < end && line < j->system->n; line++)
        if (score_line(j, line, worker, err) != T2_OK)
            return t2_wrap(err, "'%s', line %zu", j->system->name, line + 1);
    return T2_OK;
}

static enum t2_status keep_piece(void *context, void *item, struct t2_err *err)
{
    (void) context;
    (void) item;
    (void) err;
    return T2_OK;
}

enum t2_status ev_corpus_stats(const struct ev_metric *m, const struct ev_corpus *c,
                               const struct ev_lines *system, struct t2_pool *pool, double *stats,
                               struct t2_err *err)
{
    size_t n_workers = (size_t) t2_pool_threads(pool);
    struct job j = {m, c, system, stats, 0, NULL, NULL};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(size_t),
                                   .produce = next_piece,
                                   .work = score_piece,
                                   .consume = keep_piece,
                                   .context = &j};
    enum t2_status st;

    for (int i = 0; i < c->n_references; i++)
        T2_TRY(ev_lines_match(system, &c->references[i], err));
    j.work = t2_alloc(n_workers, sizeof *j.work);
    j.lines = t2_alloc(n_workers * (size_t) c->n_references, sizeof *j.lines);
    st = t2_pool_pipeline(pool, &pipeline, err);
    for (size_t i = 0; i < n_workers; i++)
        m->kind->work_free(j.work[i]);
    t2_free(j.lines);
    t2_free(j.work);
    return st;
}

void ev_corpus_sum(const struct ev_metric *m, const double *stats, size_t n, double *sums)
{
    for (int k = 0; k < m->n_stats; k++)
        sums[k] = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < m->n_stats; k++)
            sums[k] += stats[i * (size_t) m->n_stats + (size_t) k];
}
