/*
 * datagen/encode_pass.c - samples become records.
 */
#include "datagen/encode_pass.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/progress.h"
#include "tfrecord/example.h"
#include "tfrecord/writer.h"

enum { CASES_PER_LOG_LINE = 100000, CACHE_BYTES = 32 << 20 };

/* What travels: samples in, framed records out. */
struct slot {
    struct dg_batch batch;
    struct t2_buf frames;
    size_t *frame_ends; /* one per record */
    size_t n_records, capacity;
    struct dg_feature_stats stats[DG_N_SIDES];
    uint64_t n_bytes;
};

struct worker {
    struct tok_cache *caches[DG_N_SIDES];
    struct tok_ids ids[DG_N_SIDES];
    struct t2_buf payload;
};

struct encode_context {
    struct dg_encode *e;
    struct dg_batcher batcher;
    struct worker *workers;
    enum dg_split split;
    size_t first_bin, n_bins;
    uint64_t n_records;
    struct t2_out *const *text_out;
    struct t2_progress progress;
};

static void stats_add(struct dg_feature_stats *s, const struct tok_ids *ids)
{
    size_t i;

    if (s->n_records == 0 || ids->n < s->min_length)
        s->min_length = ids->n;
    if (ids->n > s->max_length)
        s->max_length = ids->n;
    for (i = 0; i < ids->n; ++i) {
        int32_t id = ids->items[i];
        if ((s->n_values == 0 && i == 0) || id < s->min_value)
            s->min_value = id;
        if ((s->n_values == 0 && i == 0) || id > s->max_value)
            s->max_value = id;
    }
    s->n_values += ids->n;
    ++s->n_records;
}

void dg_feature_stats_join(struct dg_feature_stats *into, const struct dg_feature_stats *from)
{
    if (from->n_records == 0)
        return;
    if (into->n_records == 0) {
        *into = *from;
        return;
    }
    into->n_records += from->n_records;
    into->n_values += from->n_values;
    if (from->min_length < into->min_length)
        into->min_length = from->min_length;
    if (from->max_length > into->max_length)
        into->max_length = from->max_length;
    if (from->min_value < into->min_value)
        into->min_value = from->min_value;
    if (from->max_value > into->max_value)
        into->max_value = from->max_value;
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct encode_context *c = context;
    struct slot *s = item;

    return dg_batcher_fill(&c->batcher, &s->batch, err);
}

static enum t2_status encode_side(const struct encode_context *c, struct worker *w, struct slot *s,
                                  int side, struct t2_slice text, struct t2_err *err)
{
    struct tok_ids *ids = &w->ids[side];

    ids->n = 0;
    T2_TRY(dg_vocab_encode(c->e->vocabs[side], w->caches[side], text, ids, err));
    tok_ids_push(ids, TOK_EOS);
    stats_add(&s->stats[side], ids);
    s->n_bytes += text.len_bytes;
    return T2_OK;
}

static void slot_push_frame(struct slot *s, const struct t2_buf *payload)
{
    tfr_frame(&s->frames, payload->data, payload->len_bytes);
    if (s->n_records == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 512;
        s->frame_ends = t2_realloc(s->frame_ends, s->capacity, sizeof *s->frame_ends);
    }
    s->frame_ends[s->n_records++] = s->frames.len_bytes;
}

static enum t2_status encode_item(const struct encode_context *c, struct worker *w, struct slot *s,
                                  const struct dg_batch_item *item, struct t2_err *err)
{
    static const char *const names[DG_N_SIDES] = {"inputs", "targets"};
    const int32_t *ids[DG_N_SIDES];
    size_t n_ids[DG_N_SIDES];
    int first = c->e->problem->has_inputs ? DG_INPUTS : DG_TARGETS;
    int side;

    if (first == DG_INPUTS)
        T2_TRY(encode_side(c, w, s, DG_INPUTS, dg_batch_text(&s->batch, &item->inputs), err));
    T2_TRY(encode_side(c, w, s, DG_TARGETS, dg_batch_text(&s->batch, &item->targets), err));
    for (side = 0; side < DG_N_SIDES; ++side) {
        ids[side] = w->ids[side].items;
        n_ids[side] = w->ids[side].n;
    }
    t2_buf_clear(&w->payload);
    tfr_example_build_ids(&w->payload, (size_t) (DG_N_SIDES - first), names + first, ids + first,
                          n_ids + first);
    slot_push_frame(s, &w->payload);
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct encode_context *c = context;
    struct slot *s = item;
    size_t i;

    t2_buf_clear(&s->frames);
    s->n_records = 0;
    s->n_bytes = 0;
    memset(s->stats, 0, sizeof s->stats);
    T2_TRY(dg_batch_clean(&s->batch, err));
    for (i = 0; i < s->batch.n; ++i) {
        const struct dg_batch_item *one = &s->batch.items[i];
        if (one->drop)
            continue;
        if (encode_item(c, &c->workers[worker], s, one, err) != T2_OK)
            return s->batch.inputs_path
                       ? t2_wrap(err, "'%s': line %" PRIu64, s->batch.inputs_path, one->inputs_line)
                       : err->status;
    }
    return T2_OK;
}

