/*
 * datagen/source/compile.c - parallel corpora as two files of lines: one thread reads batches,
 * many apply the rules, one writes in order (base/pool.h).
 *
 * A batch is up to 1024 pairs or 256 KiB of one part, its text in one buffer:
 *
 *   text   | line 1 of lang1 | line 1 of lang2 | line 2 of lang1 | ...      without line ends
 *   pairs  side[0], side[1]: offset and length in text, line number, offset in the file
 *
 * Offsets, not pointers, as the buffer moves while it grows.  A pair is dropped with a reason
 * (p->drop), which consume() counts and shows; the order of drops is the order of lines.
 */
#include "datagen/source/compile.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "datagen/source/parallel_line.h"
#include "datagen/source/sentence_cleaner.h"
#include "tokenizer/unicode.h"

enum { BATCH_LINES = 1024, BATCH_BYTES = 256 << 10 };

/* A range of the batch's text, and where it came from. */
struct raw_line {
    size_t at, len_bytes;
    uint64_t number, offset;
};
struct raw_pair {
    struct raw_line side[2]; /* TSV: only the first */
    const char *drop;
};
struct batch {
    const struct dg_compile_part *part;
    struct t2_buf text;
    struct raw_pair *pairs;
    size_t n, capacity;
    bool keep_cr;
    enum dg_invalid invalid;
    struct t2_buf out[2], scratch[2], mended[2];
    uint64_t n_written, n_replaced;
};

struct reader {
    struct t2_in *in;
    const char *path;
    uint64_t next_offset;
};

struct compile {
    const struct dg_compile_part *parts;
    size_t n_parts, next_part;
    const struct dg_compile_part *part; /* being read; NULL: none is open */
    struct reader side[2];
    enum dg_invalid invalid;
    uint64_t max_memory;
    struct t2_out *out[2];
    struct dg_compile_report *report;
    struct t2_progress progress;
};

/* ---- reading ---- */

static bool is_of_two_files(const struct dg_compile_part *part)
{
    return part->kind == DG_PARALLEL_PAIR || part->kind == DG_PARALLEL_SGM;
}

static enum t2_status open_side(struct compile *c, int side, const char *path, struct t2_err *err)
{
    struct reader *r = &c->side[side];

    *r = (struct reader){.path = path};
    T2_TRY(t2_in_new(path, &r->in, err));
    t2_in_fast(r->in);
    t2_in_limit_line(r->in, c->max_memory);
    return T2_OK;
}

static void close_part(struct compile *c)
{
    for (int side = 0; side < 2; side++) {
        t2_in_free(c->side[side].in);
        c->side[side].in = NULL;
    }
    c->part = NULL;
}

static enum t2_status open_part(struct compile *c, struct t2_err *err)
{
    c->part = &c->parts[c->next_part++];
    T2_TRY(open_side(c, 0, c->part->lang1, err));
    return is_of_two_files(c->part) ? open_side(c, 1, c->part->lang2, err) : T2_OK;
}

static enum t2_status read_line(struct reader *r, struct batch *b, struct raw_line *line,
                                struct t2_err *err)
{
    struct t2_slice s;

    T2_TRY(t2_in_line(r->in, &s, err));
    *line =
        (struct raw_line){b->text.len_bytes, s.len_bytes, t2_in_line_number(r->in), r->next_offset};
    r->next_offset += s.len_bytes + 1;
    t2_buf_append(&b->text, s.data, s.len_bytes);
    return T2_OK;
}

/* The original's zip stops there as well, without a warning. */
static void warn_unequal(const struct reader *shorter, const struct reader *longer)
{
    t2_warn("'%s' has only %" PRIu64 " lines, '%s' goes on: what has no partner is left out, as in "
            "the original",
            shorter->path, t2_in_line_number(shorter->in), longer->path);
}

static enum t2_status read_pair(struct compile *c, struct batch *b, struct raw_pair *p,
                                struct t2_err *err)
{
    struct t2_slice extra;
    enum t2_status st = read_line(&c->side[0], b, &p->side[0], err);

    if (st == T2_EOF) {
        st = t2_in_line(c->side[1].in, &extra, err);
        if (st == T2_OK)
            warn_unequal(&c->side[0], &c->side[1]);
        return st == T2_OK ? T2_EOF : st;
    }
    if (st != T2_OK)
        return st;
    st = read_line(&c->side[1], b, &p->side[1], err);
    if (st == T2_EOF)
        warn_unequal(&c->side[1], &c->side[0]);
    return st;
}

/* The next line with a segment; its text only. */
static enum t2_status read_segment(struct reader *r, struct batch *b, struct raw_line *line,
                                   struct t2_err *err)
{
    struct t2_slice text;
    enum t2_status st;

