/*
 * vocab/corpus.c - reading inputs in blocks that end with a line.
 *
 * The producer only reads blocks of about 1 MiB; lines are found, stripped and taken out of their
 * columns by the workers.  With a budget per file the producer decides line by line (line_sampler):
 * that is slow, but a budget is small.
 *
 *   raw    text: whole lines with their LF; the rest of a cut line waits in run.rest
 *          records: size_t length, payload, size_t length, payload, ...
 *   text   cleaned copies of lines that could not stay slices of raw
 *   lines  slices of raw or text, one per line or value
 *
 * The size of text is reserved before the first line: a buffer that moved would invalidate lines.
 */
#include "vocab/corpus.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"
#include "tokenizer/line_sampler.h"
#include "tokenizer/unicode.h"

enum { BLOCK_BYTES = 1 << 20 };

struct item {
    size_t file;
    uint64_t first, index;
    struct t2_buf raw;  /* whole lines with their LF, or records with their lengths in front */
    struct t2_buf text; /* lines after cleaning, when they are not slices of raw */
    struct t2_slice *lines;
    size_t n, capacity;
    uint64_t end_bytes; /* of input read so far, for progress */
    void *result;
};

struct run {
    const struct voc_corpus *c;
    const struct voc_work *w;
    size_t file;
    struct t2_in *in;
    struct tfr_reader *records;
    struct t2_buf rest;   /* the beginning of a line that the last block cut off */
    uint64_t n_lines;     /* of the current file so far */
    uint64_t line_offset; /* where `rest` begins */
    uint64_t read_bytes;  /* of all files */
    uint64_t n_blocks;
    struct tok_line_sampler sampler;
    struct t2_progress progress;
};

/* ---- opening ---- */

enum t2_status voc_corpus_open(struct voc_corpus *c, struct t2_strs *args, struct t2_err *err)
{
    if (args->n == 0)
        return t2_fail(err, T2_EUSAGE, "no input: give files, or - for the standard input");
    if (c->column < 0)
        return t2_fail(err, T2_EUSAGE, "--column=%" PRId64 ": columns are counted from 1",
                       c->column);
    if ((c->column > 0) + (c->field[0] != 0) + (c->feature[0] != 0) > 1)
        return t2_fail(err, T2_EUSAGE, "--column, --field and --feature: only one of them");
    c->paths = *args;
    *args = (struct t2_strs){NULL, 0, 0};
    c->bytes = 0;
    for (size_t i = 0; i < c->paths.n; i++) {
        uint64_t bytes = 0;
        if (strcmp(c->paths.items[i], "-") == 0)
            continue;
        T2_TRY(t2_file_size(c->paths.items[i], &bytes, err));
        c->bytes += bytes;
    }
    return T2_OK;
}

void voc_corpus_release(struct voc_corpus *c)
{
    t2_strs_release(&c->paths);
}

/* ---- producing ---- */

static const char *path_of(const struct run *r)
{
    return r->c->paths.items[r->file];
}

static enum t2_status open_file(struct run *r, struct t2_err *err)
{
    uint64_t bytes = 0;

    r->n_lines = r->line_offset = 0;
    t2_buf_clear(&r->rest);
    if (r->c->feature[0])
        return tfr_reader_new(path_of(r), &r->records, err);
    if (r->c->file_budget > 0) {
        if (strcmp(path_of(r), "-") == 0)
            return t2_fail(err, T2_EUSAGE,
                           "--file_byte_budget needs the size of the input: give a file, not -");
        T2_TRY(t2_text_bytes(path_of(r), &bytes, err));
    }
    tok_sampler_init(&r->sampler, r->c->dialect, r->c->file_budget, bytes);
    T2_TRY(t2_in_new(path_of(r), &r->in, err));
    t2_in_limit_line(r->in, r->c->max_memory);
    return T2_OK;
}

static void close_file(struct run *r)
{
    t2_in_free(r->in);
    tfr_reader_free(r->records);
    r->in = NULL;
    r->records = NULL;
}

