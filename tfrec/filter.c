/*
 * tfrec/filter.c - evaluates a condition over files, in order.
 *
 * A file with an index that answers the condition (rec_where_fits_index) is filtered row by row
 * without reading its records; those that are taken are then read by their offset.  Files without
 * one are collected into runs and read on all threads.  Numbers of records run over both.
 */
#include "tfrec/filter.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/signals.h"
#include "tfrec/rewrite.h"
#include "tfrecord/compress.h"
#include "tfrecord/record_stream.h"
#include "tfrecord/sink.h"

enum { WHY_BYTES = 256, ROWS_BETWEEN_LOOKS = 4096 };

/* ---- by reading ---- */

/* The result of a batch: what was taken, and the error that ended it, which is reported after the
 * records before it are written. */
struct taken {
    struct t2_buf text;    /* rows */
    struct t2_buf numbers; /* of size_t: of the records */
    uint64_t n;
    struct t2_err err;
};

/* Of a thread. */
struct scratch {
    struct tfr_example example;
    struct rec_where_scratch where;
    struct rec_row row;
    struct t2_strs unseen; /* names that none of its records had */
};

struct job {
    struct rec_filter *f;
    struct scratch *scratch;
    uint64_t first; /* number of the first record of the stream */
};

static void drop(struct t2_strs *names, size_t i)
{
    t2_free(names->items[i]);
    names->items[i] = names->items[--names->n];
}

static void look_for_names(struct t2_strs *unseen, const struct tfr_example *example)
{
    for (size_t i = unseen->n; i-- > 0;) {
        if (tfr_example_find(example, unseen->items[i]))
            drop(unseen, i);
    }
}

static enum t2_status take(struct rec_filter *f, struct scratch *s, uint64_t number,
                           struct t2_slice record, struct t2_buf *text, bool *taken,
                           struct t2_err *err)
{
    s->example.n = 0;
    if (rec_where_needs_example(f->where))
        T2_TRY(tfr_example_parse(&s->example, record, err));
    look_for_names(&s->unseen, &s->example);
    *taken = rec_where_match(f->where, &s->where, &s->example, record, number) != f->invert;
    if (*taken && f->out)
        return rec_row_show(f->rows, &s->row, number, record, text, err);
    return T2_OK;
}

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct taken *t = result;

    (void) err;
    t2_buf_clear(&t->text);
    t2_buf_clear(&t->numbers);
    t->n = 0;
    t->err.status = T2_OK;
    for (size_t i = 0; i < b->n; i++) {
        bool taken = false;
        if (take(job->f, &job->scratch[worker], job->first + b->first + i, b->records[i].data,
                 &t->text, &taken, &t->err) != T2_OK) {
            (void) t2_wrap(&t->err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + i, b->records[i].offset);
            break;
        }
        t->n += taken;
        if (taken && job->f->sink)
            t2_buf_append(&t->numbers, &i, sizeof i);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct rec_filter *f = ((struct job *) context)->f;
    struct taken *t = result;
    const size_t *numbers = (const size_t *) (const void *) t->numbers.data;

    for (size_t i = 0; f->sink && i < t->n; i++)
        tfr_sink_add(f->sink, b->records[numbers[i]].data.data,
                     b->records[numbers[i]].data.len_bytes);
    if (f->sink)
        T2_TRY(tfr_sink_status(f->sink, err));
    if (f->out) {
        t2_out_write(f->out, t->text.data, t->text.len_bytes);
        T2_TRY(t2_out_status(f->out, err));
    }
    f->n_records += b->n;
    f->n_taken += t->n;
    if (t->err.status != T2_OK) {
        *err = t->err;
        return err->status;
    }
    return T2_OK;
}

static void release(void *context, void *result)
{
    struct taken *t = result;

    (void) context;
    t2_buf_release(&t->text);
    t2_buf_release(&t->numbers);
}

static void release_scratch(struct scratch *s)
{
    tfr_example_release(&s->example);
    rec_where_scratch_release(&s->where);
    rec_row_release(&s->row);
    t2_strs_release(&s->unseen);
}

/* Keeps the names that no thread has seen: the intersection. */
static void keep_common(struct t2_strs *unseen, const struct t2_strs *other)
{
    for (size_t i = unseen->n; i-- > 0;) {
        if (!t2_strs_contains(other, unseen->items[i]))
            drop(unseen, i);
    }
}

static enum t2_status by_reading(struct rec_filter *f, struct tfr_input_file *files, size_t n,
                                 struct t2_pool *pool, struct t2_err *err)
{
    struct tfr_inputs in = {.files = files, .n = n};
    struct job job = {.f = f, .first = f->n_records};
    const struct tfr_stream stream = {.inputs = &in,
                                      .what = "filtering",
                                      .result_bytes = sizeof(struct taken),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = &job};
    int n_threads = t2_pool_threads(pool);
    enum t2_status st;

