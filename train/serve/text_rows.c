/*
 * train/serve/text_rows.c - rows that are translated.
 */
#include "train/serve/row_work.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"

enum { DEFAULT_BATCH = 32, SHORT = 32 /* ids; a difference of lengths that does not matter */ };

static void begin(const struct srv_batches *b, struct srv_job *job)
{
    job->outputs = t2_alloc(job->request.n * (size_t) dec_n_best(b->hp), sizeof *job->outputs);
}

static void release_hypotheses(struct dec_hypothesis *h, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t2_buf_release(&h[i].text);
        t2_free(h[i].ids);
    }
}

static void release(const struct srv_batches *b, struct srv_job *job)
{
    if (job->outputs)
        release_hypotheses(job->outputs, job->request.n * (size_t) dec_n_best(b->hp));
    t2_free(job->outputs);
    job->outputs = NULL;
}

static enum t2_status take(const struct srv_batches *b, const struct srv_instance *from,
                           struct tok_ids *ids, bool *idle, struct t2_err *err)
{
    size_t n_cut;

    if (from->is_ids)
        T2_TRY(dec_take_ids(b->t, from->ids.items, from->ids.n, ids, &n_cut, err));
    else
        T2_TRY(dec_encode(b->t, t2_buf_slice(&from->text), ids, &n_cut, err));
    if (n_cut > 0 && (int64_t) ids->n != b->hp->max_input_size)
        return t2_fail(err, T2_ENOMEM, "%zu ids do not fit into the memory of a batch",
                       ids->n + n_cut);
    if ((int64_t) ids->n > b->most_ids)
        return t2_fail(err, T2_EFORMAT, "%zu ids are more than the %" PRId64 " of a source", ids->n,
                       b->most_ids);
    *idle = ids->n == 0; /* white space */
    return T2_OK;
}

static size_t most(const struct srv_batches *b)
{
    /* what comes behind EOS depends on the others of a batch */
    return b->hp->skip_eos_postprocess ? 1
           : b->hp->batch_size > 0     ? (size_t) b->hp->batch_size
                                       : DEFAULT_BATCH;
}

bool srv_similar(size_t a, size_t b)
{
    size_t longer = a > b ? a : b, shorter = a > b ? b : a;

    return longer <= 2 * shorter + SHORT;
}

size_t srv_pick_rows(const struct srv_row *rows, size_t n, size_t most, size_t *picked)
{
    size_t n_picked = 0;

    for (size_t i = 0; i < n && n_picked < most; i++) {
        if (srv_similar(rows[i].ids.n, rows[0].ids.n))
            picked[n_picked++] = i;
    }
    return n_picked;
}

static enum t2_status pick(const struct srv_batches *b, size_t *picked, size_t at_most, size_t *n,
                           struct t2_err *err)
{
    size_t longest = 0;
    int32_t n_fit;

    *n = srv_pick_rows(b->rows, b->n, at_most, picked);
    for (size_t k = 0; k < *n; k++)
        longest = b->rows[picked[k]].ids.n > longest ? b->rows[picked[k]].ids.n : longest;
    T2_TRY(dec_fit(b->t, longest, (int32_t) *n, &n_fit, err));
    *n = (size_t) n_fit;
    return T2_OK;
}

static enum t2_status run(struct srv_batches *b, const size_t *picked, size_t n, bool *finished,
                          struct t2_err *err)
{
    size_t n_best = (size_t) dec_n_best(b->hp);
    struct tok_ids *sources = t2_alloc(n, sizeof *sources);
    struct dec_hypothesis *h = t2_alloc(n * n_best, sizeof *h);
    int64_t n_ids = 0;
    double since = t2_now_s();
    enum t2_status st;

    for (size_t k = 0; k < n; k++)
        sources[k] = b->rows[picked[k]].ids; /* borrowed */
    srv_metrics_began(b->metrics, (int32_t) n);
    st = dec_translate(b->t, sources, (int32_t) n, h, err);
    if (st == T2_OK) {
        for (size_t k = 0; k < n; k++)
            n_ids += h[k * n_best].n_ids;
        srv_metrics_ended(b->metrics, n_ids, t2_now_s() - since);
        for (size_t k = 0; k < n; k++) {
            struct srv_row *r = &b->rows[picked[k]];

            memcpy(r->job->outputs + r->at * n_best, h + k * n_best, n_best * sizeof *h);
            finished[k] = true;
        }
    } else {
        release_hypotheses(h, n * n_best);
    }
    t2_free(h);
    t2_free(sources);
    return st;
}

static void put(const struct srv_batches *b, const struct srv_job *job, struct t2_buf *json)
{
    srv_put_predictions(&job->request, job->outputs, dec_n_best(b->hp), b->hp->return_beams, json);
}

const struct srv_row_work srv_text_rows = {begin, release, take, most, pick, run, put};
