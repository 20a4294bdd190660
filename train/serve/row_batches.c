/*
 * train/serve/row_batches.c - see the header.
 */
#include "train/serve/row_batches.h"

#include "base/alloc.h"
#include "train/serve/row_work.h"

/* ---- in ---- */

size_t srv_batches_most(const struct srv_batches *b)
{
    return srv_work_of(b)->most(b);
}

static void push_row(struct srv_batches *b, struct srv_job *job, size_t at, struct tok_ids ids)
{
    if (b->n == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 64;
        b->rows = t2_realloc(b->rows, b->capacity, sizeof *b->rows);
    }
    b->rows[b->n++] = (struct srv_row){.job = job, .at = at, .ids = ids};
}

void srv_batches_add(struct srv_batches *b, struct srv_job *job)
{
    struct t2_err err = T2_ERR_INIT;

    srv_work_of(b)->begin(b, job);
    job->n_left = 0;
    job->begun = false;
    for (size_t i = 0; i < job->request.n; i++) {
        struct tok_ids ids = {NULL, 0, 0};
        bool idle;

        if (srv_work_of(b)->take(b, &job->request.instances[i], &ids, &idle, &err) != T2_OK) {
            tok_ids_release(&ids);
            (void) t2_wrap(&err, "instance %zu", i);
            srv_refuse(b, job, SRV_BAD_REQUEST, err.message);
            return;
        }
        if (idle) {
            tok_ids_release(&ids);
            continue;
        }
        push_row(b, job, i, ids);
        job->n_left++;
    }
    if (job->n_left == 0)
        srv_complete(b, job);
}

void srv_batches_expire(struct srv_batches *b, double now_s)
{
    for (size_t i = 0; i < b->n;) {
        struct srv_job *job = b->rows[i].job;

        if (job->deadline_s < now_s && !job->begun) {
            srv_refuse(b, job, SRV_UNAVAILABLE, "the request waited too long for its turn");
            i = 0;
        } else {
            i++;
        }
    }
}

void srv_batches_refuse(struct srv_batches *b, int status, const char *message)
{
    while (b->n > 0)
        srv_refuse(b, b->rows[0].job, status, message);
}

void srv_batches_release(struct srv_batches *b)
{
    T2_ASSERT(b->n == 0);
    t2_free(b->rows);
    b->rows = NULL;
    b->capacity = 0;
}

/* ---- through the model ---- */

/* Takes finished rows out, and finishes their jobs. */
static void settle(struct srv_batches *b, const size_t *picked, size_t n_picked,
                   const bool *finished)
{
    size_t kept = 0, k = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct srv_row r = b->rows[i];
        bool is_picked = k < n_picked && picked[k] == i;

        if (is_picked)
            r.job->begun = true;
        if (is_picked && finished[k++])
            srv_finish_row(b, &r);
        else
            b->rows[kept++] = r;
    }
    b->n = kept;
}

/* The batch failed; its rows still wait. */
static void give_up(struct srv_batches *b, const size_t *picked, size_t n, const struct t2_err *err)
{
    struct srv_row *rows = t2_alloc(n, sizeof *rows);

    for (size_t k = 0; k < n; k++)
        rows[k] = b->rows[picked[k]]; /* its ids are released with it */
    srv_give_up(b, rows, n, err);
    t2_free(rows);
}

static enum t2_status run_batch(struct srv_batches *b, struct t2_err *err)
{
    const struct srv_row_work *work = srv_work_of(b);
    size_t most = work->most(b), n = 0;
    size_t *picked = t2_alloc(most, sizeof *picked);
    bool *finished = t2_alloc(most, sizeof *finished);
    struct t2_err failed = T2_ERR_INIT;
    enum t2_status st = work->pick(b, picked, most, &n, &failed);

    if (st == T2_OK)
        st = work->run(b, picked, n, finished, &failed);
    if (st == T2_OK)
        settle(b, picked, n, finished);
    else
        give_up(b, picked, n, &failed);
    t2_free(finished);
    t2_free(picked);
    if (st == T2_EDEVICE)
        *err = failed;
    return st == T2_EDEVICE ? st : T2_OK;
}

enum t2_status srv_batches_run(struct srv_batches *b, struct t2_err *err)
{
    struct t2_err failed = T2_ERR_INIT;
    bool streamed = false;

    if (!b->images && srv_stream_texts(b, &streamed, &failed) == T2_EDEVICE) {
        *err = failed;
        return T2_EDEVICE;
    }
    return streamed ? T2_OK : run_batch(b, err);
}
