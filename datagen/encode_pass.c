/*
 * datagen/encode_pass.c - samples become records.
 */
#include "datagen/encode_pass.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/rng.h"
#include "base/signals.h"
#include "tfrecord/example.h"
#include "tfrecord/writer.h"

enum { CASES_PER_LOG_LINE = 100000, CACHE_BYTES = 32 << 20 };

/* What travels: samples in, framed records out; where records are cut out of a row of targets
 * (chop_length), the ids of each sample. */
struct slot {
    struct dg_batch batch;
    struct dg_kept_block *kept; /* in place of batch; NULL: batch it is */
    struct t2_buf frames;
    struct dg_made { /* one per record, or per sample that is to be chopped */
        size_t end;  /* of its frame, or of its ids */
        int32_t shard;
    } * made;
    size_t n_made, capacity;
    struct tok_ids row;
    struct dg_late_drop {
        const char *reason, *path;
        uint64_t line;
    } * drops; /* records that p->finish left out */
    size_t n_drops, drops_capacity;
    uint64_t first, n; /* only_own: numbers of all samples, those of other tasks too */
    struct t2_buf own[DG_N_SIDES];
    struct dg_stats stats;
    uint64_t n_bytes;
};

struct worker {
    struct tok_cache *caches[DG_N_SIDES];
    struct tok_ids ids[DG_N_SIDES];
    struct tok_ends ends[DG_N_SIDES]; /* of lines */
    struct tok_ids joined;
    struct dg_record record;
    struct t2_buf text, payload;
    int64_t *numbers; /* of one sample, aligned */
    size_t numbers_capacity;
};

struct encode_context {
    struct dg_encode *e;
    struct dg_batcher batcher;
    const struct dg_kept *counts;
    struct dg_kept *kept; /* in place of batcher; NULL: it is read */
    size_t next_kept, next_batch;
    uint64_t n_given; /* only_own: samples of the batches so far */
    struct worker *workers;
    struct dg_drops *drops;
    struct tok_ids separator; /* between the parts of joined inputs */
    bool is_lines;            /* dg_encodes_lines */
    enum dg_split split;
    size_t first_bin, n_bins;
    uint64_t n_samples, n_records;
    struct t2_perm perm;   /* deal_at_random */
    struct tok_ids *rests; /* chopping: of each shard, ids that are not a whole record yet */
    struct dg_record block_record;
    struct t2_buf block;
    struct t2_out *const *text_out;
    struct t2_progress progress;
};

static const char *const side_names[DG_N_SIDES] = {"inputs", "targets"};

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct encode_context *c = context;
    struct slot *s = item;

    s->first = c->n_given;
    if (c->kept) {
        T2_TRY(t2_check_interrupt(err));
        if (c->next_kept == c->kept->n)
            return T2_EOF;
        s->kept = &c->kept->items[c->next_kept++];
        c->n_given += s->kept->n;
        return T2_OK;
    }
    T2_TRY(dg_batcher_fill(&c->batcher, &s->batch, err));
    if (c->e->only_own && c->next_batch < c->counts->n_batches)
        c->n_given += c->counts->batch_samples[c->next_batch++];
    return T2_OK;
}

/* The bin of record k of the split. */
static size_t bin_of(const struct encode_context *c, uint64_t k)
{
    if (c->e->deal_at_random && k < c->perm.n)
        k = t2_perm_at(&c->perm, k);
    return (size_t) (k % c->n_bins);
}

static enum t2_status encode_text(const struct encode_context *c, struct worker *w, struct slot *s,
                                  int side, struct t2_slice text, struct t2_err *err)
{
    const char *prefix = c->e->problem->prefix[side];

    s->n_bytes += text.len_bytes;
    if (prefix) {
        t2_buf_clear(&w->text);
        t2_buf_append(&w->text, prefix, strlen(prefix));
        t2_buf_append(&w->text, text.data, text.len_bytes);
        text = t2_buf_slice(&w->text);
    }
    return dg_vocab_encode(c->e->vocabs[side], w->caches[side], text, &w->ids[side], err);
}