static void write_text(const struct encode_context *c, const struct dg_batch *b)
{
    size_t i;
    int side;

    for (i = 0; i < b->n; ++i) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            struct t2_slice text =
                dg_batch_text(b, side == DG_INPUTS ? &b->items[i].inputs : &b->items[i].targets);
            if (!c->text_out[side] || b->items[i].drop)
                continue;
            t2_out_write(c->text_out[side], text.data, text.len_bytes);
            t2_out_write(c->text_out[side], "\n", 1);
        }
    }
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct encode_context *c = context;
    const struct slot *s = item;
    size_t i, start = 0;
    int side;

    for (i = 0; i < s->n_records; ++i) {
        size_t bin = c->first_bin + (size_t) (c->n_records % c->n_bins);
        if (c->n_records % CASES_PER_LOG_LINE == 0)
            t2_info("Generating case %" PRIu64 ".", c->n_records);
        T2_TRY(dg_bins_add(c->e->bins, bin, s->frames.data + start, s->frame_ends[i] - start, err));
        start = s->frame_ends[i];
        ++c->n_records;
    }
    for (side = 0; side < DG_N_SIDES; ++side)
        dg_feature_stats_join(&c->e->stats[side], &s->stats[side]);
    c->e->n_bytes += s->n_bytes;
    write_text(c, &s->batch);
    t2_progress_update(&c->progress, c->n_records);
    return T2_OK;
}

static void release_slot(void *context, void *item)
{
    struct slot *s = item;

    (void) context;
    dg_batch_release(&s->batch);
    t2_buf_release(&s->frames);
    t2_free(s->frame_ends);
}

static struct worker *workers_new(const struct dg_encode *e)
{
    int n = t2_pool_threads(e->pool), i, side;
    struct worker *w = t2_alloc((size_t) n, sizeof *w);

    for (i = 0; i < n; ++i) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            if (e->vocabs[side] && e->vocabs[side]->kind == DG_VOCAB_SUBWORDS)
                w[i].caches[side] = tok_cache_new(e->vocabs[side]->encoder, CACHE_BYTES);
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
        }
        t2_buf_release(&w[i].payload);
    }
    t2_free(w);
}

enum t2_status dg_encode_split(struct dg_encode *e, enum dg_split split, size_t first_bin,
                               size_t n_bins, uint64_t expected,
                               struct t2_out *const text_out[DG_N_SIDES], struct t2_err *err)
{
    struct encode_context c = {0};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct slot),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = &c};
    struct dg_stream *stream = NULL;
    enum t2_status st;

    T2_TRY(e->problem->open(e->problem, e->options, split, &stream, err));
    c.e = e;
    c.split = split;
    c.first_bin = first_bin;
    c.n_bins = n_bins;
    c.text_out = text_out;
    c.batcher.stream = stream;
    c.batcher.max_cases = split == DG_TRAIN ? e->options->max_cases : 0;
    c.workers = workers_new(e);
    t2_progress_start(&c.progress, "encoding", "samples", expected);
    st = t2_pool_pipeline(e->pool, &pipeline, err);
    t2_progress_end(&c.progress);
    workers_free(e, c.workers);
    dg_stream_free(stream);
    e->n_records[split] = c.n_records;
    if (st == T2_OK && c.n_records != expected)
        st = t2_fail(err, T2_EIO,
                     "'%s': the %s split had %" PRIu64 " samples, now it has %" PRIu64
                     ": an input changed while it was read",
                     e->problem->name, dg_split_name(split), expected, c.n_records);
    if (st == T2_OK)
        t2_info("Generated %" PRIu64 " Examples", c.n_records);
    return st;
}
