/*
 * train/input/chunks.c - see the header.
 */
#include "train/input/chunks.h"

#include <string.h>

int32_t in_chunks_of(const struct in_chunks *c, int32_t ids)
{
    return ids > c->length ? (ids + c->length - 1) / c->length : 1;
}

void in_chunks_seek(struct in_chunks *c, uint64_t position)
{
    c->begin = in_position_samples(position);
    c->next = (int32_t) (position >> IN_CHUNK_SHIFT);
    c->n = 0;
}

enum t2_status in_chunks_begin(struct in_chunks *c, struct t2_err *err)
{
    c->n = in_chunks_of(c, c->whole.batch.targets_length);
    if (c->n > IN_MOST_CHUNKS)
        return t2_fail(err, T2_EUSAGE,
                       "a text of %d ids in chunks of %d: more than %d chunks; make hparam "
                       "split_targets_chunk_length larger",
                       (int) c->whole.batch.targets_length, (int) c->length, IN_MOST_CHUNKS);
    if (c->next >= c->n)
        c->next = 0;
    return T2_OK;
}

/* to (B, C), from (B, L) columns first .. first + C - 1, 0 behind L. */
static void cut(const struct mdl_batch *whole, int64_t first, int32_t length, int32_t *to)
{
    int64_t there = whole->targets_length - first;
    size_t n = (size_t) (there < length ? there : length);

    for (int32_t b = 0; b < whole->batch; b++, to += length) {
        memcpy(to, whole->targets + (int64_t) b * whole->targets_length + first, n * sizeof *to);
        memset(to + n, 0, ((size_t) length - n) * sizeof *to);
    }
}

enum t2_status in_chunks_next(struct in_chunks *c, struct in_item *item, struct t2_err *err)
{
    const struct mdl_batch *whole = &c->whole.batch;
    size_t bytes = (size_t) whole->batch * (size_t) c->length * sizeof(int32_t);
    int32_t *ids = in_item_room(item, IN_TARGETS, bytes, 0);

    T2_ASSERT(c->next < c->n && !whole->inputs && !whole->targets_segmentation);
    if (!ids)
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %zu bytes", bytes);
    cut(whole, (int64_t) c->next * c->length, c->length, ids);
    item->batch = *whole;
    item->batch.targets = ids;
    item->batch.targets_length = c->length;
    item->batch.chunk = c->next++;
    item->samples = c->begin | (uint64_t) c->next << IN_CHUNK_SHIFT;
    if (c->next < c->n)
        return T2_OK;
    item->samples = c->begin = c->whole.samples;
    c->next = c->n = 0;
    return T2_OK;
}

void in_chunks_release(struct in_chunks *c)
{
    in_item_release(&c->whole);
}