static enum t2_status encode_side(const struct encode_context *c, struct worker *w, struct slot *s,
                                  int side, struct t2_slice text, struct t2_err *err)
{
    w->ids[side].n = 0;
    T2_TRY(encode_text(c, w, s, side, text, err));
    if (!c->e->problem->no_eos[side] && !c->e->problem->chop_length &&
        !(side == DG_TARGETS && c->e->problem->targets_are_labels))
        tok_ids_push(&w->ids[side], TOK_EOS);
    return T2_OK;
}

static void push_made(struct slot *s, size_t end, int32_t shard)
{
    if (s->n_made == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 512;
        s->made = t2_realloc(s->made, s->capacity, sizeof *s->made);
    }
    s->made[s->n_made++] = (struct dg_made){end, shard};
}

static void push_frame(struct slot *s, const struct t2_buf *payload, int32_t shard)
{
    tfr_frame(&s->frames, payload->data, payload->len_bytes);
    push_made(s, s->frames.len_bytes, shard);
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* Puts EOS behind the ids of each line. */
static void end_lines(struct worker *w, int side)
{
    struct tok_ids *ids = &w->ids[side], *joined = &w->joined;
    struct tok_ids swap;
    size_t i, start = 0;

    joined->n = 0;
    tok_ids_reserve(joined, ids->n + w->ends[side].n);
    for (i = 0; i < w->ends[side].n; ++i) {
        size_t end = w->ends[side].items[i];
        if (end > start)
            memcpy(joined->items + joined->n, ids->items + start,
                   (end - start) * sizeof *ids->items);
        joined->n += end - start;
        joined->items[joined->n++] = TOK_EOS;
        w->ends[side].items[i] = joined->n;
        start = end;
    }
    swap = *ids;
    *ids = *joined;
    *joined = swap;
}

static enum t2_status encode_side_lines(const struct encode_context *c, struct worker *w,
                                        struct slot *s, int side, struct t2_slice lines,
                                        struct t2_err *err)
{
    w->ids[side].n = w->ends[side].n = 0;
    T2_TRY(tok_encode_lines(c->e->vocabs[side]->encoder, w->caches[side], lines.data,
                            lines.len_bytes, &w->ids[side], &w->ends[side], err));
    s->n_bytes += lines.len_bytes - w->ends[side].n;
    return T2_OK;
}

static void frame_lines(const struct encode_context *c, struct worker *w, struct slot *s)
{
    size_t first = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS, i, side;
    const int32_t *ids[DG_N_SIDES] = {w->ids[DG_INPUTS].items, w->ids[DG_TARGETS].items};
    size_t n_ids[DG_N_SIDES];

    for (i = 0; i < w->ends[DG_TARGETS].n; ++i) {
        for (side = first; side < DG_N_SIDES; ++side) {
            const size_t *ends = w->ends[side].items;
            n_ids[side] = ends[i] - (i > 0 ? ends[i - 1] : 0);
        }
        t2_buf_clear(&w->payload);
        tfr_example_build_ids(&w->payload, DG_N_SIDES - first, side_names + first, ids + first,
                              n_ids + first);
        push_frame(s, &w->payload, 0);
        for (side = first; side < DG_N_SIDES; ++side)
            ids[side] += n_ids[side];
    }
}

/* All samples of a batch: ids of the texts. */
static enum t2_status encode_lines(const struct encode_context *c, struct worker *w, struct slot *s,
                                   const struct t2_slice lines[DG_N_SIDES], size_t n,
                                   struct t2_err *err)
{
    int side = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;
    size_t i;

    if (c->e->problem->chop_length)
        side = DG_TARGETS;
    for (; side < DG_N_SIDES; ++side) {
        T2_TRY(encode_side_lines(c, w, s, side, lines[side], err));
        T2_ASSERT(w->ends[side].n == n);
        if (c->e->problem->chop_length)
            continue;
        end_lines(w, side);
        dg_stats_add_lists(&s->stats, side_names[side], w->ids[side].items, w->ends[side].items, n);
    }
    if (!c->e->problem->chop_length) {
        frame_lines(c, w, s);
        return T2_OK;
    }
    tok_ids_append(&s->row, w->ids[DG_TARGETS].items, w->ids[DG_TARGETS].n);
    for (i = 0; i < n; ++i)
        push_made(s, w->ends[DG_TARGETS].items[i], 0);
    return T2_OK;
}

/* ---- sample by sample --------------------------------------------------------------------------------- */

static const int64_t *aligned_numbers(struct worker *w, struct t2_slice bytes)
{
    if (bytes.len_bytes > w->numbers_capacity) {
        w->numbers_capacity = 2 * bytes.len_bytes;
        w->numbers = t2_realloc(w->numbers, w->numbers_capacity, 1);
    }
    if (bytes.len_bytes)
        memcpy(w->numbers, bytes.data, bytes.len_bytes);
    return w->numbers;
}

static void add_numbers(struct worker *w, const char *name, struct t2_slice bytes)
{
    const int64_t *numbers = aligned_numbers(w, bytes);
    struct dg_feature *f = dg_record_add(&w->record, name, TFR_INT64);
    size_t i;

    for (i = 0; i < bytes.len_bytes / sizeof *numbers; ++i)
        dg_feature_push(f, numbers[i]);
}

static void add_reals(struct worker *w, const char *name, struct t2_slice bytes)
{
    struct dg_feature *f = dg_record_add(&w->record, name, TFR_FLOAT);
    size_t i;
    float value;

    for (i = 0; i < bytes.len_bytes / sizeof value; ++i) {
        memcpy(&value, bytes.data + i * sizeof value, sizeof value);
        dg_feature_push_float(f, value);
    }
}

static enum t2_status add_context(const struct encode_context *c, struct worker *w, struct slot *s,
                                  struct t2_slice context, struct t2_err *err)
{
    struct tok_ids *ids = &w->ids[DG_INPUTS];

    if (c->e->problem->context_use == DG_CONTEXT_FEATURE) {
        T2_TRY(encode_side(c, w, s, DG_INPUTS, context, err));
        dg_feature_append_ids(dg_record_add(&w->record, "context", TFR_INT64), ids->items, ids->n);
        return T2_OK;
    }
    if (!c->e->problem->no_eos[DG_INPUTS])
        --ids->n; /* it goes to the end */
    tok_ids_push(ids, c->separator.items[0]);
    T2_TRY(encode_text(c, w, s, DG_INPUTS, context, err));
    tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

static enum t2_status add_side(const struct encode_context *c, struct worker *w, struct slot *s,
                               const struct dg_batch_item *item, int side, struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;
    struct t2_slice numbers = dg_batch_values(&s->batch, &item->numbers[side]);
    struct t2_slice reals = dg_batch_values(&s->batch, &item->reals);
    struct tok_ids *ids = &w->ids[side];

    if (numbers.len_bytes) {
        add_numbers(w, side_names[side], numbers);
        return T2_OK;
    }
    if (side == DG_TARGETS && reals.len_bytes) {
        add_reals(w, side_names[side], reals);
        return T2_OK;
    }
    if (!dg_vocab_is_of_text(c->e->vocabs[side]->kind))
        return T2_OK;
    T2_TRY(
        encode_side(c, w, s, side, dg_batch_text(&s->batch, item, (enum dg_side_index) side), err));
    if (side == DG_INPUTS && p->context_use == DG_CONTEXT_JOINED)
        T2_TRY(add_context(c, w, s, dg_batch_text(&s->batch, item, DG_CONTEXT), err));
    dg_feature_append_ids(dg_record_add(&w->record, side_names[side], TFR_INT64), ids->items,
                          ids->n);
    if (side == DG_INPUTS && p->context_use == DG_CONTEXT_FEATURE)
        T2_TRY(add_context(c, w, s, dg_batch_text(&s->batch, item, DG_CONTEXT), err));
    return T2_OK;
}

static enum t2_status finish_record(const struct encode_context *c, struct worker *w,
                                    const struct slot *s, const struct dg_batch_item *item,
                                    struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;
    struct dg_texts texts = {.split = c->split,
                             .text = {dg_batch_text(&s->batch, item, DG_INPUTS),
                                      dg_batch_text(&s->batch, item, DG_TARGETS),
                                      dg_batch_text(&s->batch, item, DG_CONTEXT)}};
    int side;

    for (side = 0; side < DG_N_SIDES; ++side)
        texts.encoders[side] = c->e->vocabs[side] ? c->e->vocabs[side]->encoder : NULL;
    return p->finish(p, &texts, &w->record, err);
}

static void drop_late(struct slot *s, const char *reason, const struct dg_batch_item *item)
{
    if (s->n_drops == s->drops_capacity) {
        s->drops_capacity = s->drops_capacity ? 2 * s->drops_capacity : 16;
        s->drops = t2_realloc(s->drops, s->drops_capacity, sizeof *s->drops);
    }
    s->drops[s->n_drops++] = (struct dg_late_drop){reason, item->inputs_path, item->inputs_line};
}

/* T2T refuses an empty list: no reader could tell it from a missing feature. */
static enum t2_status check_not_empty(const struct dg_record *r, struct t2_err *err)
{
    size_t i;

    if (r->n == 0)
        return t2_fail(err, T2_EFORMAT, "the record has no feature");
    for (i = 0; i < r->n; ++i) {
        if (r->features[i].kind != TFR_BYTES && r->features[i].n == 0)
            return t2_fail(err, T2_EFORMAT, "feature '%s' is empty", r->features[i].name);
    }
    return T2_OK;
}

static enum t2_status encode_record(const struct encode_context *c, struct worker *w,
                                    struct slot *s, const struct dg_batch_item *item,
                                    struct t2_err *err)
{
    const struct dg_problem *p = c->e->problem;

    dg_record_clear(&w->record);
    if (p->has_inputs)
        T2_TRY(add_side(c, w, s, item, DG_INPUTS, err));
    T2_TRY(add_side(c, w, s, item, DG_TARGETS, err));
    if (p->finish)
        T2_TRY(finish_record(c, w, s, item, err));
    if (w->record.drop) {
        drop_late(s, w->record.drop, item);
        return T2_OK;
    }
    T2_TRY(check_not_empty(&w->record, err));
    dg_stats_add_record(&s->stats, &w->record);
    t2_buf_clear(&w->payload);
    dg_record_write(&w->record, &w->payload);
    push_frame(s, &w->payload, item->shard);
    return T2_OK;
}

static enum t2_status encode_row(const struct encode_context *c, struct worker *w, struct slot *s,
                                 const struct dg_batch_item *item, struct t2_err *err)
{
    T2_TRY(encode_side(c, w, s, DG_TARGETS, dg_batch_text(&s->batch, item, DG_TARGETS), err));
    tok_ids_append(&s->row, w->ids[DG_TARGETS].items, w->ids[DG_TARGETS].n);
    push_made(s, s->row.n, item->shard);
    return T2_OK;
}

static enum t2_status encode_items(const struct encode_context *c, struct worker *w, struct slot *s,
                                   struct t2_err *err)
{
    bool is_row = c->e->problem->chop_length > 0;
    size_t i;

    for (i = 0; i < s->batch.n; ++i) {
        const struct dg_batch_item *one = &s->batch.items[i];
        enum t2_status st;
        if (one->drop)
            continue;
        st = is_row ? encode_row(c, w, s, one, err) : encode_record(c, w, s, one, err);
        if (st != T2_OK)
            return one->inputs_path
                       ? t2_wrap(err, "'%s': line %" PRIu64, one->inputs_path, one->inputs_line)
                       : st;
    }
    return T2_OK;
}

static void clear_made(struct slot *s)
{
    t2_buf_clear(&s->frames);
    s->row.n = 0;
    s->n_made = 0;
    s->n_drops = 0;
    s->n_bytes = 0;
    s->stats.n = 0;
}

/* The end of the line that begins at `at`, its line feed included. */
static size_t line_end(struct t2_slice lines, size_t at)
{
    const uint8_t *feed = memchr(lines.data + at, '\n', lines.len_bytes - at);

    T2_ASSERT(feed);
    return (size_t) (feed + 1 - lines.data);
}

/* Of a task of many: the lines of its own shards only. */
static enum t2_status encode_own_lines(const struct encode_context *c, struct worker *w,
                                       struct slot *s, const struct t2_slice lines[DG_N_SIDES],
                                       size_t n, struct t2_err *err)
{
    int first_side = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS, side;
    struct t2_slice own[DG_N_SIDES] = {{NULL, 0}, {NULL, 0}};
    size_t at[DG_N_SIDES] = {0, 0}, i, n_own = 0;

    s->n = n;
    if (!c->e->only_own)
        return encode_lines(c, w, s, lines, n, err);
    for (side = first_side; side < DG_N_SIDES; ++side)
        t2_buf_clear(&s->own[side]);
    for (i = 0; i < n; ++i) {
        bool is_own = dg_owns_shard(&c->e->share, c->first_bin + bin_of(c, s->first + i));
        n_own += is_own;
        for (side = first_side; side < DG_N_SIDES; ++side) {
            size_t end = line_end(lines[side], at[side]);
            if (is_own)
                t2_buf_append(&s->own[side], lines[side].data + at[side], end - at[side]);
            at[side] = end;
        }
    }
    for (side = first_side; side < DG_N_SIDES; ++side)
        own[side] = t2_buf_slice(&s->own[side]);
    return n_own ? encode_lines(c, w, s, own, n_own, err) : T2_OK;
}

static bool has_shards_or_values(const struct dg_batch *b)
{
    size_t i;

    for (i = 0; i < b->n; ++i) {
        if (b->items[i].shard)
            return true;
    }
    return b->values.len_bytes > 0;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct encode_context *c = context;
    struct worker *w = &c->workers[worker];
    struct slot *s = item;
    struct t2_slice lines[DG_N_SIDES];
    struct t2_err unused = T2_ERR_INIT;
    int side;

    clear_made(s);
    if (s->kept)
        return encode_own_lines(c, w, s, s->kept->lines, s->kept->n, err);
    T2_TRY(dg_batch_clean(&s->batch, err));
    if (c->is_lines && !s->batch.has_feeds && !has_shards_or_values(&s->batch)) {
        for (side = 0; side < DG_N_SIDES; ++side)
            lines[side] = dg_batch_lines(&s->batch, (enum dg_side_index) side, s->batch.n);
        if (encode_own_lines(c, w, s, lines, s->batch.n_kept, &unused) == T2_OK)
            return T2_OK;
        clear_made(s); /* the other way says which line it is */
    }
    return encode_items(c, w, s, err);
}

static void write_text(const struct encode_context *c, const struct slot *s)
{
    const struct dg_batch *b = &s->batch;
    size_t i;
    int side;

    for (side = 0; side < DG_N_SIDES; ++side) {
        struct t2_slice lines =
            s->kept ? s->kept->lines[side] : dg_batch_lines(b, (enum dg_side_index) side, b->n);
        if (!c->text_out[side])
            continue;
        if (s->kept || !b->has_feeds) {
            t2_out_write(c->text_out[side], lines.data, lines.len_bytes);
            continue;
        }
        for (i = 0; i < b->n; ++i) {
            struct t2_slice text = dg_batch_text(b, &b->items[i], (enum dg_side_index) side);
            if (b->items[i].drop)
                continue;
            t2_out_write(c->text_out[side], text.data, text.len_bytes);
            t2_out_write(c->text_out[side], "\n", 1);
        }
    }
}

static void log_case(const struct encode_context *c)
{
    if (c->n_records % CASES_PER_LOG_LINE != 0)
        return;
    if (!c->e->problem->is_official)
        t2_info("Generating case %" PRIu64 ".", c->n_records);
    else if (c->n_records > 0)
        t2_info("\tSaving case %" PRIu64 ".", c->n_records);
}

static enum t2_status add_frame(struct encode_context *c, const uint8_t *frame, size_t len_bytes,
                                int32_t shard, struct t2_err *err)
{
    size_t bin =
        c->first_bin + (shard ? (size_t) (shard - 1) % c->n_bins : bin_of(c, c->n_records));

    log_case(c);
    ++c->n_records;
    if (c->e->bin_records)
        ++c->e->bin_records[bin];
    if (!dg_owns_shard(&c->e->share, bin))
        return T2_OK;
    return dg_bins_add(c->e->bins, bin, frame, len_bytes, err);
}

/* Frames of the task's own samples, which were numbered with those of the others. */
static enum t2_status add_own_frames(struct encode_context *c, const struct slot *s,
                                     struct t2_err *err)
{
    size_t start = 0, at = 0;
    uint64_t k;

    for (k = s->first; k < s->first + s->n; ++k) {
        size_t bin = c->first_bin + bin_of(c, k);
        log_case(c);
        ++c->n_records;
        ++c->e->bin_records[bin];
        if (!dg_owns_shard(&c->e->share, bin))
            continue;
        T2_TRY(dg_bins_add(c->e->bins, bin, s->frames.data + start, s->made[at].end - start, err));
        start = s->made[at++].end;
    }
    T2_ASSERT(at == s->n_made);
    c->n_samples += s->n;
    return T2_OK;
}

/* One record out of the ids that wait. */
static enum t2_status add_block(struct encode_context *c, const int32_t *ids, int32_t shard,
                                struct t2_err *err)
{
    static const struct dg_texts no_texts = {.text = {{NULL, 0}}};
    const struct dg_problem *p = c->e->problem;
    struct dg_record *r = &c->block_record;
    struct t2_buf payload = {0};

    dg_record_clear(r);
    dg_feature_append_ids(dg_record_add(r, side_names[DG_TARGETS], TFR_INT64), ids,
                          (size_t) p->chop_length);
    if (p->finish)
        T2_TRY(p->finish(p, &no_texts, r, err));
    dg_record_write(r, &payload);
    t2_buf_clear(&c->block);
    tfr_frame(&c->block, payload.data, payload.len_bytes);
    t2_buf_release(&payload);
    dg_stats_add_record(&c->e->stats, r);
    return add_frame(c, c->block.data, c->block.len_bytes, shard, err);
}

/* The end of all shards: what waits is filled up or left out. */
static enum t2_status flush_rests(struct encode_context *c, struct t2_err *err)
{
    size_t length = (size_t) c->e->problem->chop_length, i;

    for (i = 0; i < c->n_bins && !c->e->problem->chop_drops_rest; ++i) {
        struct tok_ids *rest = &c->rests[i];
        if (rest->n == 0)
            continue;
        while (rest->n < length)
            tok_ids_push(rest, TOK_PAD);
        T2_TRY(add_block(c, rest->items, (int32_t) i + 1, err));
    }
    return T2_OK;
}

static enum t2_status chop(struct encode_context *c, const struct slot *s, struct t2_err *err)
{
    size_t length = (size_t) c->e->problem->chop_length, i, at, start = 0;

    for (i = 0; i < s->n_made; ++i) {
        int32_t shard = s->made[i].shard;
        struct tok_ids *rest = &c->rests[(size_t) (shard - 1) % c->n_bins];
        tok_ids_append(rest, s->row.items + start, s->made[i].end - start);
        start = s->made[i].end;
        for (at = 0; at + length <= rest->n; at += length)
            T2_TRY(add_block(c, rest->items + at, shard, err));
        rest->n -= at;
        if (rest->n)
            memmove(rest->items, rest->items + at, rest->n * sizeof *rest->items);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct encode_context *c = context;
    struct slot *s = item;
    size_t i, start = 0;

    for (i = 0; i < s->n_drops; ++i)
        dg_drops_add(c->drops, s->drops[i].reason, s->drops[i].path, s->drops[i].line);
    if (c->e->problem->chop_length)
        T2_TRY(chop(c, s, err));
    if (c->e->only_own)
        T2_TRY(add_own_frames(c, s, err));
    for (i = 0; i < s->n_made && !c->e->problem->chop_length && !c->e->only_own; ++i) {
        T2_TRY(add_frame(c, s->frames.data + start, s->made[i].end - start, s->made[i].shard, err));
        start = s->made[i].end;
    }
    if (!c->e->only_own)
        c->n_samples += s->n_made + s->n_drops;
    dg_stats_join(&c->e->stats, &s->stats);
    c->e->n_bytes += s->n_bytes;
    write_text(c, s);
    if (s->kept)
        dg_kept_block_release(s->kept);
    t2_progress_update(&c->progress, c->n_samples);
    return T2_OK;
}

static void release_slot(void *context, void *item)
{
    struct slot *s = item;

    (void) context;
    dg_batch_release(&s->batch);
    t2_buf_release(&s->own[DG_INPUTS]);
    t2_buf_release(&s->own[DG_TARGETS]);
    t2_buf_release(&s->frames);
    tok_ids_release(&s->row);
    t2_free(s->made);
    t2_free(s->drops);
}

static struct worker *workers_new(const struct dg_encode *e)
{
    int n = t2_pool_threads(e->pool), i, side;
    struct worker *w = t2_alloc((size_t) n, sizeof *w);
    size_t cache_bytes =
        e->cache_bytes ? (size_t) e->cache_bytes / (size_t) (DG_N_SIDES * n) : (size_t) CACHE_BYTES;

    for (i = 0; i < n; ++i) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            if (e->vocabs[side] && e->vocabs[side]->kind == DG_VOCAB_SUBWORDS)
                w[i].caches[side] = tok_cache_new(e->vocabs[side]->encoder, cache_bytes);
        }
    }
    return w;
}

static void workers_free(const struct dg_encode *e, struct worker *w)
{
    int n = t2_pool_threads(e->pool), i, side;

    for (i = 0; i < n; ++i) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            tok_cache_free(w[i].caches[side]);
            tok_ids_release(&w[i].ids[side]);
            tok_ends_release(&w[i].ends[side]);
        }
        tok_ids_release(&w[i].joined);
        dg_record_release(&w[i].record);
        t2_buf_release(&w[i].text);
        t2_buf_release(&w[i].payload);
        t2_free(w[i].numbers);
    }
    t2_free(w);
}