    while ((st = read_line(r, b, line, err)) == T2_OK) {
        struct t2_slice s = {b->text.data + line->at, line->len_bytes};
        /* Python's gzip gives CR as it is, TensorFlow's reader drops it */
        b->keep_cr = t2_in_is_compressed(r->in);
        if (!b->keep_cr)
            s.len_bytes = t2_delete_cr(b->text.data + line->at, s.len_bytes);
        if (dg_tmx_segment(s, &text)) {
            line->offset += (uint64_t) (text.data - s.data);
            line->at += (size_t) (text.data - s.data);
            line->len_bytes = text.len_bytes;
            return T2_OK;
        }
        b->text.len_bytes = line->at;
    }
    return st;
}

static enum t2_status read_unit(struct compile *c, struct batch *b, struct raw_pair *p,
                                struct t2_err *err)
{
    enum t2_status st;

    T2_TRY(read_segment(&c->side[0], b, &p->side[0], err));
    st = read_segment(&c->side[0], b, &p->side[1], err);
    if (st == T2_EOF)
        t2_warn("'%s': the last segment, in line %" PRIu64 ", has no partner and is left out",
                c->side[0].path, p->side[0].number);
    return st;
}

static enum t2_status read_one(struct compile *c, struct batch *b, struct raw_pair *p,
                               struct t2_err *err)
{
    switch (c->part->kind) {
    case DG_PARALLEL_TSV:
        return read_line(&c->side[0], b, &p->side[0], err);
    case DG_PARALLEL_TMX:
        return read_unit(c, b, p, err);
    case DG_PARALLEL_PAIR:
    case DG_PARALLEL_SGM:
        break;
    }
    return read_pair(c, b, p, err);
}

/* A batch is of one part. */
static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct compile *c = context;
    struct batch *b = item;
    enum t2_status st = T2_OK;

    T2_TRY(t2_check_interrupt(err));
    b->n = 0;
    b->keep_cr = false;
    b->invalid = c->invalid;
    t2_buf_clear(&b->text);
    for (;;) {
        if (!c->part) {
            if (c->next_part == c->n_parts)
                return T2_EOF;
            T2_TRY(open_part(c, err));
        }
        b->part = c->part;
        while (b->n < BATCH_LINES && b->text.len_bytes < BATCH_BYTES) {
            if (b->n == b->capacity) {
                b->capacity = b->capacity ? 2 * b->capacity : 64;
                b->pairs = t2_realloc(b->pairs, b->capacity, sizeof *b->pairs);
            }
            memset(&b->pairs[b->n], 0, sizeof *b->pairs);
            st = read_one(c, b, &b->pairs[b->n], err);
            if (st != T2_OK)
                break;
            b->n++;
        }
        if (st != T2_OK && st != T2_EOF)
            return st;
        if (st == T2_EOF)
            close_part(c);
        if (b->n > 0)
            return T2_OK;
        t2_buf_clear(&b->text);
        st = T2_OK;
    }
}

/* ---- rules ---- */

/* The text of a line, made valid as --invalid says; p->drop when it is left out for that. */
static enum t2_status checked(struct batch *b, struct raw_pair *p, int side, struct t2_slice *text,
                              struct t2_err *err)
{
    const struct raw_line *line = &p->side[side];
    uint8_t *s = line->len_bytes ? b->text.data + line->at : NULL;
    size_t bad = line->len_bytes ? t2_utf8_invalid_at(s, line->len_bytes) : 0;
    size_t len_bytes = line->len_bytes;

    if (bad < line->len_bytes && b->invalid == DG_INVALID_FAIL)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": byte 0x%02X at offset %" PRIu64
                       " of the file is not valid UTF-8; convert the file first (iconv -t UTF-8), "
                       "or see --invalid",
                       is_of_two_files(b->part) && side ? b->part->lang2 : b->part->lang1,
                       line->number, s[bad], line->offset + bad);
    if (bad < line->len_bytes && b->invalid == DG_INVALID_DROP)
        p->drop = "not valid UTF-8";
    if (bad < line->len_bytes && b->invalid == DG_INVALID_REPLACE) {
        t2_buf_clear(&b->mended[side]);
        tok_utf8_replace(&b->mended[side], s, len_bytes);
        s = b->mended[side].data;
        len_bytes = b->mended[side].len_bytes;
        b->n_replaced++;
    }
    text->data = s;
    text->len_bytes = b->keep_cr ? len_bytes : t2_delete_cr(s, len_bytes);
    return T2_OK;
}

static void emit(void *context, struct t2_slice text1, struct t2_slice text2)
{
    struct batch *b = context;

    if (text1.len_bytes == 0 || text2.len_bytes == 0)
        return;
    t2_buf_append(&b->out[0], text1.data, text1.len_bytes);
    t2_buf_push(&b->out[0], '\n');
    t2_buf_append(&b->out[1], text2.data, text2.len_bytes);
    t2_buf_push(&b->out[1], '\n');
    b->n_written++;
}

/* The two texts of a pair by the rule of its kind; p->drop when it has none. */
static enum t2_status texts_of(struct batch *b, struct raw_pair *p, struct t2_slice text[2],
                               struct t2_err *err)
{
    const struct dg_compile_part *part = b->part;
    struct t2_slice line;

