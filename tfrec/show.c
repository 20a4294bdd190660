/*
 * tfrec/show.c - a range of records as text: rendered on many threads, written in order.
 */
#include "tfrec/show.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/pool.h"
#include "tfrec/command.h"

/* Of a batch. */
struct shown {
    struct t2_buf text;
    struct t2_err err; /* of the record after text */
};

struct job {
    const struct rec_row_options *options;
    const struct rec_range *range;
    struct rec_row *rows; /* of each worker */
    struct t2_out *out;
};

enum t2_status rec_show_one(const struct rec_row_options *o, struct rec_row *r,
                            const struct tfr_batch *b, size_t i, uint64_t shift,
                            struct t2_buf *text, struct t2_err *err)
{
    if (rec_row_show(o, r, b->first + i + shift, b->records[i].data, text, err) == T2_OK)
        return T2_OK;
    return t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                   b->first_in_file + i, b->records[i].offset);
}

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct shown *shown = result;

    (void) err;
    t2_buf_clear(&shown->text);
    shown->err.status = T2_OK;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t number = b->first + i;
        if (number < job->range->first)
            continue;
        if (number >= job->range->end)
            break;
        if (rec_show_one(job->options, &job->rows[worker], b, i, job->range->shift, &shown->text,
                         &shown->err) != T2_OK)
            break;
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct shown *shown = result;

    t2_out_write(job->out, shown->text.data, shown->text.len_bytes);
    T2_TRY(t2_out_status(job->out, err));
    if (shown->err.status != T2_OK) {
        *err = shown->err;
        return err->status;
    }
    return b->first + b->n >= job->range->end ? T2_EOF : T2_OK;
}

static void release(void *context, void *result)
{
    (void) context;
    t2_buf_release(&((struct shown *) result)->text);
}

enum t2_status rec_show_range(const struct tfr_inputs *in, const struct rec_row_options *o,
                              const struct rec_range *range, struct t2_err *err)
{
    struct job job = {.options = o, .range = range};
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "reading",
                                      .result_bytes = sizeof(struct shown),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = &job};
    struct t2_err late = T2_ERR_INIT;
    struct t2_pool *pool;
    enum t2_status st = T2_OK, closed;

    if (range->first >= range->end)
        return T2_OK;
    T2_TRY(t2_out_new("-", &job.out, err));
    pool = rec_pool_new();
    job.rows = t2_alloc((size_t) t2_pool_threads(pool), sizeof *job.rows);
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < t2_pool_threads(pool); i++)
        rec_row_release(&job.rows[i]);
    t2_free(job.rows);
    t2_pool_free(pool);
    closed = t2_out_commit(job.out, &late); /* what came before a failure is shown */
    if (st == T2_OK && closed != T2_OK) {
        *err = late;
        st = closed;
    }
    return st;
}
