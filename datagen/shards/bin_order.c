/*
 * datagen/shards/bin_order.c - the records of one bin in another order.
 */
#include "datagen/shards/bin_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/writer.h"

/* Bytes of a frame around its payload: length, its CRC, the payload's CRC. */
enum { FRAME_LENGTH_BYTES = 8, FRAME_AROUND_BYTES = 16, READ_BYTES = 1 << 20 };

/* A frame of a window: where it is on disk, and where it goes. */
struct fetch {
    uint64_t from, to;
    uint64_t len_bytes;
};

void dg_order_close(struct dg_order *o)
{
    dg_bin_release(&o->bin);
    o->n = 0;
}

void dg_order_release(struct dg_order *o)
{
    dg_order_close(o);
    t2_free(o->offsets);
    t2_free(o->items);
    memset(o, 0, sizeof *o);
}

/* Bytes on a disk may not be what was written: no assertion judges them. */
static enum t2_status fail_changed(const struct dg_order *o, uint64_t at, struct t2_err *err)
{
    return t2_fail(err, T2_EIO,
                   "'%s': a scratch file of this run was changed at offset %" PRIu64
                   " by something else, or its disk fails; run the same command again",
                   o->bin.scratch ? o->bin.scratch : "(memory)", at);
}

/* From the frame at *at, whose first bytes are `frame`, to the one behind it. */
static enum t2_status next_frame(const struct dg_order *o, uint64_t *at, const uint8_t *frame,
                                 struct t2_err *err)
{
    uint64_t len = 0;

    for (int i = FRAME_LENGTH_BYTES - 1; i >= 0; i--)
        len = len << 8 | frame[i];
    if (len > o->bin.len_bytes - *at - FRAME_AROUND_BYTES)
        return fail_changed(o, *at, err);
    *at += len + FRAME_AROUND_BYTES;
    return T2_OK;
}

static void add_offset(struct dg_order *o, uint64_t offset)
{
    if (o->n + 1 >= o->capacity) {
        o->capacity = o->capacity ? 2 * o->capacity : 1024;
        o->offsets = t2_realloc(o->offsets, o->capacity, sizeof *o->offsets);
        o->items = t2_realloc(o->items, o->capacity, sizeof *o->items);
    }
    o->offsets[o->n] = offset;
}

/* Lengths of frames on disk: the file is read once, in large pieces. */
static enum t2_status find_on_disk(struct dg_order *o, struct t2_err *err)
{
    uint8_t *piece = t2_realloc(NULL, READ_BYTES, 1);
    uint64_t at = 0, piece_at = 0, piece_bytes = 0;
    enum t2_status st = T2_OK;

    for (; at < o->bin.len_bytes && st == T2_OK; o->n++) {
        if (o->bin.len_bytes - at < FRAME_AROUND_BYTES)
            break;
        if (at < piece_at || at + FRAME_LENGTH_BYTES > piece_at + piece_bytes) {
            piece_at = at;
            piece_bytes = o->bin.len_bytes - at < READ_BYTES ? o->bin.len_bytes - at : READ_BYTES;
            st = dg_bin_read(&o->bin, at, piece, (size_t) piece_bytes, err);
        }
        add_offset(o, at);
        if (st == T2_OK)
            st = next_frame(o, &at, piece + (at - piece_at), err);
    }
    t2_free(piece);
    return st == T2_OK && at != o->bin.len_bytes ? fail_changed(o, at, err) : st;
}

static enum t2_status find_in_memory(struct dg_order *o, struct t2_err *err)
{
    uint64_t at = 0;

    for (; at < o->bin.len_bytes; o->n++) {
        if (o->bin.len_bytes - at < FRAME_AROUND_BYTES)
            return fail_changed(o, at, err);
        add_offset(o, at);
        T2_TRY(next_frame(o, &at, o->bin.memory.data + at, err));
    }
    return T2_OK;
}

/*
 * offsets (n + 1) are the places of the frames in the bin, items (n) the order.  In memory a visit
 * is a walk through items.  On disk as many consecutive frames of the order as fit into
 * memory_bytes make a window: their places are sorted, each frame is read and put where the window
 * wants it, and the window is visited.  So every frame is read once, in S / memory_bytes forward
 * sweeps over a bin of S bytes, not in random order.
 */