/* Reads until the block holds enough whole lines or the file ends (*ended). */
static enum t2_status read_text(struct run *r, struct item *it, bool *ended, struct t2_err *err)
{
    t2_buf_append(&it->raw, r->rest.data, r->rest.len_bytes);
    t2_buf_clear(&r->rest);
    for (;;) {
        size_t n = 0, from = it->raw.len_bytes;
        uint8_t *to = t2_buf_reserve(&it->raw, BLOCK_BYTES);
        const uint8_t *lf;

        T2_TRY(t2_in_read(r->in, to, BLOCK_BYTES, &n, err));
        it->raw.len_bytes += n;
        r->read_bytes += n;
        if (n == 0) {
            *ended = true;
            return T2_OK;
        }
        lf = memrchr(it->raw.data + from, '\n', n);
        if (lf) {
            size_t keep = (size_t) (lf + 1 - it->raw.data);
            t2_buf_append(&r->rest, it->raw.data + keep, it->raw.len_bytes - keep);
            it->raw.len_bytes = keep;
            r->line_offset += keep;
            return T2_OK;
        }
        T2_TRY(t2_in_check_line(r->in, r->n_lines + 1, r->line_offset, it->raw.len_bytes,
                                err)); /* no line ends in it */
    }
}

/* As a line (text.h): it is held several times over on its way. */
static enum t2_status check_record(const struct run *r, size_t len_bytes, struct t2_err *err)
{
    uint64_t most = r->c->max_memory / T2_LINE_SHARE;
    char human[32];

    if (most == 0 || len_bytes <= most || len_bytes <= BLOCK_BYTES)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "'%s': record %" PRIu64 " is longer than %s, which is what one may have of "
                   "--max_memory: raise it",
                   path_of(r), tfr_reader_count(r->records) - 1,
                   t2_human_bytes(most, human, sizeof human));
}

static enum t2_status read_records(struct run *r, struct item *it, bool *ended, struct t2_err *err)
{
    while (it->raw.len_bytes < BLOCK_BYTES) {
        struct t2_slice rec;
        enum t2_status st = tfr_reader_next(r->records, &rec, err);

        if (st == T2_EOF) {
            *ended = true;
            return T2_OK;
        }
        T2_TRY(st);
        T2_TRY(check_record(r, rec.len_bytes, err));
        t2_buf_append(&it->raw, &rec.len_bytes, sizeof rec.len_bytes);
        t2_buf_append(&it->raw, rec.data, rec.len_bytes);
        r->read_bytes += rec.len_bytes;
    }
    return T2_OK;
}

static bool is_good(const struct voc_corpus *c, struct t2_slice text)
{
    return (c->as_in_files && !c->is_strict) ||
           tok_utf8_invalid_at(text.data, text.len_bytes) == text.len_bytes;
}

static enum t2_status fail_line(const struct voc_corpus *c, size_t file, uint64_t line,
                                const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 " %s", c->paths.items[file], line, what);
}

/* With a budget: only the lines that count, whole. */
static enum t2_status read_sampled(struct run *r, struct item *it, bool *ended, struct t2_err *err)
{
    while (it->raw.len_bytes < BLOCK_BYTES) {
        struct t2_slice line;
        enum tok_line_use use;
        enum t2_status st = t2_in_line(r->in, &line, err);

        if (st == T2_EOF) {
            *ended = true;
            return T2_OK;
        }
        T2_TRY(st);
        t2_buf_clear(&it->text);
        use = tok_sampler_next(&r->sampler, tok_clean_line(line, &it->text));
        if (use == TOK_LINE_STOP) {
            *ended = true;
            return T2_OK;
        }
        if (use == TOK_LINE_TAKE && !is_good(r->c, line))
            return fail_line(r->c, r->file, t2_in_line_number(r->in), "is not UTF-8", err);
        if (use == TOK_LINE_TAKE) {
            t2_buf_append(&it->raw, line.data, line.len_bytes);
            t2_buf_push(&it->raw, '\n');
        }
    }
    return T2_OK;
}

