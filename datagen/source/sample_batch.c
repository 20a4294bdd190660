/*
 * datagen/source/sample_batch.c - samples in batches: filling, cleaning.
 */
#include "datagen/source/sample_batch.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

/* Small enough that a handful per thread stays in the cache, large enough that hand-over is
 * free. */
enum { BATCH_SAMPLES = 512, BATCH_BYTES = 128 << 10 };

void dg_batch_release(struct dg_batch *b)
{
    for (int side = 0; side < DG_N_TEXTS; side++)
        t2_buf_release(&b->text[side]);
    t2_buf_release(&b->values);
    t2_buf_release(&b->scratch);
    t2_buf_release(&b->excerpts);
    t2_free(b->items);
    memset(b, 0, sizeof *b);
}

static struct t2_slice range_of(const struct t2_buf *bytes, const struct dg_range *range)
{
    struct t2_slice s;

    s.data = bytes->data ? bytes->data + range->offset : (const uint8_t *) "";
    s.len_bytes = range->len_bytes;
    return s;
}

struct t2_slice dg_batch_text(const struct dg_batch *b, const struct dg_batch_item *item,
                              enum dg_side_index side)
{
    return range_of(&b->text[side], &item->text[side]);
}

struct t2_slice dg_batch_values(const struct dg_batch *b, const struct dg_range *range)
{
    return range_of(&b->values, range);
}

struct t2_slice dg_batch_lines(const struct dg_batch *b, enum dg_side_index side, size_t n)
{
    size_t end = n < b->n ? b->items[n].text[side].offset : b->text[side].len_bytes;

    return range_of(&b->text[side], &(struct dg_range){0, end});
}

static struct dg_range add_text(struct dg_batch *b, int side, struct t2_slice s)
{
    struct t2_buf *text = &b->text[side];
    struct dg_range range = {text->len_bytes, s.len_bytes};
    uint8_t *to = t2_buf_reserve(text, s.len_bytes + 1);

    if (s.len_bytes) {
        memcpy(to, s.data, s.len_bytes);
        b->has_feeds |= memchr(s.data, '\n', s.len_bytes) != NULL;
    }
    to[s.len_bytes] = '\n';
    text->len_bytes += s.len_bytes + 1;
    return range;
}

static struct dg_range add_values(struct dg_batch *b, const void *values, size_t n, size_t size)
{
    struct dg_range range = {b->values.len_bytes, n * size};

    t2_buf_append(&b->values, values, n * size);
    return range;
}

static void add_sample(struct dg_batch *b, const struct dg_sample *s)
{
    struct dg_batch_item *item;

    if (b->n == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : BATCH_SAMPLES;
        b->items = t2_realloc(b->items, b->capacity, sizeof *b->items);
    }
    item = &b->items[b->n++];
    item->text[DG_INPUTS] = add_text(b, DG_INPUTS, s->inputs);
    item->text[DG_TARGETS] = add_text(b, DG_TARGETS, s->targets);
    item->text[DG_CONTEXT] = add_text(b, DG_CONTEXT, s->context);
    for (int side = 0; side < DG_N_SIDES; side++)
        item->numbers[side] =
            add_values(b, s->numbers[side], s->n_numbers[side], sizeof **s->numbers);
    for (int side = 0; side < DG_N_SIDES; side++)
        item->reals[side] = add_values(b, s->reals[side], s->n_reals[side], sizeof **s->reals);
    item->shard = s->shard;
    item->inputs_path = s->inputs_origin.path;
    item->targets_path = s->targets_origin.path;
    item->inputs_line = s->inputs_origin.line;
    item->inputs_offset = s->inputs_origin.offset;
    item->targets_line = s->targets_origin.line;
    item->targets_offset = s->targets_origin.offset;
    item->drop = s->drop;
}

static void clear(struct dg_batch *b)
{
    for (int side = 0; side < DG_N_TEXTS; side++)
        t2_buf_clear(&b->text[side]);
    t2_buf_clear(&b->values);
    b->has_feeds = false;
    b->n = b->n_kept = 0;
    b->n_replaced = 0;
}

