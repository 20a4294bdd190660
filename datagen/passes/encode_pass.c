/*
 * datagen/passes/encode_pass.c - samples become records.
 */
#include "datagen/passes/encode_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/rng.h"
#include "base/signals.h"
#include "datagen/shards/layout.h"
#include "tfrecord/example.h"
#include "tfrecord/framing.h"
#include "tfrecord/writer.h"

enum { CACHE_BYTES = 32 << 20 };

/*
 * A pipeline (base/pool.h): one thread reads batches of samples (produce), all threads encode them
 * (work), and finished batches are consumed in the order of reading.  Everything that counts (the
 * number of a record, so its shard; drops; hashes; the ids that wait to fill a record) happens in
 * consume, so the set does not depend on the number of threads.
 *
 * A worker makes a column of ids of each text of the batch (encode_texts.c) and records of the
 * columns (encode_records.c); with chopping the ids of consecutive samples of a shard are joined
 * and cut into records when the batch is consumed (encode_chop.c). A set that is made by many tasks
 * is read by each; only_own tasks encode just their own samples, and number the others by the
 * counts of the first reading.
 */
static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct dg_encode_run *c = context;
    struct dg_encode_slot *s = item;

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

static void clear_made(struct dg_encode_slot *s)
{
    t2_buf_clear(&s->frames);
    s->row.n = 0;
    s->n_made = 0;
    s->n_drops = 0;
    s->n_bytes = 0;
    s->stats.n = 0;
}

static enum t2_status encode_slot(const struct dg_encode_run *c, struct dg_encode_worker *w,
                                  struct dg_encode_slot *s, struct t2_err *err)
{
    struct dg_encode_samples samples;
    struct t2_err earlier = T2_ERR_INIT;
    enum t2_status st;
    size_t n;

    clear_made(s);
    if (!s->kept)
        T2_TRY(dg_batch_clean(&s->batch, err));
    dg_encode_choose(c, w, s, &samples);
    st = dg_encode_texts(c, w, s, &samples, &n, err);
    if (dg_encode_records(c, w, s, &samples, n, &earlier) == T2_OK)
        return st;
    *err = earlier; /* of a sample in front of the one whose text failed */
    return err->status;
}

static void hash_made(const struct dg_encode_run *c, struct dg_encode_slot *s)
{
    bool is_row = c->form == DG_RECORD_ROWS;
    size_t start = 0;

    for (size_t i = 0; i < s->n_made; i++) {
        size_t end = s->made[i].end;

        s->made[i].hash =
            is_row ? dg_hash_of(s->row.items + start, (end - start) * sizeof *s->row.items)
                   : dg_hash_of(s->frames.data + start + TFR_HEADER_BYTES,
                                end - start - TFR_HEADER_BYTES - TFR_FOOTER_BYTES);
        start = end;
    }
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    const struct dg_encode_run *c = context;

    T2_TRY(encode_slot(c, &c->workers[worker], item, err));
    if (c->e->hashes)
        hash_made(c, item);
    return T2_OK;
}

static void write_text(const struct dg_encode_run *c, const struct dg_encode_slot *s)
{
    const struct dg_batch *b = &s->batch;

    for (int side = 0; side < DG_N_SIDES; side++) {
        struct t2_slice lines =
            s->kept ? s->kept->lines[side] : dg_batch_lines(b, (enum dg_side_index) side, b->n);
        if (!c->text_out[side])
            continue;
        if (s->kept || !b->has_feeds) {
            t2_out_write(c->text_out[side], lines.data, lines.len_bytes);
            continue;
        }
        for (size_t i = 0; i < b->n; i++) {
            struct t2_slice text = dg_batch_text(b, &b->items[i], (enum dg_side_index) side);
            if (b->items[i].drop)
                continue;
            t2_out_write(c->text_out[side], text.data, text.len_bytes);
            t2_out_write(c->text_out[side], "\n", 1);
        }
    }
}

/* The split that a bin belongs to. */
static enum dg_split split_of(const struct dg_encode_run *c, size_t bin)
{
    enum dg_split split = DG_TRAIN;

    if (!c->e->problem->sharding.one_stream)
        return c->split;
    while (split < DG_TEST && bin >= c->e->n_bins[split])
        bin -= c->e->n_bins[split++];
    return split;
}

static void note_hashes(struct dg_encode_run *c, const struct dg_encode_slot *s)
{
    for (size_t i = 0; i < s->n_made; i++) {
        int32_t shard = s->made[i].shard;
        size_t bin = c->first_bin + (shard ? (size_t) (shard - 1) % c->n_bins
                                           : dg_encode_bin_of(c, c->n_records + i));

        dg_hashes_add(&c->e->hashes[split_of(c, bin)], s->made[i].hash);
    }
}

