/*
 * datagen/scan_pass.c - the first reading of a split.
 */
#include "datagen/scan_pass.h"

#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"

struct scan_context {
    const struct dg_problem *problem;
    struct dg_batcher batcher;
    struct dg_scan *scan;
    enum dg_split split;
    struct tok_counts **counts; /* worker * DG_N_SIDES + side; NULL: nothing to count */
    bool counts_all;            /* every text, for the targets' vocabulary */
    struct t2_progress progress;
    uint64_t n_read;
};

void dg_scan_release(struct dg_scan *s)
{
    int i;

    for (i = 0; i < DG_N_SPLITS; ++i) {
        dg_input_files_release(&s->files[i]);
        dg_drops_release(&s->drops[i]);
    }
    for (i = 0; i < DG_N_SIDES; ++i)
        tok_counts_free(s->counts[i]);
    memset(s, 0, sizeof *s);
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct scan_context *c = context;

    return dg_batcher_fill(&c->batcher, item, err);
}

/* Which counts a text goes to; NULL: its side has no words to count. */
static struct tok_counts *counts_of(const struct scan_context *c, enum dg_side_index side,
                                    int worker)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(c->problem, side);

    if (c->counts_all)
        return c->counts[worker * DG_N_SIDES + DG_TARGETS];
    if (!dg_vocab_is_of_text(wish->kind))
        return NULL;
    return c->counts[worker * DG_N_SIDES + (c->problem->shared_vocab ? DG_TARGETS : (int) side)];
}

static void count_text(struct tok_counts *counts, const struct dg_batch *b,
                       const struct dg_text *text)
{
    struct t2_slice s = dg_batch_text(b, text);

    if (counts && s.len_bytes)
        tok_counts_add_text(counts, s.data, s.len_bytes);
}

static void count_words_of(const struct scan_context *c, const struct dg_batch *b, int worker)
{
    struct tok_counts *inputs = counts_of(c, DG_INPUTS, worker);
    struct tok_counts *targets = counts_of(c, DG_TARGETS, worker);
    uint64_t max = dg_vocab_wish_of(c->problem, DG_TARGETS)->max_samples;
    size_t i;

    for (i = 0; i < b->n; ++i) {
        if (max && !c->counts_all && b->first_case + i >= max)
            break;
        if (b->items[i].drop)
            continue;
        if (c->problem->has_inputs || c->counts_all)
            count_text(inputs, b, &b->items[i].inputs);
        if (c->problem->context_use != DG_CONTEXT_NONE)
            count_text(inputs, b, &b->items[i].context);
        count_text(targets, b, &b->items[i].targets);
    }
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct scan_context *c = context;

    T2_TRY(dg_batch_clean(item, err));
    if (c->counts)
        count_words_of(c, item, worker);
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct scan_context *c = context;
    const struct dg_batch *b = item;
    struct dg_drops *drops = &c->scan->drops[c->split];
    uint64_t dropped = drops->total;

    (void) err;
    dg_drops_add_batch(drops, b);
    c->scan->n_samples[c->split] += b->n - (drops->total - dropped);
    c->n_read += b->n;
    t2_progress_update(&c->progress, c->n_read);
    return T2_OK;
}

static void release_batch(void *context, void *item)
{
    (void) context;
    dg_batch_release(item);
}

static void counts_new(struct scan_context *c, int n_threads)
{
    int i;

    c->counts = t2_alloc((size_t) n_threads * DG_N_SIDES, sizeof(struct tok_counts *));
    for (i = 0; i < n_threads * DG_N_SIDES; ++i)
        c->counts[i] = tok_counts_new();
}

/* Joins what the workers counted; sums do not depend on who counted what. */
static void counts_join(struct scan_context *c, int n_threads)
{
    int i, side;

    for (i = 0; i < n_threads; ++i) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            struct tok_counts *one = c->counts[i * DG_N_SIDES + side];
            if (!c->scan->counts[side]) {
                c->scan->counts[side] = one;
                continue;
            }
            tok_counts_merge(c->scan->counts[side], one);
            tok_counts_free(one);
        }
    }
    t2_free(c->counts);
}

/* Reads c->batcher.stream to its end. */
static enum t2_status read_all(struct scan_context *c, bool count_words, struct t2_pool *pool,
                               struct t2_err *err)
{
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct dg_batch),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_batch,
                                   .context = c};
    enum t2_status st;

    c->batcher.drain = true;
    if (count_words)
        counts_new(c, t2_pool_threads(pool));
    t2_progress_start(&c->progress, "reading", "samples", 0);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c->progress);
    if (c->counts)
        counts_join(c, t2_pool_threads(pool));
    return st;
}

enum t2_status dg_scan_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_side_index side, struct t2_pool *pool,
                                  struct tok_counts **counts, struct t2_err *err)
{
    struct dg_scan scan = {0};
    struct scan_context c = {.problem = p, .scan = &scan, .counts_all = true};
    enum t2_status st;

    T2_TRY(p->open_vocab_text(p, options, side, &c.batcher.stream, err));
    st = read_all(&c, true, pool, err);
    dg_stream_free(c.batcher.stream);
    *counts = scan.counts[DG_TARGETS];
    scan.counts[DG_TARGETS] = NULL;
    dg_scan_release(&scan);
    if (st != T2_OK) {
        tok_counts_free(*counts);
        *counts = NULL;
    }
    return st;
}

enum t2_status dg_scan_split(const struct dg_problem *p, const struct dg_options *options,
                             enum dg_split split, bool count_words, struct t2_pool *pool,
                             struct dg_scan *scan, struct t2_err *err)
{
    struct scan_context c = {.problem = p, .scan = scan, .split = split};
    struct dg_stream *stream = NULL;
    enum t2_status st;

    T2_TRY(p->open(p, options, split, &stream, err));
    stream->hash_on = true;
    c.batcher.stream = stream;
    c.batcher.max_cases = split == DG_TRAIN ? options->max_cases : 0;
    st = read_all(&c, count_words && split == DG_TRAIN, pool, err);
    scan->files[split] = stream->files;
    memset(&stream->files, 0, sizeof stream->files);
    dg_stream_free(stream);
    if (st == T2_OK && scan->n_samples[split] == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s': the %s split has no samples%s%s%s", p->name,
                     dg_split_name(split), scan->files[split].n ? ": nothing usable in '" : "",
                     scan->files[split].n ? scan->files[split].items[0].path : "",
                     scan->files[split].n ? "'" : "");
    return st;
}
