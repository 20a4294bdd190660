/*
 * datagen/shards/shard_shuffle.c - bins become shuffled shards.
 */
#include "datagen/shards/shard_shuffle.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/mt19937.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/shards/bin_order.h"

/* Bytes of a frame around its payload: length, its CRC, the payload's CRC. */
enum { FRAME_HEADER_BYTES = 12, FRAME_FOOTER_BYTES = 4 };

struct shuffle_slot {
    size_t index;
    struct dg_order order;
    struct dg_stats stats;
    struct tfr_manifest_shard info;
};

/*
 * A shard is one item of the pipeline.  Its permutation is drawn in produce, on one thread in the
 * order of the shards, as the original's one generator runs through all of them; reading the bin in
 * that order, hashing and writing are work for all threads.  Shards of other tasks only draw.  A
 * bin that fits into its share of memory is permuted there; a larger one is read in windows
 * (bin_order.c).
 */
struct shuffle_context {
    struct dg_bins *bins;
    const struct t2_strs *paths;
    struct tfr_manifest_shard *infos;
    const struct dg_shuffle *how;
    struct t2_mt mt;
    uint64_t slot_bytes;
    size_t next;
    struct t2_progress progress;
};

static struct t2_mt *mt_of(struct shuffle_context *c, size_t shard)
{
    if (c->how->of_shard)
        c->mt = c->how->of_shard[shard];
    return &c->mt;
}

/* In shard order, by one thread: the draws of shard i follow those of shard i - 1. */
static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct shuffle_context *c = context;
    struct shuffle_slot *s = item;

    T2_TRY(t2_check_interrupt(err));
    for (; c->next < c->paths->n && !dg_owns_shard(&c->how->share, c->next); c->next++) {
        if (c->next < c->how->n && !c->how->of_shard)
            t2_mt_skip_shuffle(&c->mt, c->how->bin_records[c->next]);
    }
    if (c->next == c->paths->n)
        return T2_EOF;
    s->index = c->next++;
    T2_TRY(dg_order_open(&s->order, c->bins, s->index, c->slot_bytes, err));
    if (c->how->bin_records && s->order.n != c->how->bin_records[s->index])
        return t2_fail(
            err, T2_EIO,
            "'%s': %" PRIu64 " records were made for this shard, %" PRIu64
            " are in its scratch file: something else changed it; run the same command again",
            c->paths->items[s->index], c->how->bin_records[s->index], s->order.n);
    if (s->index < c->how->n) {
        c->how->says->shard_is_shuffled(c->paths->items[s->index]);
        dg_order_shuffle(&s->order, mt_of(c, s->index));
    }
    return T2_OK;
}

static enum t2_status write_frame(void *context, struct t2_slice frame, struct t2_err *err)
{
    (void) err;
    t2_out_write(context, frame.data, frame.len_bytes);
    return T2_OK;
}

/* The destination of packed records. */
struct pack_context {
    struct dg_packer *packer;
    struct dg_packed packed;
    struct t2_out *out;
};

static enum t2_status pack_frame(void *context, struct t2_slice frame, struct t2_err *err)
{
    struct pack_context *c = context;
    struct t2_slice payload = {frame.data + FRAME_HEADER_BYTES,
                               frame.len_bytes - FRAME_HEADER_BYTES - FRAME_FOOTER_BYTES};

    T2_TRY(dg_packer_add(c->packer, payload, &c->packed, err));
    t2_out_write(c->out, c->packed.frames->data, c->packed.frames->len_bytes);
    t2_buf_clear(c->packed.frames);
    return T2_OK;
}

static enum t2_status write_packed(const struct dg_packing *how, struct shuffle_slot *s,
                                   struct t2_out *out, struct t2_err *err)
{
    struct t2_buf frames = {0};
    struct pack_context c = {dg_packer_new(how), {&frames, &s->stats, 0}, out};
    enum t2_status st;

    s->stats.n = 0;
    st = dg_order_run(&s->order, pack_frame, &c, err);
    dg_packer_end(c.packer, &c.packed);
    t2_out_write(out, frames.data, frames.len_bytes);
    s->info.n_records = c.packed.n_records;
    t2_buf_release(&frames);
    dg_packer_free(c.packer);
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
        st = dg_order_run(&s->order, write_frame, out, err);
    if (!c->how->packing)
        s->info.n_records = s->order.n;
    dg_order_close(&s->order);
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
    dg_order_release(&s->order);
}

enum t2_status dg_shuffle_shards(struct dg_bins *bins, const struct t2_strs *paths,
                                 const struct dg_shuffle *how, struct t2_pool *pool,
                                 struct tfr_manifest_shard *infos, struct t2_err *err)
{
    int n_slots = t2_pool_threads(pool) + 1;
    struct shuffle_context c = {.bins = bins,
                                .paths = paths,
                                .infos = infos,
                                .how = how,
                                .mt = how->mt,
                                .slot_bytes = how->memory_bytes / (uint64_t) n_slots};
    struct t2_pipeline pipeline = {.item_bytes = sizeof(struct shuffle_slot),
                                   .n_slots = n_slots,
                                   .produce = produce,
                                   .work = work,
                                   .consume = consume,
                                   .release = release_slot,
                                   .context = &c};
    enum t2_status st;

    T2_ASSERT(dg_bins_count(bins) == paths->n);
    if (how->n > 0)
        how->says->shuffle_begins();
    if (how->packing)
        how->stats->n = 0;
    t2_progress_start(&c.progress, "shuffling", "shards", paths->n);
    st = t2_pool_pipeline(pool, &pipeline, err);
    t2_progress_end(&c.progress);
    if (st == T2_OK && how->n > 0)
        how->says->shuffle_ends();
    return st;
}