enum t2_status dg_order_open(struct dg_order *o, struct dg_bins *bins, size_t bin,
                             uint64_t memory_bytes, struct t2_err *err)
{
    enum t2_status st;

    o->n = 0;
    o->memory_bytes = memory_bytes;
    T2_TRY(dg_bins_take(bins, bin, &o->bin, err));
    if (o->bin.scratch && o->bin.len_bytes > memory_bytes) {
        st = find_on_disk(o, err);
    } else {
        st = dg_bin_load(&o->bin, err);
        if (st == T2_OK)
            st = find_in_memory(o, err);
    }
    T2_TRY(st);
    if (o->n > UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "a shard of more than 4294967295 records; use more shards");
    add_offset(o, o->bin.len_bytes);
    for (uint64_t i = 0; i < o->n; i++)
        o->items[i] = (uint32_t) i;
    return T2_OK;
}

void dg_order_shuffle(struct dg_order *o, struct t2_mt *mt)
{
    t2_mt_shuffle_u32(mt, o->items, o->n);
}

/* ---- visiting ---- */

static uint64_t frame_length(const struct dg_order *o, uint64_t i)
{
    return o->offsets[o->items[i] + 1] - o->offsets[o->items[i]];
}

static int compare_from(const void *a, const void *b)
{
    const struct fetch *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

/* Reads the frames of a window to their places; what stands together in both is read at once. */
static enum t2_status fetch_all(const struct dg_order *o, struct fetch *items, size_t n,
                                uint8_t *window, struct t2_err *err)
{
    size_t k;

    qsort(items, n, sizeof *items, compare_from);
    for (size_t i = 0; i < n; i = k) {
        uint64_t len = items[i].len_bytes;
        for (k = i + 1;
             k < n && items[k].from == items[i].from + len && items[k].to == items[i].to + len; k++)
            len += items[k].len_bytes;
        T2_TRY(dg_bin_read(&o->bin, items[i].from, window + items[i].to, (size_t) len, err));
    }
    return T2_OK;
}

/* How many frames from `first` on fit into a window, one at least. */
static size_t window_frames(const struct dg_order *o, uint64_t first, uint64_t *len_bytes)
{
    uint64_t i = first, taken = 0, len = 0;

    while (i < o->n) {
        uint64_t one = frame_length(o, i);
        taken += one + sizeof(struct fetch);
        if (i > first && taken > o->memory_bytes)
            break;
        len += one;
        i++;
    }
    *len_bytes = len;
    return (size_t) (i - first);
}

/* A frame read back from a scratch file is passed on only if it has the bytes that were written. */
static enum t2_status visit_frame(const struct dg_order *o, uint64_t i, struct t2_slice frame,
                                  dg_order_visit *visit, void *context, struct t2_err *err)
{
    if (o->bin.scratch && !tfr_frame_is_sound(frame))
        return fail_changed(o, o->offsets[o->items[i]], err);
    return visit(context, frame, err);
}

static enum t2_status run_window(const struct dg_order *o, uint64_t first, size_t n,
                                 uint64_t len_bytes, dg_order_visit *visit, void *context,
                                 struct t2_err *err)
{
    struct fetch *items = t2_realloc(NULL, n, sizeof *items);
    uint8_t *window = t2_realloc(NULL, (size_t) len_bytes, 1);
    enum t2_status st;
    uint64_t to = 0;
    size_t i;

    for (i = 0; i < n; i++) {
        items[i] = (struct fetch){o->offsets[o->items[first + i]], to, frame_length(o, first + i)};
        to += items[i].len_bytes;
    }
    st = fetch_all(o, items, n, window, err);
    for (i = 0, to = 0; i < n && st == T2_OK; i++) {
        uint64_t len = frame_length(o, first + i);
        st = visit_frame(o, first + i, (struct t2_slice){window + to, (size_t) len}, visit, context,
                         err);
        to += len;
    }
    t2_free(items);
    t2_free(window);
    return st;
}

enum t2_status dg_order_run(const struct dg_order *o, dg_order_visit *visit, void *context,
                            struct t2_err *err)
{
    uint64_t len;
    size_t n;

    if (o->bin.memory.len_bytes == o->bin.len_bytes) {
        for (uint64_t i = 0; i < o->n; i++)
            T2_TRY(visit_frame(o, i,
                               (struct t2_slice){o->bin.memory.data + o->offsets[o->items[i]],
                                                 (size_t) frame_length(o, i)},
                               visit, context, err));
        return T2_OK;
    }
    for (uint64_t i = 0; i < o->n; i += n) {
        n = window_frames(o, i, &len);
        T2_TRY(run_window(o, i, n, len, visit, context, err));
    }
    return T2_OK;
}