bool dg_encodes_own(const struct dg_problem *p, const struct dg_kept *kept)
{
    return dg_encodes_lines(p) && !p->chop_length && !kept->is_more_than_lines;
}

bool dg_encodes_lines(const struct dg_problem *p)
{
    int side;

    if (p->finish || p->context_use != DG_CONTEXT_NONE || p->targets_are_labels)
        return false;
    for (side = p->has_inputs ? DG_INPUTS : DG_TARGETS; side < DG_N_SIDES; ++side) {
        if (p->prefix[side] || (p->no_eos[side] && !p->chop_length) ||
            !dg_vocab_is_of_text(dg_vocab_wish_of(p, (enum dg_side_index) side)->kind))
            return false;
    }
    return true;
}

static enum t2_status prepare(struct encode_context *c, struct t2_err *err)
{
    c->is_lines = dg_encodes_lines(c->e->problem);
    if (c->e->problem->context_use != DG_CONTEXT_JOINED)
        return T2_OK;
    return dg_vocab_encode(c->e->vocabs[DG_INPUTS], NULL, t2_slice_of("$"), &c->separator, err);
}

static enum t2_status check_count(const struct encode_context *c, uint64_t expected,
                                  struct t2_err *err)
{
    if (c->n_samples == expected)
        return T2_OK;
    return t2_fail(err, T2_EIO,
                   "'%s': the %s split had %" PRIu64 " samples, now it has %" PRIu64
                   ": an input changed while it was read",
                   c->e->problem->name, dg_split_name(c->split), expected, c->n_samples);
}

