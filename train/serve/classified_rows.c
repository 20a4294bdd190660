/*
 * train/serve/classified_rows.c - rows that are classified.  An image does not see the others of
 * its batch, so the oldest go first, whatever they are.
 */
#include "train/serve/row_work.h"

#include "base/alloc.h"
#include "base/progress.h"

static void begin(const struct srv_batches *b, struct srv_job *job)
{
    job->probabilities =
        t2_alloc(job->request.n * (size_t) b->images->n_classes, sizeof *job->probabilities);
}

static void release(const struct srv_batches *b, struct srv_job *job)
{
    (void) b;
    t2_free(job->probabilities);
    job->probabilities = NULL;
}

static enum t2_status take(const struct srv_batches *b, const struct srv_instance *from,
                           struct tok_ids *ids, bool *idle, struct t2_err *err)
{
    (void) b, (void) from, (void) ids, (void) err;
    *idle = false;
    return T2_OK;
}

static size_t most(const struct srv_batches *b)
{
    return (size_t) b->images->batch_size;
}

static enum t2_status pick(const struct srv_batches *b, size_t *picked, size_t at_most, size_t *n,
                           struct t2_err *err)
{
    (void) err;
    *n = b->n < at_most ? b->n : at_most;
    for (size_t k = 0; k < *n; k++)
        picked[k] = k;
    return T2_OK;
}

/* A file that is no image refuses its job when the job is complete. */
static enum t2_status run(struct srv_batches *b, const size_t *picked, size_t n, bool *finished,
                          struct t2_err *err)
{
    size_t n_classes = (size_t) b->images->n_classes;
    struct srv_image *images = t2_alloc(n, sizeof *images);
    double since = t2_now_s();
    enum t2_status st;

    for (size_t k = 0; k < n; k++) {
        const struct srv_row *r = &b->rows[picked[k]];

        images[k].file = t2_buf_slice(&r->job->request.instances[r->at].text);
        images[k].probabilities = r->job->probabilities + r->at * n_classes;
    }
    srv_metrics_began(b->metrics, (int32_t) n);
    st = b->images->classify(b->images->context, images, (int32_t) n, err);
    if (st == T2_OK)
        srv_metrics_ended(b->metrics, 0, t2_now_s() - since);
    for (size_t k = 0; k < n; k++) {
        const struct srv_row *r = &b->rows[picked[k]];

        finished[k] = true;
        if (images[k].wrong && !r->job->wrong)
            r->job->wrong = t2_asprintf("instance %zu: %s", r->at, images[k].wrong);
        t2_free(images[k].wrong);
    }
    t2_free(images);
    return st;
}

static void put(const struct srv_batches *b, const struct srv_job *job, struct t2_buf *json)
{
    srv_put_classes(&job->request, job->probabilities, b->images->n_classes, b->images->name,
                    b->images->context, json);
}

const struct srv_row_work srv_image_rows = {begin, release, take, most, pick, run, put};
