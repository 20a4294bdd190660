/*
 * tfrec/convert/convert_run.c - records from a reader to a writer, formatted on all threads, in
 * order.
 *
 * Memory: pieces of about 1 MiB, four a thread in flight; never less than one record.
 *
 *   record files     tfr_stream: read ahead, format() on threads, add() in order
 *   other formats    next() in order, then parse() and format() on threads, add() in order
 *
 * A writer with look() needs two runs over the input: the first shows it all records (the columns
 * of CSV), the second writes.  The numbers of records of both must agree.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "tfrec/convert/formats.h"
#include "tfrecord/record_stream.h"

enum { PIECE_BYTES = 1 << 20, PIECE_ITEMS = 1 << 14 };

void rec_scratch_release(struct rec_scratch *s)
{
    rec_row_release(&s->row);
    tfr_example_release(&s->example);
    rec_values_release(&s->values);
    t2_buf_release(&s->text);
}

/* Pieces of text, one behind the other. */
struct parts {
    struct t2_buf bytes;
    size_t *ends;
    size_t n, capacity;
};

static void parts_end(struct parts *p)
{
    if (p->n == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->ends = t2_realloc(p->ends, p->capacity, sizeof *p->ends);
    }
    p->ends[p->n++] = p->bytes.len_bytes;
}

static struct t2_slice part(const struct parts *p, size_t i)
{
    size_t from = i ? p->ends[i - 1] : 0;

    return (struct t2_slice){(const uint8_t *) t2_buf_cstr(&p->bytes) + from, p->ends[i] - from};
}

static void parts_clear(struct parts *p)
{
    t2_buf_clear(&p->bytes);
    p->n = 0;
}

static void parts_release(struct parts *p)
{
    t2_buf_release(&p->bytes);
    t2_free(p->ends);
}

/* One run over all records: the first (looking) or the second (writing). */
struct pass {
    const struct rec_convert *c;
    const struct rec_format *from;
    struct rec_writer *writer;
    bool looking;
    uint64_t n; /* records consumed */

    /* readers */
    size_t input; /* the next one to open */
    struct rec_reader *reader;
    uint64_t produced;
    bool ended;
    struct t2_progress progress;

    /* record files */
    size_t file;
    uint64_t in_file;
};

static enum t2_status consume_one(struct pass *p, struct t2_slice made, struct t2_err *err)
{
    uint64_t number = p->n++;

    return p->looking ? p->writer->look(p->writer, number, made, err)
                      : p->writer->add(p->writer, number, made, err);
}

/* What each thread does with a record. */
static enum t2_status work_one(const struct pass *p, struct rec_scratch *s, uint64_t number,
                               struct t2_slice record, struct parts *made, struct t2_err *err)
{
    if (p->looking || !p->writer->format)
        t2_buf_append(&made->bytes, record.data, record.len_bytes);
    else
        T2_TRY(p->writer->format(p->writer, s, number, record, &made->bytes, err));
    parts_end(made);
    return T2_OK;
}

/* ---- record files ---- */

struct stream_result {
    struct parts made;
    struct rec_scratch scratch;
};

static enum t2_status stream_work(void *context, const struct tfr_batch *b, void *result,
                                  int worker, struct t2_err *err)
{
    struct stream_result *r = result;
    const struct pass *p = context;

    (void) worker;
    parts_clear(&r->made);
    if (p->looking || !p->writer->format)
        return T2_OK; /* consumed where they are */
    for (size_t i = 0; i < b->n; i++) {
        enum t2_status st =
            work_one(p, &r->scratch, b->first + i, b->records[i].data, &r->made, err);
        if (st != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64, b->file->path, b->first_in_file + i);
    }
    return T2_OK;
}