static uint64_t count_lf(const struct t2_buf *b)
{
    uint64_t n = 0;

    for (size_t i = 0; i < b->len_bytes; i++)
        n += b->data[i] == '\n';
    return n;
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct run *r = context;
    struct item *it = item;
    bool ended = false;
    enum t2_status st;

    T2_TRY(t2_check_interrupt(err));
    if (r->file == r->c->paths.n)
        return T2_EOF;
    if (!r->in && !r->records)
        T2_TRY(open_file(r, err));
    t2_buf_clear(&it->raw);
    it->file = r->file;
    it->first = r->n_lines;
    it->index = r->n_blocks++;
    if (r->records)
        st = read_records(r, it, &ended, err);
    else if (r->c->file_budget > 0)
        st = read_sampled(r, it, &ended, err);
    else
        st = read_text(r, it, &ended, err);
    T2_TRY(st);
    if (r->records)
        r->n_lines = tfr_reader_count(r->records);
    else
        r->n_lines += count_lf(&it->raw);
    it->end_bytes = r->read_bytes;
    if (ended) {
        close_file(r);
        r->file++;
    }
    return T2_OK;
}

/* ---- working ---- */

static void add_line(struct item *it, struct t2_slice line)
{
    if (it->n == it->capacity) {
        it->capacity = it->capacity > 0 ? 2 * it->capacity : 1024;
        it->lines = t2_realloc(it->lines, it->capacity, sizeof *it->lines);
    }
    it->lines[it->n++] = line;
}

/* Cuts the line down to column c->column, counted from 1, between tabs. */
static enum t2_status column_of(const struct voc_corpus *c, struct t2_slice *line)
{
    for (int64_t k = 1;; k++) {
        const uint8_t *tab = memchr(line->data, '\t', line->len_bytes);
        if (k == c->column) {
            if (tab)
                line->len_bytes = (size_t) (tab - line->data);
            return T2_OK;
        }
        if (!tab)
            return T2_ENOTFOUND;
        line->len_bytes -= (size_t) (tab + 1 - line->data);
        line->data = tab + 1;
    }
}

/* Parses the line and appends the field's string to text. */
static enum t2_status field_of(const struct voc_corpus *c, struct t2_slice *line,
                               struct t2_buf *text, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    const char *s;
    size_t from = text->len_bytes;

    T2_TRY(t2_json_parse((const char *) line->data, line->len_bytes, "the line", &doc, err));
    s = t2_json_as_string(t2_json_get(t2_json_root(doc), c->field), NULL);
    if (s)
        t2_buf_puts(text, s);
    t2_json_free(doc);
    if (!s)
        return T2_ENOTFOUND;
    *line = (struct t2_slice){text->data + from, text->len_bytes - from};
    return T2_OK;
}

static enum t2_status take_line(const struct voc_corpus *c, struct item *it, struct t2_slice line,
                                struct t2_err *err)
{
    uint64_t number = it->first + it->n + 1;
    enum t2_status st = T2_OK;

    if (!is_good(c, line))
        return fail_line(c, it->file, number, "is not UTF-8", err);
    if (c->column > 0)
        st = column_of(c, &line);
    else if (c->field[0])
        st = field_of(c, &line, &it->text, err);
    if (st == T2_EFORMAT)
        return t2_wrap(err, "'%s': line %" PRIu64, c->paths.items[it->file], number);
    if (st == T2_ENOTFOUND && c->column > 0)
        return fail_line(c, it->file, number, "has fewer columns than --column asks for", err);
    if (st == T2_ENOTFOUND)
        return fail_line(c, it->file, number, "has no string of the name that --field gives", err);
    add_line(it, c->as_in_files ? line : tok_clean_line(line, &it->text));
    return T2_OK;
}

static enum t2_status take_lines(const struct voc_corpus *c, struct item *it, struct t2_err *err)
{
    const uint8_t *p = it->raw.data, *end = p + it->raw.len_bytes;

    /* A field and the same without CR are never longer than the line, so text does not move. */
    t2_buf_reserve(&it->text, 2 * it->raw.len_bytes + 2);
    while (p < end) {
        const uint8_t *lf = memchr(p, '\n', (size_t) (end - p));
        const uint8_t *stop = lf ? lf : end;
        T2_TRY(take_line(c, it, (struct t2_slice){p, (size_t) (stop - p)}, err));
        p = stop + 1;
    }
    return T2_OK;
}

