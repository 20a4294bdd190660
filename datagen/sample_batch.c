/*
 * datagen/sample_batch.c - samples in batches: filling, cleaning, drop report.
 */
#include "datagen/sample_batch.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

/* Small enough that a handful per thread stays in the cache, large enough that hand-over is free. */
enum { BATCH_SAMPLES = 512, BATCH_BYTES = 128 << 10 };

void dg_batch_release(struct dg_batch *b)
{
    t2_buf_release(&b->text);
    t2_free(b->items);
    memset(b, 0, sizeof *b);
}

struct t2_slice dg_batch_text(const struct dg_batch *b, const struct dg_text *text)
{
    struct t2_slice s;

    s.data = b->text.data ? b->text.data + text->offset : (const uint8_t *) "";
    s.len_bytes = text->len_bytes;
    return s;
}

static struct dg_text add_text(struct dg_batch *b, struct t2_slice s)
{
    struct dg_text text = {b->text.len_bytes, s.len_bytes};

    t2_buf_append(&b->text, s.data, s.len_bytes);
    return text;
}

static struct dg_text add_values(struct dg_batch *b, const void *values, size_t n, size_t size)
{
    return add_text(b, (struct t2_slice){values, n * size});
}

static void add_sample(struct dg_batch *b, const struct dg_sample *s)
{
    struct dg_batch_item *item;
    int side;

    if (b->n == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : BATCH_SAMPLES;
        b->items = t2_realloc(b->items, b->capacity, sizeof *b->items);
    }
    item = &b->items[b->n++];
    item->inputs = add_text(b, s->inputs);
    item->targets = add_text(b, s->targets);
    item->context = add_text(b, s->context);
    for (side = 0; side < DG_N_SIDES; ++side)
        item->numbers[side] =
            add_values(b, s->numbers[side], s->n_numbers[side], sizeof **s->numbers);
    item->reals = add_values(b, s->reals, s->n_reals, sizeof *s->reals);
    item->shard = s->shard;
    item->inputs_path = s->inputs_origin.path;
    item->targets_path = s->targets_origin.path;
    item->inputs_line = s->inputs_origin.line;
    item->inputs_offset = s->inputs_origin.offset;
    item->targets_line = s->targets_origin.line;
    item->targets_offset = s->targets_origin.offset;
    item->drop = s->drop;
}

/* Are the texts of the next sample treated as those of the batch? */
static bool is_alike(const struct dg_batch *b, const struct dg_stream *s)
{
    return b->is_clean == s->is_clean && b->keep_blanks == s->keep_blanks &&
           b->drop_blank == s->drop_blank;
}

static enum t2_status next_sample(struct dg_batcher *r, struct t2_err *err)
{
    if (r->has_pending)
        return T2_OK;
    memset(&r->pending, 0, sizeof r->pending);
    T2_TRY(r->stream->next(r->stream, &r->pending, err));
    r->has_pending = true;
    return T2_OK;
}

enum t2_status dg_batcher_fill(struct dg_batcher *r, struct dg_batch *b, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    T2_TRY(t2_check_interrupt(err));
    t2_buf_clear(&b->text);
    b->n = 0;
    while (b->n < BATCH_SAMPLES && b->text.len_bytes < BATCH_BYTES) {
        bool full = r->max_cases && r->n_cases == r->max_cases;
        if (full && !r->drain)
            return b->n ? T2_OK : T2_EOF;
        st = next_sample(r, err);
        if (st == T2_EOF)
            return b->n ? T2_OK : T2_EOF;
        if (st != T2_OK)
            return st;
        if (full) {
            r->has_pending = false;
            continue;
        }
        if (b->n == 0) {
            b->first_case = r->n_cases;
            b->is_clean = r->stream->is_clean;
            b->keep_blanks = r->stream->keep_blanks;
            b->drop_blank = r->stream->drop_blank;
        } else if (!is_alike(b, r->stream)) {
            return T2_OK;
        }
        add_sample(b, &r->pending);
        r->has_pending = false;
        ++r->n_cases;
    }
    return T2_OK;
}

/* Deletes CR in place; returns the new length. */
static size_t delete_cr(uint8_t *s, size_t len_bytes)
{
    uint8_t *out = memchr(s, '\r', len_bytes);
    const uint8_t *in;

    if (!out)
        return len_bytes;
    for (in = out; in < s + len_bytes; ++in) {
        if (*in != '\r')
            *out++ = *in;
    }
    return (size_t) (out - s);
}

static enum t2_status clean_text(struct dg_batch *b, struct dg_text *text, const char *path,
                                 uint64_t line, uint64_t offset, struct t2_err *err)
{
    uint8_t *start;
    const uint8_t *s;
    size_t len, bad;

    if (text->len_bytes == 0)
        return T2_OK;
    start = b->text.data + text->offset;
    bad = t2_utf8_invalid_at(start, text->len_bytes);
    if (bad < text->len_bytes)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 ": byte 0x%02X at offset %" PRIu64
                       " of the file is not valid UTF-8; convert the file first (iconv -t UTF-8)",
                       path, line, start[bad], offset + bad);
    s = start;
    len = delete_cr(start, text->len_bytes);
    if (!b->keep_blanks)
        tok_strip(&s, &len);
    text->offset += (size_t) (s - start);
    text->len_bytes = len;
    return T2_OK;
}

enum t2_status dg_batch_clean(struct dg_batch *b, struct t2_err *err)
{
    size_t i;

    if (b->is_clean)
        return T2_OK;
    for (i = 0; i < b->n; ++i) {
        struct dg_batch_item *item = &b->items[i];
        T2_TRY(clean_text(b, &item->inputs, item->inputs_path, item->inputs_line,
                          item->inputs_offset, err));
        T2_TRY(clean_text(b, &item->targets, item->targets_path, item->targets_line,
                          item->targets_offset, err));
        T2_TRY(clean_text(b, &item->context, item->inputs_path, item->inputs_line,
                          item->inputs_offset, err));
        if (!item->drop && b->drop_blank &&
            (item->inputs.len_bytes == 0 || item->targets.len_bytes == 0))
            item->drop = "blank column";
    }
    return T2_OK;
}

static struct dg_drop *drop_of(struct dg_drops *d, const char *reason)
{
    size_t i;

    for (i = 0; i < d->n; ++i) {
        if (strcmp(d->items[i].reason, reason) == 0)
            return &d->items[i];
    }
    T2_ASSERT(d->n < DG_DROP_REASONS);
    d->items[d->n].reason = reason;
    return &d->items[d->n++];
}

void dg_drops_add(struct dg_drops *d, const char *reason, const char *path, uint64_t line)
{
    struct dg_drop *drop = drop_of(d, reason);

    ++drop->n;
    ++d->total;
    if (drop->n_examples < DG_DROP_EXAMPLES) {
        drop->examples[drop->n_examples].path = t2_strdup(path ? path : "");
        drop->examples[drop->n_examples++].line = line;
    }
}

void dg_drops_add_batch(struct dg_drops *d, const struct dg_batch *b)
{
    size_t i;

    for (i = 0; i < b->n; ++i) {
        if (b->items[i].drop)
            dg_drops_add(d, b->items[i].drop, b->items[i].inputs_path, b->items[i].inputs_line);
    }
}

void dg_drops_release(struct dg_drops *d)
{
    size_t i, k;

    for (i = 0; i < d->n; ++i) {
        for (k = 0; k < d->items[i].n_examples; ++k)
            t2_free(d->items[i].examples[k].path);
    }
    memset(d, 0, sizeof *d);
}
