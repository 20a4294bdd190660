/*
 * datagen/passes/scan_pass.c - the first reading of a split.
 */
#include "datagen/passes/scan_pass.h"

#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/str.h"
#include "datagen/passes/shard_maker.h"
#include "tokenizer/tally.h"

struct scan_context {
    const struct dg_problem *problem;
    struct dg_batcher batcher;
    struct dg_scan *scan;
    enum dg_split split;
    struct tok_tally *tallies[DG_N_SIDES]; /* NULL: nothing to count */
    bool counts_all;                       /* every text, for the targets' vocabulary */
    struct t2_progress progress;
    uint64_t n_read;
};

void dg_scan_release(struct dg_scan *s)
{
    for (int i = 0; i < DG_N_SPLITS; i++) {
        dg_input_files_release(&s->files[i]);
        dg_drops_release(&s->drops[i]);
        dg_line_cache_release(&s->kept[i]);
    }
    for (int i = 0; i < DG_N_SIDES; i++)
        tok_counts_free(s->counts[i]);
    memset(s, 0, sizeof *s);
}

/* A pipeline (base/pool.h): batches are read by one thread, cleaned and counted by all, and
 * consumed in their order: samples, drops, and lines kept for the second reading as memory allows.
 * Each thread counts words into a table of its own; the tables are joined at the end, and as sums
 * do not depend on their order, neither does the vocabulary. */
static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct scan_context *c = context;

    return dg_batcher_fill(&c->batcher, item, err);
}

/* Which tally the texts of a side go to; NULL: it has no words to count. */
static struct tok_tally *tally_of(const struct scan_context *c, enum dg_side_index side)
{
    if (c->counts_all)
        return c->tallies[DG_TARGETS];
    if (!dg_vocab_is_of_text(dg_vocab_spec_of(c->problem, side)->kind))
        return NULL;
    if (side == DG_INPUTS && !c->problem->has_inputs)
        return NULL;
    return c->tallies[c->problem->shared_vocab ? DG_TARGETS : side];
}

/* The words of one side of the first n samples. */
static void count_side(struct tok_counts *counts, const struct dg_batch *b, enum dg_side_index side,
                       size_t n)
{
    struct t2_slice lines = dg_batch_lines(b, side, n);

    if (!b->has_feeds) {
        tok_counts_add_lines(counts, lines.data, lines.len_bytes);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct t2_slice text = dg_batch_text(b, &b->items[i], side);
        tok_counts_add_text(counts, text.data, text.len_bytes);
    }
}

/* How many samples of the batch feed the vocabulary. */
static size_t n_counted(const struct scan_context *c, const struct dg_batch *b)
{
    uint64_t max = dg_vocab_spec_of(c->problem, DG_TARGETS)->max_samples;

    if (max == 0 || c->counts_all || b->first_case + b->n <= max)
        return b->n;
    return b->first_case < max ? (size_t) (max - b->first_case) : 0;
}

static enum t2_status count_words_of(const struct scan_context *c, const struct dg_batch *b,
                                     int worker, struct t2_err *err)
{
    size_t n = n_counted(c, b);

    for (int side = 0; side < DG_N_TEXTS; side++) {
        bool is_context = side == DG_CONTEXT;
        struct tok_tally *tally = tally_of(c, is_context ? DG_INPUTS : (enum dg_side_index) side);
        if (!tally || (is_context && c->problem->text.context == DG_CONTEXT_NONE))
            continue;
        count_side(tok_tally_counts(tally, (size_t) worker), b, (enum dg_side_index) side, n);
        T2_TRY(tok_tally_check(tally, (size_t) worker, err));
    }
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct scan_context *c = context;

    T2_TRY(dg_batch_clean(item, err));
    return count_words_of(c, item, worker, err);
}