    if (part->kind == DG_PARALLEL_TSV) {
        T2_TRY(checked(b, p, 0, &line, err));
        if (!dg_tsv_column(line, part->column1, &text[0]) ||
            !dg_tsv_column(line, part->column2, &text[1]))
            p->drop = "too few columns";
        return T2_OK;
    }
    for (int i = 0; i < 2; i++) {
        T2_TRY(checked(b, p, i, &text[i], err));
        if (part->kind == DG_PARALLEL_TMX) {
            t2_buf_clear(&b->scratch[i]);
            dg_tmx_decode(text[i], &b->scratch[i]);
            text[i] = t2_buf_slice(&b->scratch[i]);
            continue;
        }
        text[i] = dg_stripped(text[i]);
        if (part->kind == DG_PARALLEL_SGM)
            text[i] = dg_sgm_text(text[i]);
    }
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct batch *b = item;

    (void) context;
    (void) worker;
    t2_buf_clear(&b->out[0]);
    t2_buf_clear(&b->out[1]);
    b->n_written = b->n_replaced = 0;
    for (size_t i = 0; i < b->n; i++) {
        struct raw_pair *p = &b->pairs[i];
        struct t2_slice text[2] = {{NULL, 0}, {NULL, 0}};
        T2_TRY(texts_of(b, p, text, err));
        if (p->drop)
            continue;
        if (text[0].len_bytes == 0 || text[1].len_bytes == 0)
            p->drop = "an empty side";
        else if (b->part->clean)
            p->drop = dg_clean_pair(text[0], text[1], emit, b);
        else
            emit(b, text[0], text[1]);
    }
    return T2_OK;
}

static struct t2_slice raw_text(const struct batch *b, const struct raw_line *line)
{
    return (struct t2_slice){line->len_bytes ? b->text.data + line->at : (const uint8_t *) "",
                             line->len_bytes};
}

static void note_drop(struct compile *c, const struct batch *b, const struct raw_pair *p)
{
    struct t2_buf text = {0};

    dg_excerpt_put(raw_text(b, &p->side[0]), raw_text(b, &p->side[1]), &text);
    dg_drops_add(&c->report->drops, p->drop, b->part->lang1, p->side[0].number, t2_buf_cstr(&text));
    t2_buf_release(&text);
}

/* ---- writing ---- */

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct compile *c = context;
    const struct batch *b = item;

    for (size_t i = 0; i < b->n; i++) {
        if (b->pairs[i].drop)
            note_drop(c, b, &b->pairs[i]);
    }
    for (int side = 0; side < 2; side++) {
        t2_out_write(c->out[side], b->out[side].data, b->out[side].len_bytes);
        T2_TRY(t2_out_status(c->out[side], err));
    }
    c->report->n_read += b->n;
    c->report->n_written += b->n_written;
    c->report->n_replaced += b->n_replaced;
    t2_progress_update(&c->progress, c->report->n_read);
    return T2_OK;
}

static void release_batch(void *context, void *item)
{
    struct batch *b = item;

    (void) context;
    t2_buf_release(&b->text);
    t2_free(b->pairs);
    for (int side = 0; side < 2; side++) {
        t2_buf_release(&b->out[side]);
        t2_buf_release(&b->scratch[side]);
        t2_buf_release(&b->mended[side]);
    }
}

static enum t2_status commit(struct compile *c, const char *const paths[2], struct t2_err *err)
{
    enum t2_status st;

    for (int side = 0; side < 2; side++)
        T2_TRY(t2_out_finish(c->out[side], err));
    for (int side = 0; side < 2; side++) {
        st = t2_out_commit_as(c->out[side], paths[side], err);
        c->out[side] = NULL;
        T2_TRY(st);
    }
    return T2_OK;
}

enum t2_status dg_compile(const struct dg_compile_part *parts, size_t n, const char *lang1,
                          const char *lang2, const char *left_out, enum dg_invalid invalid,
                          uint64_t max_memory, struct t2_pool *pool,
                          struct dg_compile_report *report, struct t2_err *err)
{
    const char *const paths[2] = {lang1, lang2};
    struct compile c = {.parts = parts,
                        .n_parts = n,
                        .invalid = invalid,
                        .max_memory = max_memory,
                        .report = report};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct batch),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_batch,
                                   .context = &c};
    enum t2_status st = t2_out_new(lang1, &c.out[0], err);

    if (st == T2_OK)
        st = t2_out_new(lang2, &c.out[1], err);
    if (st == T2_OK) {
        t2_progress_start(&c.progress, "compiling", "pairs", 0);
        st = t2_pool_pipeline(pool, &pipeline, err);
        t2_progress_end(&c.progress);
    }
    if (st == T2_OK && left_out)
        st = dg_drops_save(&report->drops, left_out, err);
    if (st == T2_OK)
        st = commit(&c, paths, err);
    close_part(&c);
    t2_out_abort(c.out[0]);
    t2_out_abort(c.out[1]);
    return st;
}