/* Frames of the task's own samples, which were numbered with those of the others. */
static enum t2_status add_own_frames(struct dg_encode_run *c, const struct dg_encode_slot *s,
                                     struct t2_err *err)
{
    size_t start = 0, at = 0;

    for (uint64_t k = s->first; k < s->first + s->n; k++) {
        size_t bin = c->first_bin + dg_encode_bin_of(c, k);
        dg_encode_log_case(c);
        c->n_records++;
        c->e->bin_records[bin]++;
        if (!dg_owns_shard(&c->e->share, bin))
            continue;
        T2_TRY(dg_bins_add(c->e->bins, bin, s->frames.data + start, s->made[at].end - start, err));
        start = s->made[at++].end;
    }
    T2_ASSERT(at == s->n_made);
    return T2_OK;
}

static enum t2_status add_frames(struct dg_encode_run *c, const struct dg_encode_slot *s,
                                 struct t2_err *err)
{
    size_t start = 0;

    for (size_t i = 0; i < s->n_made; i++) {
        struct t2_slice frame = {s->frames.data + start, s->made[i].end - start};
        T2_TRY(dg_encode_add_frame(c, frame, s->made[i].shard, err));
        start = s->made[i].end;
    }
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct dg_encode_run *c = context;
    struct dg_encode_slot *s = item;

    for (size_t i = 0; i < s->n_drops; i++) {
        dg_drops_add(c->drops, s->drops[i].reason, s->drops[i].path, s->drops[i].line,
                     s->drops[i].text);
        t2_free(s->drops[i].text);
        s->drops[i].text = NULL;
    }
    if (c->e->hashes)
        note_hashes(c, s);
    if (c->form == DG_RECORD_ROWS)
        T2_TRY(dg_encode_chop(c, s, err));
    else if (c->e->only_own)
        T2_TRY(add_own_frames(c, s, err));
    else
        T2_TRY(add_frames(c, s, err));
    c->n_samples += c->e->only_own ? s->n : s->n_made + s->n_drops;
    dg_stats_join(&c->e->stats, &s->stats);
    c->e->n_bytes += s->n_bytes;
    write_text(c, s);
    if (s->kept)
        dg_line_block_release(s->kept);
    t2_progress_update(&c->progress, c->n_samples);
    return T2_OK;
}

static void release_slot(void *context, void *item)
{
    struct dg_encode_slot *s = item;

    (void) context;
    for (size_t i = 0; i < s->n_drops; i++)
        t2_free(s->drops[i].text);
    dg_batch_release(&s->batch);
    for (int text = 0; text < DG_N_TEXTS; text++)
        t2_buf_release(&s->own[text]);
    t2_buf_release(&s->frames);
    tok_ids_release(&s->row);
    t2_free(s->made);
    t2_free(s->drops);
}

static struct dg_encode_worker *workers_new(const struct dg_encode *e)
{
    int n = t2_pool_threads(e->pool);
    struct dg_encode_worker *w = t2_alloc((size_t) n, sizeof *w);
    size_t cache_bytes =
        e->cache_bytes ? (size_t) e->cache_bytes / (size_t) (DG_N_SIDES * n) : (size_t) CACHE_BYTES;

    for (int i = 0; i < n; i++) {
        for (int side = 0; side < DG_N_SIDES; side++) {
            if (e->vocabs[side] && e->vocabs[side]->kind == DG_VOCAB_SUBWORDS)
                w[i].caches[side] = tok_cache_new(e->vocabs[side]->encoder, cache_bytes);
        }
    }
    return w;
}

static void workers_free(const struct dg_encode *e, struct dg_encode_worker *w)
{
    int n = t2_pool_threads(e->pool);

    for (int i = 0; i < n; i++) {
        for (int side = 0; side < DG_N_SIDES; side++) {
            tok_cache_free(w[i].caches[side]);
        }
        for (int text = 0; text < DG_N_TEXTS; text++) {
            tok_ids_release(&w[i].columns[text].ids);
            tok_ends_release(&w[i].columns[text].ends);
        }
        t2_free(w[i].items);
        tok_ids_release(&w[i].joined);
        dg_record_release(&w[i].record);
        t2_buf_release(&w[i].text);
        t2_buf_release(&w[i].payload);
        t2_free(w[i].numbers);
    }
    t2_free(w);
}

bool dg_encodes_own(const struct dg_problem *p, const struct dg_line_cache *kept)
{
    return dg_encodes_lines(p) && !p->chopping.length && !kept->is_more_than_lines;
}

