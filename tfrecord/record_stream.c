/*
 * tfrecord/record_stream.c - records in batches through base/pool's ordered pipeline.
 *
 * Producing finds the records (lengths and their CRCs), working checks their data, so that the part
 * which must be done in order stays small.  Records of a mapped file are used where they are; those
 * of a stream are copied into the batch.
 *
 *   produce   one thread    frames: length and its CRC; a batch of 1 MiB or 8192 records
 *   work      all threads   CRC of the data, then the caller's work
 *   consume   in order      the caller's consume
 *
 * Damage: records before it are still worked on and consumed, then the run ends with its error
 * (item.damage for data, run.failure for frames). A reader is shared by the batches that point
 * into its mapping; the last one frees it (shared_reader).
 */
#include "tfrecord/record_stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "tfrecord/framing.h"
#include "tfrecord/reader.h"

enum { BATCH_BYTES = 1 << 20, BATCH_RECORDS = 8192, FIRST_RECORDS = 256 };

/* A reader that batches in flight still point into. */
struct shared_reader {
    struct tfr_reader *reader;
    atomic_int n_users;
};

struct item {
    struct tfr_batch batch;
    size_t capacity; /* of batch.records */
    struct shared_reader *from;
    struct t2_buf copies; /* framed records, of streamed files */
    uint64_t end_offset;  /* where the batch ends in its file */
    struct t2_err damage; /* of the record after batch.n; status T2_OK when there is none */
    void *result;
};

struct run {
    const struct tfr_stream *job;
    /* of the producer */
    size_t file_number;
    struct shared_reader *reader; /* of that file; NULL: to be opened */
    uint64_t n_done;              /* records of all files before the next batch */
    struct t2_err failure;        /* of the next batch */
    /* of the consumer */
    struct t2_progress progress;
    uint64_t done_bytes; /* of the files before the one that is consumed */
    size_t consumed_file;
    _Atomic size_t failed_file; /* the first in which a batch failed, + 1; 0: none did */
    bool enough;
};

struct t2_slice tfr_framed(const struct tfr_record *r)
{
    return (struct t2_slice){r->data.data - TFR_HEADER_BYTES, r->data.len_bytes + TFR_FRAME_BYTES};
}

static void let_go(struct shared_reader *s)
{
    if (!s || atomic_fetch_sub(&s->n_users, 1) > 1)
        return;
    tfr_reader_free(s->reader);
    t2_free(s);
}

static enum t2_status open_next(struct run *r, struct t2_err *err)
{
    struct tfr_reader *reader = NULL;

    T2_TRY(tfr_reader_new(r->job->inputs->files[r->file_number].path, &reader, err));
    r->reader = t2_alloc(1, sizeof *r->reader);
    r->reader->reader = reader;
    atomic_init(&r->reader->n_users, 1);
    return T2_OK;
}

/* ---- producing ---- */

static void add_record(struct item *it, struct t2_slice rec, uint64_t offset, bool copy)
{
    if (it->batch.n == it->capacity) {
        it->capacity = it->capacity == 0 ? FIRST_RECORDS : 2 * it->capacity;
        it->batch.records = t2_realloc(it->batch.records, it->capacity, sizeof *it->batch.records);
    }
    if (copy) /* its place is known when the buffer has stopped growing */
        t2_buf_append(&it->copies, rec.data - TFR_HEADER_BYTES, rec.len_bytes + TFR_FRAME_BYTES);
    it->batch.records[it->batch.n++] = (struct tfr_record){rec, offset};
}

static void point_into_copies(struct item *it)
{
    const uint8_t *p = it->copies.data;

    for (size_t i = 0; i < it->batch.n; i++) {
        it->batch.records[i].data.data = p + TFR_HEADER_BYTES;
        p += it->batch.records[i].data.len_bytes + TFR_FRAME_BYTES;
    }
}

/* Records of the current file until the batch is full or the file ends. */
static enum t2_status fill(struct run *r, struct item *it, bool *file_ended, struct t2_err *err)
{
    struct tfr_reader *reader = r->reader->reader;
    bool copy = !tfr_reader_is_mapped(reader);
    size_t held_bytes = 0;
    enum t2_status st = T2_OK;

    *file_ended = false;
    while (held_bytes < BATCH_BYTES && it->batch.n < BATCH_RECORDS) {
        uint64_t offset = tfr_reader_offset(reader);
        struct t2_slice rec;
        st = tfr_reader_next_unchecked(reader, &rec, err);
        if (st != T2_OK)
            break;
        add_record(it, rec, offset, copy);
        held_bytes += rec.len_bytes + sizeof(struct tfr_record);
    }
    it->end_offset = tfr_reader_offset(reader);
    if (copy)
        point_into_copies(it);
    *file_ended = st == T2_EOF;
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct run *r = context;
    struct item *it = item;
    bool file_ended = false;

