/*
 * tfrec/diff_ordered.c - a is streamed, b is read along.
 */
#include "base/alloc.h"
#include "base/pool.h"
#include "tfrec/diff.h"
#include "tfrec/record_key.h"
#include "tfrecord/reader.h"
#include "tfrecord/record_stream.h"

/* Reads all records of some files, one after another. */
struct follower {
    const struct tfr_inputs *in;
    size_t file; /* of reader */
    struct tfr_reader *reader;
    uint64_t in_file; /* number of the record that was given */
};

struct job {
    struct rec_diff *d;
    struct follower b;
    bool b_ended;
    struct rec_key_scratch x, y;
};

/* T2_EOF after the last record of the last file. */
static enum t2_status follow(struct follower *f, struct t2_slice *record, struct t2_err *err)
{
    for (;;) {
        if (!f->reader) {
            if (f->file == f->in->n)
                return T2_EOF;
            T2_TRY(tfr_reader_new(f->in->files[f->file].path, &f->reader, err));
        }
        f->in_file = tfr_reader_count(f->reader);
        enum t2_status st = tfr_reader_next(f->reader, record, err);
        if (st != T2_EOF)
            return st;
        tfr_reader_free(f->reader);
        f->reader = NULL;
        f->file++;
    }
}

static void note_first(struct job *job, const struct tfr_batch *batch, size_t i, struct t2_slice b)
{
    struct rec_diff *d = job->d;

    if (d->first.n > 0)
        return;
    d->first_a = (struct rec_place){batch->first + i, batch->file->path, batch->first_in_file + i};
    d->first_b =
        (struct rec_place){batch->first + i, job->b.in->files[job->b.file].path, job->b.in_file};
    rec_diff_records(batch->records[i].data, b, &d->first);
}

static void compare(struct job *job, const struct tfr_batch *batch, size_t i, struct t2_slice b)
{
    struct rec_diff *d = job->d;
    struct t2_slice a = batch->records[i].data;

    if (t2_slice_eq(a, b)) {
        d->n_equal++;
        return;
    }
    bool equal_examples = t2_slice_eq(rec_canonical(&job->x, a), rec_canonical(&job->y, b));
    if (equal_examples && d->by_example) {
        d->n_equal++;
        return;
    }
    d->n_different++;
    d->n_written_differently += equal_examples;
    note_first(job, batch, i, b);
}

static enum t2_status consume(void *context, const struct tfr_batch *batch, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct t2_slice b;

    (void) result;
    for (size_t i = 0; i < batch->n && !job->b_ended; i++) {
        enum t2_status st = follow(&job->b, &b, err);
        job->b_ended = st == T2_EOF;
        if (st == T2_OK)
            compare(job, batch, i, b);
        else if (st != T2_EOF)
            return st;
        job->d->n_b += st == T2_OK;
    }
    job->d->n_a += batch->n;
    return T2_OK;
}

enum t2_status rec_diff_ordered(struct rec_diff *d, const struct tfr_inputs *a,
                                const struct tfr_inputs *b, struct t2_pool *pool,
                                struct t2_err *err)
{
    struct job job = {.d = d, .b = {.in = b}};
    const struct tfr_stream stream = {.inputs = a,
                                      .what = "comparing",
                                      .consume = consume,
                                      .context = &job};
    struct t2_slice record;
    enum t2_status st = tfr_stream_run(&stream, pool, err);

    while (st == T2_OK && !job.b_ended) { /* what b has more */
        st = follow(&job.b, &record, err);
        d->n_b += st == T2_OK;
    }
    if (st == T2_EOF)
        st = T2_OK;
    d->n_only_a = d->n_a > d->n_b ? d->n_a - d->n_b : 0;
    d->n_only_b = d->n_b > d->n_a ? d->n_b - d->n_a : 0;
    tfr_reader_free(job.b.reader);
    rec_key_scratch_release(&job.x);
    rec_key_scratch_release(&job.y);
    return st;
}
