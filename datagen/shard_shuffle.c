/*
 * datagen/shard_shuffle.c - bins become shuffled shards.
 */
#include "datagen/shard_shuffle.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/mt19937.h"
#include "base/progress.h"
#include "base/signals.h"

/* Bytes of a frame around its payload: length, its CRC, the payload's CRC. */
enum { FRAME_HEADER_BYTES = 12, FRAME_FOOTER_BYTES = 4 };

struct shuffle_slot {
    size_t index;
    struct dg_bin bin;
    uint64_t *offsets; /* of the frames, in the order they are written */
    uint64_t n, capacity;
    struct tfr_manifest_shard info;
};

struct shuffle_context {
    struct dg_bins *bins;
    const struct t2_strs *paths;
    struct tfr_manifest_shard *infos;
    struct t2_mt mt;
    bool keep_order;
    size_t next;
    struct t2_progress progress;
};

static uint64_t frame_bytes(const uint8_t *frame)
{
    uint64_t len = 0;
    int i;

    for (i = 7; i >= 0; --i)
        len = len << 8 | frame[i];
    return len + FRAME_HEADER_BYTES + FRAME_FOOTER_BYTES;
}

static void find_frames(struct shuffle_slot *s)
{
    uint64_t at = 0;

    s->n = 0;
    while (at < s->bin.bytes.len_bytes) {
        if (s->n == s->capacity) {
            s->capacity = s->capacity ? 2 * s->capacity : 1024;
            s->offsets = t2_realloc(s->offsets, s->capacity, sizeof *s->offsets);
        }
        s->offsets[s->n++] = at;
        at += frame_bytes(s->bin.bytes.data + at);
    }
    T2_ASSERT(at == s->bin.bytes.len_bytes);
}

/* In shard order, by one thread: the draws of shard i follow those of shard i - 1. */
static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct shuffle_context *c = context;
    struct shuffle_slot *s = item;

    T2_TRY(t2_check_interrupt(err));
    if (c->next == c->paths->n)
        return T2_EOF;
    s->index = c->next++;
    T2_TRY(dg_bins_take(c->bins, s->index, &s->bin, err));
    find_frames(s);
    if (!c->keep_order)
        t2_mt_shuffle_u64(&c->mt, s->offsets, s->n);
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct shuffle_context *c = context;
    struct shuffle_slot *s = item;
    struct t2_out *out = NULL;
    uint64_t i;

    (void) worker;
    T2_TRY(t2_out_new(c->paths->items[s->index], &out, err));
    t2_out_hash_on(out);
    for (i = 0; i < s->n; ++i) {
        const uint8_t *frame = s->bin.bytes.data + s->offsets[i];
        t2_out_write(out, frame, (size_t) frame_bytes(frame));
    }
    s->info.n_records = s->n;
    s->info.bytes = t2_out_bytes(out);
    t2_out_sha256(out, s->info.sha256);
    dg_bin_release(&s->bin);
    return t2_out_commit(out, err);
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct shuffle_context *c = context;
    const struct shuffle_slot *s = item;
    struct tfr_manifest_shard *info = &c->infos[s->index];

    (void) err;
    info->n_records = s->info.n_records;
    info->bytes = s->info.bytes;
    memcpy(info->sha256, s->info.sha256, sizeof info->sha256);
    t2_progress_update(&c->progress, s->index + 1);
    return T2_OK;
}

static void release_slot(void *context, void *item)
{
    struct shuffle_slot *s = item;

    (void) context;
    dg_bin_release(&s->bin);
    t2_free(s->offsets);
}

enum t2_status dg_shuffle_shards(struct dg_bins *bins, const struct t2_strs *paths,
                                 uint64_t random_seed, bool keep_order, struct t2_pool *pool,
                                 struct tfr_manifest_shard *infos, struct t2_err *err)
{
    struct shuffle_context c = {.bins = bins,
                                .paths = paths,
                                .infos = infos,
                                .keep_order = keep_order};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct shuffle_slot),
                                   .n_slots = 2 * t2_pool_threads(pool),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = &c};
    enum t2_status st;

    T2_ASSERT(dg_bins_count(bins) == paths->n);
    if (!keep_order)
        t2_info("Shuffling data...");
    t2_mt_seed_python(&c.mt, random_seed);
    t2_progress_start(&c.progress, "shuffling", "shards", paths->n);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c.progress);
    if (st == T2_OK && !keep_order)
        t2_info("Data shuffled.");
    return st;
}