/* At the end of a file: compares its records with the number that its manifest declares. */
static enum t2_status check_count(const struct tfr_input_file *f, uint64_t n, struct t2_err *err)
{
    if (f->n_records != TFR_UNKNOWN_COUNT && f->n_records != n)
        return t2_fail(err, T2_EFORMAT, "'%s' has %" PRIu64 " record%s, %s says %" PRIu64, f->path,
                       n, n == 1 ? "" : "s", f->manifest ? f->manifest : "its description",
                       f->n_records);
    return T2_OK;
}

static enum t2_status stream_consume(void *context, const struct tfr_batch *b, void *result,
                                     struct t2_err *err)
{
    const struct stream_result *r = result;
    struct pass *p = context;

    if (b->file_number != p->file) {
        T2_TRY(check_count(b->file - 1, p->in_file, err));
        p->file = b->file_number;
        p->in_file = 0;
    }
    p->in_file += b->n;
    for (size_t i = 0; i < b->n; i++) {
        enum t2_status st = consume_one(p, r->made.n ? part(&r->made, i) : b->records[i].data, err);
        if (st == T2_EFORMAT || st == T2_EUNSUPPORTED)
            return t2_wrap(err, "'%s': record %" PRIu64, b->file->path, b->first_in_file + i);
        T2_TRY(st);
    }
    return T2_OK;
}

static void stream_release(void *context, void *result)
{
    struct stream_result *r = result;

    (void) context;
    parts_release(&r->made);
    rec_scratch_release(&r->scratch);
}

static enum t2_status run_stream(struct pass *p, struct t2_err *err)
{
    struct tfr_inputs in = {NULL, 0, 0};
    enum t2_status st = p->from->find(p->c, &in, err);

    if (st == T2_OK) {
        struct tfr_stream s = {.inputs = &in,
                               .what = p->looking ? "reading" : "converting",
                               .result_bytes = sizeof(struct stream_result),
                               .work = stream_work,
                               .consume = stream_consume,
                               .release = stream_release,
                               .context = p};
        st = tfr_stream_run(&s, p->c->pool, err);
        if (st == T2_OK && in.n > 0)
            st = check_count(&in.files[in.n - 1], p->in_file, err);
    }
    tfr_inputs_release(&in);
    return st;
}

/* ---- readers ---- */

struct piece {
    struct parts items, records, made;
    uint64_t *places;
    size_t places_capacity;
    uint64_t first;
    struct rec_scratch scratch;
};

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct piece *piece = item;
    struct pass *p = context;

    T2_TRY(t2_check_interrupt(err));
    parts_clear(&piece->items);
    piece->first = p->produced;
    if (!piece->places)
        piece->places = t2_alloc(PIECE_ITEMS, sizeof *piece->places);
    while (piece->items.bytes.len_bytes < PIECE_BYTES && piece->items.n < PIECE_ITEMS) {
        enum t2_status st = p->ended ? T2_EOF
                                     : p->reader->next(p->reader, &piece->items.bytes,
                                                       &piece->places[piece->items.n], err);
        p->ended = st == T2_EOF; /* it is not asked again */
        if (st == T2_EOF)
            break;
        T2_TRY(st);
        parts_end(&piece->items);
        p->produced++;
    }
    return piece->items.n ? T2_OK : T2_EOF;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct piece *piece = item;
    const struct pass *p = context;
    const struct parts *records = &piece->items;

    (void) worker;
    parts_clear(&piece->records);
    parts_clear(&piece->made);
    if (p->reader->parse) {
        for (size_t i = 0; i < piece->items.n; i++) {
            T2_TRY(p->reader->parse(p->reader, piece->places[i], part(&piece->items, i),
                                    &piece->records.bytes, err));
            parts_end(&piece->records);
        }
        records = &piece->records;
    }
    if (p->looking || !p->writer->format) {
        return T2_OK;
    }
    for (size_t i = 0; i < records->n; i++) {
        uint64_t number = piece->first + i;
        enum t2_status st =
            work_one(p, &piece->scratch, number, part(records, i), &piece->made, err);
        if (st != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64, p->c->inputs->items[p->input - 1], number);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    const struct piece *piece = item;
    struct pass *p = context;
    const struct parts *from = piece->made.n      ? &piece->made
                               : piece->records.n ? &piece->records
                                                  : &piece->items;

    for (size_t i = 0; i < from->n; i++) {
        enum t2_status st = consume_one(p, part(from, i), err);
        if (st == T2_EFORMAT || st == T2_EUNSUPPORTED)
            return t2_wrap(err, "'%s': record %" PRIu64, p->c->inputs->items[p->input - 1],
                           piece->first + i);
        T2_TRY(st);
    }
    t2_progress_update(&p->progress, p->n);
    return T2_OK;
}