static enum t2_status take_values(const struct voc_corpus *c, struct item *it,
                                  const struct tfr_view *v)
{
    struct t2_slice *values;
    enum t2_status st = T2_OK;

    if (!v || v->kind != TFR_BYTES)
        return T2_ENOTFOUND;
    values = t2_alloc(v->n, sizeof *values);
    tfr_view_bytes(v, values);
    for (size_t i = 0; i < v->n && st == T2_OK; i++) {
        if (is_good(c, values[i]))
            add_line(it, c->as_in_files ? values[i] : tok_clean_line(values[i], &it->text));
        else
            st = T2_EFORMAT;
    }
    t2_free(values);
    return st;
}

static enum t2_status take_records(const struct voc_corpus *c, struct item *it, struct t2_err *err)
{
    struct tfr_example ex = {0};
    enum t2_status st = T2_OK;
    size_t len, at = 0;

    t2_buf_reserve(&it->text, 2 * it->raw.len_bytes + 2);
    for (uint64_t number = it->first; st == T2_OK && at < it->raw.len_bytes; number++) {
        memcpy(&len, it->raw.data + at, sizeof len);
        at += sizeof len;
        st = tfr_example_parse(&ex, (struct t2_slice){it->raw.data + at, len}, err);
        if (st != T2_OK) {
            st = t2_wrap(err, "'%s': record %" PRIu64, c->paths.items[it->file], number);
            break;
        }
        st = take_values(c, it, tfr_example_find(&ex, c->feature));
        if (st == T2_EFORMAT)
            st = t2_fail(err, T2_EFORMAT, "'%s': record %" PRIu64 ": feature '%s' is not UTF-8",
                         c->paths.items[it->file], number, c->feature);
        else if (st != T2_OK)
            st = t2_fail(err, T2_EFORMAT, "'%s': record %" PRIu64 " has no feature '%s' of bytes",
                         c->paths.items[it->file], number, c->feature);
        at += len;
    }
    tfr_example_release(&ex);
    return st;
}

static struct voc_block block_of(const struct run *r, const struct item *it)
{
    return (struct voc_block){
        .path = r->c->paths.items[it->file],
        .first = it->first,
        .index = it->index,
        .lines = it->lines,
        .n = it->n,
    };
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct run *r = context;
    struct item *it = item;
    struct voc_block b;

    t2_buf_clear(&it->text);
    it->n = 0;
    if (r->c->feature[0])
        T2_TRY(take_records(r->c, it, err));
    else
        T2_TRY(take_lines(r->c, it, err));
    if (!it->result && r->w->result_bytes > 0)
        it->result = t2_alloc(1, r->w->result_bytes);
    b = block_of(r, it);
    return r->w->work ? r->w->work(r->w->context, &b, it->result, worker, err) : T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct run *r = context;
    struct item *it = item;
    struct voc_block b = block_of(r, it);

    if (r->w->what)
        t2_progress_update(&r->progress, it->end_bytes);
    return r->w->consume ? r->w->consume(r->w->context, &b, it->result, err) : T2_OK;
}

static void release(void *context, void *item)
{
    const struct run *r = context;
    struct item *it = item;

    if (it->result && r->w->release)
        r->w->release(r->w->context, it->result);
    t2_free(it->result);
    t2_buf_release(&it->raw);
    t2_buf_release(&it->text);
    t2_free(it->lines);
}

enum t2_status voc_corpus_run(const struct voc_corpus *c, const struct voc_work *w,
                              struct t2_pool *pool, struct t2_err *err)
{
    struct run r = {.c = c, .w = w};
    const struct t2_pipeline pipeline = {.item_bytes = sizeof(struct item),
                                         .produce = produce,
                                         .work = work,
                                         .consume = consume,
                                         .release = release,
                                         .context = &r};
    enum t2_status st;

    if (w->what)
        t2_progress_start(&r.progress, w->what, "bytes", c->bytes);
    st = t2_pool_pipeline(pool, &pipeline, err);
    if (w->what)
        t2_progress_end(&r.progress);
    close_file(&r);
    t2_buf_release(&r.rest);
    return st;
}