/* One time through the split; the context is used up. */
static enum t2_status encode(struct encode_context *c, uint64_t expected, struct t2_err *err)
{
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct slot),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = c};
    struct dg_encode *e = c->e;
    enum t2_status st;
    size_t i;

    c->rests = t2_alloc(c->n_bins, sizeof *c->rests);
    t2_perm_init(&c->perm, expected, e->options->random_seed, T2_RNG_ORDER, (uint64_t) c->split);
    c->workers = workers_new(e);
    t2_progress_start(&c->progress, "encoding", "samples", expected);
    st = prepare(c, err);
    if (st == T2_OK)
        st = t2_pool_pipeline(e->pool, &pipeline, err);
    if (st == T2_OK && e->problem->chop_length)
        st = flush_rests(c, err);
    t2_progress_end(&c->progress);
    workers_free(e, c->workers);
    tok_ids_release(&c->separator);
    for (i = 0; i < c->n_bins; ++i)
        tok_ids_release(&c->rests[i]);
    t2_free(c->rests);
    dg_record_release(&c->block_record);
    t2_buf_release(&c->block);
    return st;
}

static enum t2_status read_and_encode(struct encode_context *c, uint64_t expected,
                                      struct t2_err *err)
{
    struct dg_encode *e = c->e;
    struct dg_stream *stream = NULL;
    enum t2_status st;