static void release(void *context, void *item)
{
    struct piece *piece = item;

    (void) context;
    parts_release(&piece->items);
    parts_release(&piece->records);
    parts_release(&piece->made);
    rec_scratch_release(&piece->scratch);
    t2_free(piece->places);
}

/* One input after the other, so that threads never see a reader that is gone. */
static enum t2_status run_readers(struct pass *p, struct t2_err *err)
{
    struct t2_pipeline pipeline = {sizeof(struct piece), 0, produce, work, consume, release, p};
    enum t2_status st = T2_OK;

    t2_progress_start(&p->progress, p->looking ? "reading" : "converting", "records", 0);
    while (st == T2_OK && p->input < p->c->inputs->n) {
        st = p->from->open(p->c, p->c->inputs->items[p->input++], &p->reader, err);
        p->ended = false;
        if (st == T2_OK)
            st = t2_pool_pipeline(p->c->pool, &pipeline, err);
        if (st == T2_OK && !p->looking && p->reader->say)
            p->reader->say(p->reader);
        if (p->reader)
            p->reader->free(p->reader);
        p->reader = NULL;
    }
    t2_progress_end(&p->progress);
    return st;
}

static enum t2_status run_pass(const struct rec_convert *c, const struct rec_format *from,
                               struct rec_writer *w, bool looking, uint64_t *n, struct t2_err *err)
{
    struct pass p = {.c = c, .from = from, .writer = w, .looking = looking};
    enum t2_status st = from->open ? run_readers(&p, err) : run_stream(&p, err);

    *n = p.n;
    return st;
}

static enum t2_status check_repeatable(const struct rec_convert *c, const char *why,
                                       struct t2_err *err)
{
    for (size_t i = 0; i < c->inputs->n; i++) {
        if (strcmp(c->inputs->items[i], "-") == 0)
            return t2_fail(err, T2_EUSAGE,
                           "the standard input can be read only once, but %s; give a file, or "
                           "--columns and --types",
                           why);
    }
    return T2_OK;
}

static enum t2_status both_passes(const struct rec_convert *c, const struct rec_format *from,
                                  struct rec_writer *w, uint64_t *n_records, struct t2_err *err)
{
    uint64_t n_looked = 0;

    if (w->look) {
        T2_TRY(check_repeatable(c, "the columns are found by reading everything first", err));
        T2_TRY(run_pass(c, from, w, true, &n_looked, err));
        T2_TRY(w->looked(w, err));
    }
    T2_TRY(run_pass(c, from, w, false, n_records, err));
    if (w->look && n_looked != *n_records)
        return t2_fail(err, T2_EIO, "the input changed while it was read");
    return w->commit(w, err);
}

enum t2_status rec_convert_run(const struct rec_convert *c, uint64_t *n_records, struct t2_err *err)
{
    const struct rec_format *from, *to;
    struct rec_writer *w = NULL;
    enum t2_status st;

    T2_TRY(rec_format_find("from", c->from, &from, err));
    T2_TRY(rec_format_find("to", c->to, &to, err));
    if (!from->open && !from->find)
        return t2_fail(err, T2_EUSAGE, "--from=%s: this format is written only", from->name);
    if (!to->create)
        return t2_fail(err, T2_EUSAGE, "--to=%s: this format is read only", to->name);
    T2_TRY(to->create(c, &w, err));
    st = both_passes(c, from, w, n_records, err);
    w->free(w);
    return st;
}