static size_t batch_bytes(const struct dg_batch *b)
{
    size_t n = b->values.len_bytes;

    for (int side = 0; side < DG_N_TEXTS; side++)
        n += b->text[side].len_bytes;
    return n;
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

/* The texts of a batch lie one behind the other in one buffer per side, each followed by a newline,
 * so that a side is one piece of lines for the encoder, the counter and the cleaner; items are
 * ranges in it.  A batch holds samples that are treated alike (is_alike), and ends at BATCH_SAMPLES
 * or BATCH_BYTES. */
enum t2_status dg_batcher_fill(struct dg_batcher *r, struct dg_batch *b, struct t2_err *err)
{
    size_t most = r->stream->batch_samples ? r->stream->batch_samples : BATCH_SAMPLES;
    enum t2_status st = T2_OK;

    T2_TRY(t2_check_interrupt(err));
    clear(b);
    b->invalid = r->invalid;
    while (b->n < most && batch_bytes(b) < BATCH_BYTES) {
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
        r->n_cases++;
    }
    return T2_OK;
}

/* ---- bytes that are not UTF-8 ---- */

static enum t2_status invalid_text(const struct dg_batch *b, const struct dg_batch_item *item,
                                   enum dg_side_index side, size_t at, struct t2_err *err)
{
    bool is_targets = side == DG_TARGETS;

    return t2_fail(
        err, T2_EFORMAT,
        "'%s': line %" PRIu64 ": byte 0x%02X at offset %" PRIu64
        " of the file is not valid UTF-8; convert the file first (iconv -t UTF-8), or see "
        "--invalid",
        is_targets ? item->targets_path : item->inputs_path,
        is_targets ? item->targets_line : item->inputs_line, dg_batch_text(b, item, side).data[at],
        (is_targets ? item->targets_offset : item->inputs_offset) + at);
}

/* The texts of a side again, with U+FFFD where there was something broken. */
static void replace_invalid(struct dg_batch *b, enum dg_side_index side)
{
    struct t2_buf old = b->text[side];

    b->text[side] = b->scratch;
    t2_buf_clear(&b->text[side]);
    for (size_t i = 0; i < b->n; i++) {
        struct dg_range *range = &b->items[i].text[side];
        struct t2_slice s = range_of(&old, range);
        range->offset = b->text[side].len_bytes;
        if (t2_utf8_invalid_at(s.data, s.len_bytes) == s.len_bytes) {
            t2_buf_append(&b->text[side], s.data, s.len_bytes);
        } else {
            tok_utf8_replace(&b->text[side], s.data, s.len_bytes);
            b->n_replaced += !b->items[i].drop;
        }
        range->len_bytes = b->text[side].len_bytes - range->offset;
        t2_buf_push(&b->text[side], '\n');
    }
    b->scratch = old;
}

/* Each text of each item, which names the first that is broken. */
static enum t2_status find_invalid(struct dg_batch *b, struct t2_err *err)
{
    for (size_t i = 0; i < b->n; i++) {
        for (int side = 0; side < DG_N_TEXTS; side++) {
            struct t2_slice s = dg_batch_text(b, &b->items[i], (enum dg_side_index) side);
            size_t at = t2_utf8_invalid_at(s.data, s.len_bytes);
            if (at == s.len_bytes)
                continue;
            if (b->invalid == DG_INVALID_FAIL)
                return invalid_text(b, &b->items[i], (enum dg_side_index) side, at, err);
            if (!b->items[i].drop)
                b->items[i].drop = "not valid UTF-8";
        }
    }
    return T2_OK;
}

static enum t2_status check_utf8(struct dg_batch *b, struct t2_err *err)
{
    for (int side = 0; side < DG_N_TEXTS; side++) {
        const struct t2_buf *text = &b->text[side];
        if (t2_utf8_invalid_at(text->data, text->len_bytes) == text->len_bytes)
            continue;
        if (b->invalid != DG_INVALID_REPLACE)
            return find_invalid(b, err);
        replace_invalid(b, (enum dg_side_index) side);
    }
    return T2_OK;
}

/* ---- cleaning ---- */

static void clean_side(struct dg_batch *b, enum dg_side_index side)
{
    uint8_t *bytes = b->text[side].data;
    bool has_cr = memchr(bytes, '\r', b->text[side].len_bytes) != NULL;

    for (size_t i = 0; i < b->n; i++) {
        struct dg_range *range = &b->items[i].text[side];
        const uint8_t *s = bytes + range->offset;
        size_t len = range->len_bytes;
        if (has_cr)
            len = t2_delete_cr(bytes + range->offset, len);
        if (!b->keep_blanks)
            tok_strip(&s, &len);
        range->offset = (size_t) (s - bytes);
        range->len_bytes = len;
    }
}

/* Closes the gaps that cleaning and dropping left, so that the texts are lines again. */
static void join_side(struct dg_batch *b, enum dg_side_index side)
{
    uint8_t *bytes = b->text[side].data;
    size_t to = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct dg_range *range = &b->items[i].text[side];
        if (!b->items[i].drop && to != range->offset)
            memmove(bytes + to, bytes + range->offset, range->len_bytes);
        range->offset = to;
        if (b->items[i].drop) {
            range->len_bytes = 0;
            continue;
        }
        to += range->len_bytes;
        bytes[to++] = '\n';
    }
    b->text[side].len_bytes = to;
}

/* Before its text goes. */
static void note_excerpt(struct dg_batch *b, struct dg_batch_item *item)
{
    item->excerpt = b->excerpts.len_bytes;
    dg_excerpt_put(dg_batch_text(b, item, DG_INPUTS), dg_batch_text(b, item, DG_TARGETS),
                   &b->excerpts);
    t2_buf_push(&b->excerpts, 0);
}

enum t2_status dg_batch_clean(struct dg_batch *b, struct t2_err *err)
{
    if (b->n == 0)
        return T2_OK;
    t2_buf_clear(&b->excerpts);
    if (!b->is_clean) {
        T2_TRY(check_utf8(b, err));
        for (int side = 0; side < DG_N_TEXTS; side++)
            clean_side(b, (enum dg_side_index) side);
    }
    for (size_t i = 0; i < b->n; i++) {
        struct dg_batch_item *item = &b->items[i];
        if (!item->drop && b->drop_blank && !b->is_clean &&
            (item->text[DG_INPUTS].len_bytes == 0 || item->text[DG_TARGETS].len_bytes == 0))
            item->drop = "blank column";
        b->n_kept += !item->drop;
        if (item->drop)
            note_excerpt(b, item);
    }
    for (int side = 0; side < DG_N_TEXTS; side++)
        join_side(b, (enum dg_side_index) side);
    return T2_OK;
}

void dg_drops_add_batch(struct dg_drops *d, const struct dg_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct dg_batch_item *item = &b->items[i];
        if (item->drop)
            dg_drops_add(d, item->drop, item->inputs_path, item->inputs_line,
                         (const char *) b->excerpts.data + item->excerpt);
    }
}