/* Bytes that the split may keep: what other splits left. */
static uint64_t keep_room(const struct scan_context *c)
{
    uint64_t room = c->scan->limits.keep_bytes;

    for (int i = 0; i < DG_N_SPLITS; i++) {
        if (i != (int) c->split)
            room -= c->scan->kept[i].bytes;
    }
    return room;
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
    c->scan->n_replaced[c->split] += b->n_replaced;
    dg_line_cache_add(&c->scan->kept[c->split], b, keep_room(c));
    c->n_read += b->n;
    t2_progress_update(&c->progress, c->n_read);
    return T2_OK;
}

static void release_batch(void *context, void *item)
{
    (void) context;
    dg_batch_release(item);
}

/* Refuses while counting what no vocabulary can be built from. */
static enum t2_status check_memory(void *arg, const struct tok_counts *part, struct t2_err *err)
{
    const struct scan_context *c = arg;
    uint64_t limit = c->scan->limits.build_bytes, need = tok_build_least(part);
    char human[32], human_limit[32];

    if (limit == 0 || need <= limit)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "'%s': a vocabulary of %zu distinct words or more takes %s at least, --max_memory "
        "is %s: raise it, or build the vocabulary from a part of the text (t2t-vocab "
        "build --file_byte_budget) and give it by --vocab",
        c->problem->name, tok_counts_distinct(part), t2_human_bytes(need, human, sizeof human),
        t2_human_bytes(limit, human_limit, sizeof human_limit));
}

/* One tally for each vocabulary. */
static void tallies_new(struct scan_context *c, size_t n_threads)
{
    bool both = c->problem->has_inputs && !c->problem->shared_vocab && !c->counts_all;
    struct tok_tally_limits limits = {.max_memory = c->scan->limits.count_bytes / (both ? 2 : 1),
                                      .beside = c->scan->limits.beside,
                                      .check = check_memory,
                                      .check_arg = c};

    c->tallies[DG_TARGETS] = tok_tally_new(n_threads, &limits);
    if (both)
        c->tallies[DG_INPUTS] = tok_tally_new(n_threads, &limits);
}

/* Joins what the workers counted; sums do not depend on who counted what. */
static enum t2_status tallies_join(struct scan_context *c, enum t2_status st, struct t2_pool *pool,
                                   struct t2_err *err)
{
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (st == T2_OK && c->tallies[side])
            st = tok_tally_table(c->tallies[side], pool, &c->scan->counts[side], err);
        tok_tally_free(c->tallies[side]);
    }
    return st;
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
        tallies_new(c, (size_t) t2_pool_threads(pool));
    t2_progress_start(&c->progress, "reading", "samples", 0);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c->progress);
    return tallies_join(c, st, pool, err);
}

enum t2_status dg_scan_vocab_text(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_side_index side, const struct dg_scan_limits *limits,
                                  struct t2_pool *pool, struct tok_counts **counts,
                                  struct t2_err *err)
{
    struct dg_scan scan = {.limits = *limits};
    struct scan_context c = {.problem = p, .scan = &scan, .counts_all = true};
    enum t2_status st;

    scan.limits.keep_bytes = 0;
    c.batcher.invalid = options->invalid;
    T2_TRY(p->vocab.open_text(p, options, side, &c.batcher.stream, err));
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

    if (p->sharding.maker)
        return p->sharding.maker->note_inputs(p, options, split, &scan->files[split], err);
    T2_TRY(p->open(p, options, split, &stream, err));
    stream->hash_on = true;
    c.batcher.stream = stream;
    c.batcher.invalid = options->invalid;
    c.batcher.max_cases = split == DG_TRAIN ? options->max_cases : 0;
    st = read_all(&c, count_words && split == DG_TRAIN, pool, err);
    scan->files[split] = stream->files;
    memset(&stream->files, 0, sizeof stream->files);
    if (stream->left_out)
        dg_drops_put_first(&scan->drops[split], stream->left_out);
    dg_stream_free(stream);
    if (st == T2_OK && scan->n_samples[split] == 0)
        st = t2_fail(err, T2_EFORMAT, "'%s': the %s split has no samples%s%s%s", p->name,
                     dg_split_name(split), scan->files[split].n ? ": nothing usable in '" : "",
                     scan->files[split].n ? scan->files[split].items[0].path : "",
                     scan->files[split].n ? "'" : "");
    return st;
}
