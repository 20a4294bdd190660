/*
 * train/serve/row_batches.c - see the header.
 */
#include "train/serve/row_batches.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"

enum {
    DEFAULT_BATCH = 32,
    SHORT = 32, /* ids; a difference of lengths that does not matter */
    STATUS_OK = 200,
    STATUS_BAD_REQUEST = 400,
    STATUS_FAILED = 500,
    STATUS_UNAVAILABLE = 503
};

/* ---- which rows ---- */

static bool similar(size_t a, size_t b)
{
    size_t longer = a > b ? a : b, shorter = a > b ? b : a;

    return longer <= 2 * shorter + SHORT;
}

size_t srv_pick_rows(const struct srv_row *rows, size_t n, size_t most, size_t *picked)
{
    size_t n_picked = 0;

    for (size_t i = 0; i < n && n_picked < most; i++) {
        bool same = rows[0].same_length || rows[i].same_length;

        if (same ? rows[i].ids.n == rows[0].ids.n : similar(rows[i].ids.n, rows[0].ids.n))
            picked[n_picked++] = i;
    }
    return n_picked;
}

/* ---- jobs ---- */

static void release_outputs(const struct srv_batches *b, struct srv_job *job)
{
    size_t n = job->outputs ? job->request.n * (size_t) dec_n_best(b->hp) : 0;

    for (size_t i = 0; i < n; i++) {
        t2_buf_release(&job->outputs[i].text);
        t2_free(job->outputs[i].ids);
    }
    t2_free(job->outputs);
    job->outputs = NULL;
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

static void refuse(struct srv_batches *b, struct srv_job *job, int status, const char *message)
{
    drop_rows(b, job);
    release_outputs(b, job);
    job->status = status;
    job->retry_after_s = status == STATUS_UNAVAILABLE ? 1 : 0;
    srv_put_error(message, &job->body);
    srv_queue_finish(b->queue, job);
}

static void complete(struct srv_batches *b, struct srv_job *job)
{
    job->status = STATUS_OK;
    srv_put_predictions(&job->request, job->outputs, dec_n_best(b->hp), b->hp->return_beams,
                        &job->body);
    release_outputs(b, job);
    srv_queue_finish(b->queue, job);
}

static int status_of(enum t2_status st)
{
    return st == T2_ENOMEM ? STATUS_UNAVAILABLE : STATUS_FAILED;
}

/* ---- in ---- */

static enum t2_status encode(struct srv_batches *b, const struct srv_instance *from,
                             struct tok_ids *ids, struct t2_err *err)
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
    return T2_OK;
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

    job->outputs = t2_alloc(job->request.n * (size_t) dec_n_best(b->hp), sizeof *job->outputs);
    job->n_rows = job->n_left = 0;
    for (size_t i = 0; i < job->request.n; i++) {
        struct tok_ids ids = {NULL, 0, 0};

        if (encode(b, &job->request.instances[i], &ids, &err) != T2_OK) {
            tok_ids_release(&ids);
            (void) t2_wrap(&err, "instance %zu", i);
            refuse(b, job, STATUS_BAD_REQUEST, err.message);
            return;
        }
        if (ids.n == 0) { /* white space */
            tok_ids_release(&ids);
            continue;
        }
        push_row(b, job, i, ids);
        job->n_left++;
    }
    job->n_rows = job->n_left;
    if (job->n_left == 0)
        complete(b, job);
}

static bool has_begun(const struct srv_batches *b, const struct srv_job *job)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->rows[i].job == job && b->rows[i].same_length)
            return true;
    return job->n_left < job->n_rows;
}

void srv_batches_expire(struct srv_batches *b, double now_s)
{
    for (size_t i = 0; i < b->n;) {
        struct srv_job *job = b->rows[i].job;

        if (job->deadline_s < now_s && !has_begun(b, job)) {
            refuse(b, job, STATUS_UNAVAILABLE, "the request waited too long for its turn");
            i = 0;
        } else {
            i++;
        }
    }
}

void srv_batches_refuse(struct srv_batches *b, int status, const char *message)
{
    while (b->n > 0)
        refuse(b, b->rows[0].job, status, message);
}

void srv_batches_release(struct srv_batches *b)
{
    T2_ASSERT(b->n == 0);
    t2_free(b->rows);
    b->rows = NULL;
    b->capacity = 0;
}

/* ---- through the model ---- */

/* A hypothesis that alone could not have become what it is. */
static bool depends_on_batch(const struct srv_batches *b, const struct srv_row *r,
                             size_t longest_source, const struct dec_hypothesis *h)
{
    int64_t alone = dec_longest_result(b->t, r->ids.n);

    if (alone >= dec_longest_result(b->t, longest_source))
        return false;
    for (int32_t k = 0; k < dec_n_best(b->hp); k++)
        if (h[k].n_ids > alone)
            return true;
    return false;
}

