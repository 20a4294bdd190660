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
    rec_show_fn *show;
    const void *options;
    const struct rec_range *range;
    struct rec_row *rows; /* of each worker */
    struct t2_out *out;
};

enum t2_status rec_show_parse(const struct t2_tool *tool, int argc, char **argv,
                              struct rec_row_options *rows, struct tfr_inputs *in, const int64_t *n,
                              struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st;

    *rows = (struct rec_row_options){0};
    *in = (struct tfr_inputs){0};
    st = t2_flags_parse(tool, argc, argv, &args, err);
    if (st == T2_OK && n && *n < 0)
        st = t2_fail(err, T2_EUSAGE, "flag '--n' must not be negative");
    if (st == T2_OK)
        st = rec_find_inputs(&args, in, err);
    if (st == T2_OK)
        st = rec_row_flags_read(rows, in, err);
    t2_strs_release(&args);
    return st;
}

static enum t2_status show_record(const struct job *job, struct rec_row *r,
                                  const struct tfr_batch *b, size_t i, struct shown *shown)
{
    if (job->show(job->options, r, b->first + i + job->range->shift, b->records[i].data,
                  &shown->text, &shown->err) == T2_OK)
        return T2_OK;
    return t2_wrap(&shown->err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
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
        if (show_record(job, &job->rows[worker], b, i, shown) != T2_OK)
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

enum t2_status rec_show_with(const struct tfr_inputs *in, rec_show_fn *show, const void *options,
                             const struct rec_range *range, struct t2_err *err)
{
    struct job job = {.show = show, .options = options, .range = range};
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

static enum t2_status show_row(const void *options, struct rec_row *r, uint64_t number,
                               struct t2_slice record, struct t2_buf *text, struct t2_err *err)
{
    return rec_row_show(options, r, number, record, text, err);
}

enum t2_status rec_show_range(const struct tfr_inputs *in, const struct rec_row_options *o,
                              const struct rec_range *range, struct t2_err *err)
{
    return rec_show_with(in, show_row, o, range, err);
}
