/*
 * train/serve/waiting_rows.c - rows of requests that wait: they are taken, and finished, or their
 * requests are refused.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "train/serve/row_work.h"

const struct srv_row_work *srv_work_of(const struct srv_batches *b)
{
    return b->images ? &srv_image_rows : &srv_text_rows;
}

/* Takes rows of this job out; those that are left keep their order. */
static void drop_rows(struct srv_batches *b, const struct srv_job *job)
{
    size_t kept = 0;

    for (size_t i = 0; i < b->n; i++) {
        if (b->rows[i].job == job)
            tok_ids_release(&b->rows[i].ids);
        else
            b->rows[kept++] = b->rows[i];
    }
    b->n = kept;
}

void srv_refuse(struct srv_batches *b, struct srv_job *job, int status, const char *message)
{
    drop_rows(b, job);
    srv_work_of(b)->release(b, job);
    job->status = status;
    job->retry_after_s = status == SRV_UNAVAILABLE ? 1 : 0;
    srv_put_error(message, &job->body);
    srv_queue_finish(b->queue, job);
}

void srv_complete(struct srv_batches *b, struct srv_job *job)
{
    job->status = job->wrong ? SRV_BAD_REQUEST : SRV_OK;
    if (job->wrong)
        srv_put_error(job->wrong, &job->body);
    else
        srv_work_of(b)->put(b, job, &job->body);
    srv_work_of(b)->release(b, job);
    srv_queue_finish(b->queue, job);
}

static int status_of(enum t2_status st)
{
    return st == T2_ENOMEM ? SRV_UNAVAILABLE : SRV_FAILED;
}

struct srv_row srv_take_row(struct srv_batches *b, size_t i)
{
    struct srv_row r = b->rows[i];

    memmove(b->rows + i, b->rows + i + 1, (b->n - i - 1) * sizeof *b->rows);
    b->n--;
    r.job->begun = true;
    return r;
}

void srv_finish_row(struct srv_batches *b, struct srv_row *r)
{
    tok_ids_release(&r->ids);
    if (--r->job->n_left == 0)
        srv_complete(b, r->job);
}

void srv_give_up(struct srv_batches *b, const struct srv_row *rows, size_t n,
                 const struct t2_err *err)
{
    struct srv_job **jobs = t2_alloc(n, sizeof(struct srv_job *));
    size_t n_jobs = 0;

    t2_warn("a batch of %zu rows failed: %s", n, err->message);
    for (size_t k = 0; k < n; k++) {
        struct srv_job *job = rows[k].job;
        bool known = false;

        for (size_t i = 0; i < n_jobs; i++)
            known = known || jobs[i] == job;
        if (!known)
            jobs[n_jobs++] = job;
    }
    for (size_t i = 0; i < n_jobs; i++)
        srv_refuse(b, jobs[i], status_of(err->status), err->message);
    t2_free(jobs);
}