/* Moves the results of a row into its job, or has it done again; true: the row is finished. */
static bool keep(struct srv_batches *b, struct srv_row *r, size_t longest_source,
                 struct dec_hypothesis *h)
{
    size_t n_best = (size_t) dec_n_best(b->hp);

    if (!depends_on_batch(b, r, longest_source, h)) {
        memcpy(r->job->outputs + r->at * n_best, h, n_best * sizeof *h);
        return true;
    }
    for (size_t k = 0; k < n_best; k++) {
        t2_buf_release(&h[k].text);
        t2_free(h[k].ids);
    }
    r->same_length = true;
    return false;
}

/* Takes finished rows out, and finishes their jobs. */
static void settle(struct srv_batches *b, const size_t *picked, size_t n_picked,
                   const bool *finished)
{
    size_t kept = 0, k = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct srv_row r = b->rows[i];
        bool is_picked = k < n_picked && picked[k] == i;

        if (is_picked && finished[k++]) {
            tok_ids_release(&r.ids);
            if (--r.job->n_left == 0)
                complete(b, r.job); /* this was its last row */
        } else {
            b->rows[kept++] = r;
        }
    }
    b->n = kept;
}

/* The batch failed: its jobs are told. */
static void give_up(struct srv_batches *b, const size_t *picked, size_t n_picked,
                    const struct t2_err *err)
{
    struct srv_job **jobs = t2_alloc(n_picked, sizeof(struct srv_job *));
    size_t n_jobs = 0;

    t2_warn("a batch of %zu rows failed: %s", n_picked, err->message);
    for (size_t k = 0; k < n_picked; k++) {
        struct srv_job *job = b->rows[picked[k]].job;
        bool known = false;

        for (size_t i = 0; i < n_jobs; i++)
            known = known || jobs[i] == job;
        if (!known)
            jobs[n_jobs++] = job;
    }
    for (size_t i = 0; i < n_jobs; i++)
        refuse(b, jobs[i], status_of(err->status), err->message);
    t2_free(jobs);
}

static enum t2_status pick(struct srv_batches *b, size_t *picked, size_t most, size_t *n,
                           struct t2_err *err)
{
    size_t longest = 0;
    int32_t n_fit;

    *n = srv_pick_rows(b->rows, b->n, most, picked);
    for (size_t k = 0; k < *n; k++)
        longest = b->rows[picked[k]].ids.n > longest ? b->rows[picked[k]].ids.n : longest;
    T2_TRY(dec_fit(b->t, longest, (int32_t) *n, &n_fit, err));
    *n = (size_t) n_fit;
    return T2_OK;
}

enum t2_status srv_batches_run(struct srv_batches *b, struct t2_err *err)
{
    /* what comes behind EOS depends on the others of a batch */
    size_t most = b->hp->skip_eos_postprocess ? 1
                  : b->hp->batch_size > 0     ? (size_t) b->hp->batch_size
                                              : DEFAULT_BATCH;
    size_t n = 0, n_best = (size_t) dec_n_best(b->hp), longest = 0;
    size_t *picked = t2_alloc(most, sizeof *picked);
    struct tok_ids *sources = t2_alloc(most, sizeof *sources);
    struct dec_hypothesis *h = t2_alloc(most * n_best, sizeof *h);
    bool *finished = t2_alloc(most, sizeof *finished);
    struct t2_err failed = T2_ERR_INIT;
    int64_t n_ids = 0;
    double since = t2_now_s();
    enum t2_status st = pick(b, picked, most, &n, &failed);

    for (size_t k = 0; k < n; k++) {
        sources[k] = b->rows[picked[k]].ids; /* borrowed */
        longest = sources[k].n > longest ? sources[k].n : longest;
    }
    if (st == T2_OK)
        st = dec_translate(b->t, sources, (int32_t) n, h, &failed);
    if (st == T2_OK) {
        for (size_t k = 0; k < n; k++)
            n_ids += h[k * n_best].n_ids;
        srv_metrics_batch(b->metrics, (int32_t) n, n_ids, t2_now_s() - since);
        for (size_t k = 0; k < n; k++)
            finished[k] = keep(b, &b->rows[picked[k]], longest, h + k * n_best);
        settle(b, picked, n, finished);
    } else {
        for (size_t i = 0; i < n * n_best; i++) {
            t2_buf_release(&h[i].text);
            t2_free(h[i].ids);
        }
        give_up(b, picked, n, &failed);
    }
    t2_free(finished);
    t2_free(h);
    t2_free(sources);
    t2_free(picked);
    if (st == T2_EDEVICE)
        *err = failed;
    return st == T2_EDEVICE ? st : T2_OK;
}