    for (size_t i = 0; i < n; i++)
        in.bytes += files[i].bytes;
    job.scratch = t2_alloc((size_t) n_threads, sizeof *job.scratch);
    for (int i = 0; i < n_threads; i++) {
        for (size_t k = 0; k < f->unseen.n; k++)
            t2_strs_push(&job.scratch[i].unseen, f->unseen.items[k]);
    }
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < n_threads; i++) {
        keep_common(&f->unseen, &job.scratch[i].unseen);
        release_scratch(&job.scratch[i]);
    }
    t2_free(job.scratch);
    return st;
}

/* ---- by index ---- */

static void explain(const struct rec_filter *f, const char *path, const char *how, const char *why)
{
    t2_log(f->explain ? T2_LOG_INFO : T2_LOG_DEBUG, "'%s': %s%s%s", path, how,
           *why == '\0' ? "" : ": ", why);
}

/* *ix is set when it answers the condition. */
static enum t2_status look_for_index(const struct rec_filter *f, const struct tfr_input_file *file,
                                     struct tfr_index **ix, struct t2_err *err)
{
    enum tfr_index_state state = TFR_INDEX_ABSENT;
    enum tfr_compression compression = TFR_GZIP;
    struct t2_err ignored = T2_ERR_INIT;
    char why[WHY_BYTES] = "";

    *ix = NULL;
    if (f->no_index || file->bytes == 0) /* nothing to win, or a pipe */
        return T2_OK;
    if (tfr_compression_of(file->path, &compression, &ignored) != T2_OK)
        return T2_OK; /* reading will say what is wrong */
    T2_TRY(tfr_index_open(file->path, ix, &state, why, sizeof why, err));
    if (!*ix) {
        explain(f, file->path, "reads all records", state == TFR_INDEX_ABSENT ? "no index" : why);
        return T2_OK;
    }
    if (!rec_where_fits_index(f->where, *ix)) {
        explain(f, file->path, "reads all records",
                "the index has no columns for it (tfrec index --with=FEATURE,...)");
    } else if (compression != TFR_PLAIN && compression != TFR_BGZIP && (f->sink || f->out)) {
        explain(f, file->path, "reads all records", "a compressed file has no random access");
    } else {
        explain(f, file->path, "by index", "");
        return T2_OK;
    }
    tfr_index_free(*ix);
    *ix = NULL;
    return T2_OK;
}

static enum t2_status put_one(struct rec_filter *f, struct tfr_file *file, const char *path,
                              uint64_t row, struct scratch *s, struct t2_buf *text,
                              struct t2_err *err)
{
    struct t2_slice record;

    T2_TRY(tfr_file_get(file, row, &record, err));
    if (f->sink)
        return rec_rewrite_put(f->sink, record, err);
    t2_buf_clear(text);
    if (rec_row_show(f->rows, &s->row, f->n_records, record, text, err) != T2_OK)
        return t2_wrap(err, "'%s': record %" PRIu64, path, row);
    t2_out_write(f->out, text->data, text->len_bytes);
    return t2_out_status(f->out, err);
}

static enum t2_status by_index(struct rec_filter *f, const char *path, const struct tfr_index *ix,
                               struct t2_err *err)
{
    bool put = f->sink || f->out;
    struct tfr_file *file = NULL;
    struct scratch s = {.example = {0}};
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = put ? tfr_file_open(path, &file, err) : T2_OK;

    for (size_t i = f->unseen.n; i-- > 0;) {
        const struct tfr_index_column *c = tfr_index_column(ix, f->unseen.items[i]);
        if (!c || c->kind != TFR_NONE)
            drop(&f->unseen, i);
    }
    for (uint64_t row = 0; st == T2_OK && row < ix->n_records; row++) {
        if (row % ROWS_BETWEEN_LOOKS == 0)
            st = t2_check_interrupt(err);
        if (st == T2_OK &&
            rec_where_match_index(f->where, &s.where, ix, row, f->n_records) != f->invert) {
            f->n_taken++;
            if (put)
                st = put_one(f, file, path, row, &s, &text, err);
        }
        f->n_records++;
        f->n_by_index++;
    }
    tfr_file_free(file);
    t2_buf_release(&text);
    release_scratch(&s);
    return st;
}

enum t2_status rec_filter_run(struct rec_filter *f, const struct tfr_inputs *in,
                              struct t2_pool *pool, struct t2_err *err)
{
    size_t first = 0; /* of the files that wait to be read together */
    enum t2_status st = T2_OK;

    rec_where_features(f->where, &f->unseen);
    for (size_t i = 0; st == T2_OK && i < in->n; i++) {
        struct tfr_index *ix = NULL;
        st = look_for_index(f, &in->files[i], &ix, err);
        if (!ix)
            continue;
        if (st == T2_OK && first < i)
            st = by_reading(f, in->files + first, i - first, pool, err);
        if (st == T2_OK)
            st = by_index(f, in->files[i].path, ix, err);
        tfr_index_free(ix);
        first = i + 1;
    }
    if (st == T2_OK && first < in->n)
        st = by_reading(f, in->files + first, in->n - first, pool, err);
    return st;
}
