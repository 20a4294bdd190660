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
    struct dg_stats stats;
    struct tfr_manifest_shard info;
};

struct shuffle_context {
    struct dg_bins *bins;
    const struct t2_strs *paths;
    struct tfr_manifest_shard *infos;
    const struct dg_shuffle *how;
    struct t2_mt mt;
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
    if (s->index < c->how->n && c->how->is_official)
        t2_info("Shuffling records in file %s", c->paths->items[s->index]);
    if (s->index < c->how->n)
        t2_mt_shuffle_u64(&c->mt, s->offsets, s->n);
    return T2_OK;
}

static struct t2_slice frame_at(const struct shuffle_slot *s, uint64_t i)
{
    const uint8_t *frame = s->bin.bytes.data + s->offsets[i];

    return (struct t2_slice){frame, (size_t) frame_bytes(frame)};
}

static void write_all(struct shuffle_slot *s, struct t2_out *out)
{
    uint64_t i;

    for (i = 0; i < s->n; ++i) {
        struct t2_slice frame = frame_at(s, i);
        t2_out_write(out, frame.data, frame.len_bytes);
    }
    s->info.n_records = s->n;
}

static enum t2_status write_packed(const struct dg_packing *how, struct shuffle_slot *s,
                                   struct t2_out *out, struct t2_err *err)
{
    struct dg_packer *packer = dg_packer_new(how);
    struct t2_buf frames = {0};
    struct dg_packed packed = {&frames, &s->stats, 0};
    enum t2_status st = T2_OK;
    uint64_t i;

    s->stats.n = 0;
    for (i = 0; i < s->n && st == T2_OK; ++i) {
        struct t2_slice frame = frame_at(s, i);
        struct t2_slice payload = {frame.data + FRAME_HEADER_BYTES,
                                   frame.len_bytes - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES};
        st = dg_packer_add(packer, payload, &packed, err);
        t2_out_write(out, frames.data, frames.len_bytes);
        t2_buf_clear(&frames);
    }
    dg_packer_end(packer, &packed);
    t2_out_write(out, frames.data, frames.len_bytes);
    s->info.n_records = packed.n_records;
    t2_buf_release(&frames);
    dg_packer_free(packer);
    return st;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct shuffle_context *c = context;
    struct shuffle_slot *s = item;
    struct t2_out *out = NULL;
    enum t2_status st = T2_OK;

    (void) worker;
    T2_TRY(t2_out_new(c->paths->items[s->index], &out, err));
    t2_out_hash_on(out);
    if (c->how->packing)
        st = write_packed(c->how->packing, s, out, err);
    else
        write_all(s, out);
    dg_bin_release(&s->bin);
    if (st != T2_OK) {
        t2_out_abort(out);
        return st;
    }
    s->info.bytes = t2_out_bytes(out);
    t2_out_sha256(out, s->info.sha256);
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
    if (c->how->packing)
        dg_stats_join(c->how->stats, &s->stats);
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
                                 const struct dg_shuffle *how, struct t2_pool *pool,
                                 struct tfr_manifest_shard *infos, struct t2_err *err)
{
    struct shuffle_context c = {
        .bins = bins, .paths = paths, .infos = infos, .how = how, .mt = how->mt};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct shuffle_slot),
                                   .n_slots = 2 * t2_pool_threads(pool),
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = &c};
    bool tell = how->n > 0 && !how->is_official;
    enum t2_status st;

    T2_ASSERT(dg_bins_count(bins) == paths->n);
    if (tell)
        t2_info("Shuffling data...");
    if (how->packing)
        how->stats->n = 0;
    t2_progress_start(&c.progress, "shuffling", "shards", paths->n);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c.progress);
    if (st == T2_OK && tell)
        t2_info("Data shuffled.");
    return st;
}