    if (r->failure.status != T2_OK) {
        *err = r->failure;
        return err->status;
    }
    if (r->file_number == r->job->inputs->n)
        return T2_EOF;
    T2_TRY(t2_check_interrupt(err));
    if (!r->reader)
        T2_TRY(open_next(r, err));
    it->copies.len_bytes = 0;
    it->damage.status = T2_OK;
    it->batch.n = 0;
    it->batch.file = &r->job->inputs->files[r->file_number];
    it->batch.file_number = r->file_number;
    it->batch.first_in_file = tfr_reader_count(r->reader->reader);
    it->batch.first = r->n_done;
    it->from = r->reader;
    atomic_fetch_add(&r->reader->n_users, 1);
    if (fill(r, it, &file_ended, &r->failure) != T2_OK && it->batch.n == 0) {
        let_go(it->from);
        it->from = NULL;
        *err = r->failure;
        return err->status;
    }
    r->n_done += it->batch.n;
    if (file_ended) {
        let_go(r->reader);
        r->reader = NULL;
        r->file_number++;
    }
    return T2_OK;
}

/* ---- working, consuming ---- */

/* Batches fail in any order; the run ends with the first of them. */
static void note_failure(struct run *r, const struct item *it)
{
    size_t mine = it->batch.file_number + 1;
    size_t first = atomic_load(&r->failed_file);

    while ((first == 0 || mine < first) &&
           !atomic_compare_exchange_weak(&r->failed_file, &first, mine))
        continue;
}

/* Calls the caller's work on a batch, then checks that the mapped file was not truncated during it:
 * if it was, the results are worthless. */
static enum t2_status work_checked(const struct tfr_stream *job, struct item *it, int worker,
                                   struct t2_err *err)
{
    if (job->work)
        T2_TRY(job->work(job->context, &it->batch, it->result, worker, err));
    return tfr_reader_check(it->from->reader, err);
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct run *r = context;
    const struct tfr_stream *job = r->job;
    struct item *it = item;
    struct tfr_batch *b = &it->batch;

    for (size_t i = 0; i < b->n; i++) {
        if (tfr_record_ok(b->records[i].data))
            continue;
        (void) tfr_record_fail(b->file->path, b->first_in_file + i, b->records[i].offset,
                               b->records[i].data, &it->damage);
        b->n = i;
    }
    if (!it->result && job->result_bytes > 0)
        it->result = t2_alloc(1, job->result_bytes);
    enum t2_status st = work_checked(job, it, worker, err);
    if (st != T2_OK)
        note_failure(r, it);
    return st;
}

static void show_progress(struct run *r, const struct item *it)
{
    const struct tfr_inputs *in = r->job->inputs;

    for (; r->consumed_file < it->batch.file_number; r->consumed_file++)
        r->done_bytes += in->files[r->consumed_file].bytes;
    uint64_t in_file =
        it->end_offset < it->batch.file->bytes ? it->end_offset : it->batch.file->bytes;
    t2_progress_update(&r->progress, r->done_bytes + in_file);
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct run *r = context;
    struct item *it = item;
    enum t2_status st = T2_OK;

    st = r->job->consume(r->job->context, &it->batch, it->result, err);
    if (st == T2_OK || st == T2_EOF) {
        enum t2_status gone = tfr_reader_check(it->from->reader, err);
        st = gone == T2_OK ? st : gone;
    }
    show_progress(r, it);
    let_go(it->from);
    it->from = NULL;
    if ((st != T2_OK && st != T2_EOF) || it->damage.status != T2_OK)
        note_failure(r, it);
    if (st == T2_EOF) {
        r->enough = true;
        return T2_EINTERRUPTED; /* stops the pipeline; tfr_stream_run knows */
    }
    if (st == T2_OK && it->damage.status != T2_OK) {
        *err = it->damage;
        st = err->status;
    }
    return st;
}

static void release(void *context, void *item)
{
    const struct tfr_stream *job = ((struct run *) context)->job;
    struct item *it = item;

    if (it->result && job->release)
        job->release(job->context, it->result);
    t2_free(it->result);
    let_go(it->from);
    t2_free(it->batch.records);
    t2_buf_release(&it->copies);
}

enum t2_status tfr_stream_run(const struct tfr_stream *s, struct t2_pool *pool, struct t2_err *err)
{
    struct run r = {.job = s};
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct item),
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = &r};
    struct t2_err failure = T2_ERR_INIT;
    enum t2_status st;

    t2_progress_start(&r.progress, s->what, "bytes", s->inputs->bytes);
    st = t2_pool_pipeline(pool, &pipeline, &failure);
    t2_progress_end(&r.progress);
    let_go(r.reader);
    if (r.enough)
        return T2_OK;
    if (st != T2_OK)
        *err = failure;
    if (st != T2_OK && s->stopped_in) /* 0: opening or framing failed, where producing stopped */
        *s->stopped_in = r.failed_file > 0 ? r.failed_file - 1 : r.file_number;
    return st;
}