    T2_TRY(e->problem->open(e->problem, e->options, c->split, &stream, err));
    c->batcher.stream = stream;
    c->batcher.invalid = e->options->invalid;
    c->batcher.max_cases = c->split == DG_TRAIN ? e->options->max_cases : 0;
    st = encode(c, expected, err);
    dg_stream_free(stream);
    return st;
}

enum t2_status dg_encode_split(struct dg_encode *e, enum dg_split split, size_t first_bin,
                               size_t n_bins, uint64_t expected, struct dg_kept *kept,
                               struct dg_drops *drops, struct t2_out *const text_out[DG_N_SIDES],
                               struct t2_err *err)
{
    const struct encode_context begin = {.e = e,
                                         .drops = drops,
                                         .split = split,
                                         .first_bin = first_bin,
                                         .n_bins = n_bins,
                                         .counts = kept,
                                         .text_out = text_out};
    struct encode_context c = begin;
    struct t2_err again = T2_ERR_INIT;
    enum t2_status st;

    if (e->problem->is_official)
        t2_info("Saving files with tag %s.", dg_split_name(split));
    if (kept && dg_kept_has_all(kept)) {
        c.kept = kept;
        st = encode(&c, expected, err);
        dg_kept_give_up(kept);
        if (st == T2_EFORMAT) { /* reading says which line it is */
            c = begin;
            if (read_and_encode(&c, expected, &again) == T2_EFORMAT)
                *err = again;
        }
    } else {
        st = read_and_encode(&c, expected, err);
    }
    e->n_records[split] = c.n_records;
    if (st == T2_OK)
        st = check_count(&c, expected, err);
    if (st == T2_OK)
        t2_info("%s %" PRIu64 " Examples", e->problem->is_official ? "Saved" : "Generated",
                c.n_records);
    return st;
}