bool dg_encodes_lines(const struct dg_problem *p)
{
    if (p->sharding.maker || p->record.finish || p->text.context != DG_CONTEXT_NONE ||
        p->text.targets_are_labels)
        return false;
    for (int side = p->has_inputs ? DG_INPUTS : DG_TARGETS; side < DG_N_SIDES; side++) {
        if (p->text.prefix[side] || (p->text.no_eos[side] && !p->chopping.length) ||
            !dg_vocab_is_of_text(dg_vocab_spec_of(p, (enum dg_side_index) side)->kind))
            return false;
    }
    return true;
}

static struct dg_text_plan plan_text(const struct dg_encode_run *c, int text)
{
    const struct dg_problem *p = c->e->problem;
    int side = text == DG_CONTEXT ? DG_INPUTS : text;
    bool is_joined = side == DG_INPUTS && p->text.context == DG_CONTEXT_JOINED;
    bool is_label = side == DG_TARGETS && p->text.targets_are_labels;
    bool is_there = side == DG_TARGETS || (p->has_inputs && !p->chopping.length);

    if (text == DG_CONTEXT && p->text.context == DG_CONTEXT_NONE)
        is_there = false;
    return (struct dg_text_plan){.is_wanted =
                                     is_there && dg_vocab_is_of_text(c->e->vocabs[side]->kind),
                                 .side = side,
                                 .prefix = p->text.prefix[side],
                                 .ends_with_eos = !p->text.no_eos[side] && !p->chopping.length &&
                                                  !is_joined && !is_label};
}

/* Records are ids alone when every side is text with EOS behind it, so that none is empty. */
static enum dg_record_form plan_records(const struct dg_encode_run *c)
{
    const struct dg_problem *p = c->e->problem;

    if (p->chopping.length)
        return DG_RECORD_ROWS;
    if (p->record.finish || p->text.context != DG_CONTEXT_NONE)
        return DG_RECORD_FEATURES;
    for (int side = p->has_inputs ? DG_INPUTS : DG_TARGETS; side < DG_N_SIDES; side++) {
        if (!c->texts[side].is_wanted || !c->texts[side].ends_with_eos)
            return DG_RECORD_FEATURES;
    }
    return DG_RECORD_IDS;
}

static enum t2_status prepare(struct dg_encode_run *c, struct t2_err *err)
{
    for (int text = 0; text < DG_N_TEXTS; text++)
        c->texts[text] = plan_text(c, text);
    c->form = plan_records(c);
    T2_ASSERT(!c->kept || c->form != DG_RECORD_FEATURES); /* lines hold no more than texts */
    if (c->e->problem->text.context != DG_CONTEXT_JOINED)
        return T2_OK;
    return dg_vocab_encode(c->e->vocabs[DG_INPUTS], NULL, t2_slice_of("$"), &c->separator, err);
}

static enum t2_status check_count(const struct dg_encode_run *c, uint64_t expected,
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
static enum t2_status encode(struct dg_encode_run *c, uint64_t expected, struct t2_err *err)
{
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct dg_encode_slot),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = c};
    struct dg_encode *e = c->e;
    enum t2_status st;

    c->rests = t2_alloc(c->n_bins, sizeof *c->rests);
    t2_perm_init(&c->perm, expected, e->options->random_seed, T2_RNG_ORDER, (uint64_t) c->split);
    c->workers = workers_new(e);
    t2_progress_start(&c->progress, "encoding", "samples", expected);
    st = prepare(c, err);
    if (st == T2_OK)
        st = t2_pool_pipeline(e->pool, &pipeline, err);
    if (st == T2_OK && c->form == DG_RECORD_ROWS)
        st = dg_encode_chop_end(c, err);
    t2_progress_end(&c->progress);
    workers_free(e, c->workers);
    tok_ids_release(&c->separator);
    for (size_t i = 0; i < c->n_bins; i++)
        tok_ids_release(&c->rests[i]);
    t2_free(c->rests);
    dg_record_release(&c->block_record);
    t2_buf_release(&c->block);
    return st;
}

static enum t2_status read_and_encode(struct dg_encode_run *c, uint64_t expected,
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
                               size_t n_bins, uint64_t expected, struct dg_line_cache *kept,
                               struct dg_drops *drops, struct t2_out *const text_out[DG_N_SIDES],
                               struct t2_err *err)
{
    const struct dg_encode_run begin = {.e = e,
                                        .drops = drops,
                                        .split = split,
                                        .first_bin = first_bin,
                                        .n_bins = n_bins,
                                        .counts = kept,
                                        .text_out = text_out};
    struct dg_encode_run c = begin;
    struct t2_err again = T2_ERR_INIT;
    enum t2_status st;

    dg_layout_of(e->problem)->says.split_begins(split);
    if (kept && dg_line_cache_has_all(kept)) {
        c.kept = kept;
        st = encode(&c, expected, err);
        dg_line_cache_give_up(kept);
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
        dg_layout_of(e->problem)->says.split_ends(c.n_records);
    return st;
}
