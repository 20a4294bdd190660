/*
 * tfrecord/external_order.c - ordering by random keys: places are sorted, records are copied once.
 *
 * Items lie one behind the other in `items`.  A place is (key, offset): places are dealt into
 * heaps by the next bits of the key, about one record each, finished by an insertion sort, and the
 * records are then copied once in that order.  Linear, since keys are uniform.
 */
#include "tfrecord/external_order.h"

#include <string.h>

#include "tfrecord/framing.h"

enum { AHEAD = 12, MAX_HEAP_BITS = 24 };

struct place {
    uint64_t key;
    size_t offset; /* of the item */
};

void tfr_order_release(struct tfr_order *o)
{
    t2_buf_release(&o->items);
    t2_buf_release(&o->frames);
    t2_buf_release(&o->places);
    t2_buf_release(&o->sorted);
    t2_buf_release(&o->starts);
}

uint64_t tfr_order_memory(uint64_t n_items, uint64_t items_bytes)
{
    return 2 * items_bytes + n_items * (2 * sizeof(struct place) + 2 * sizeof(uint32_t));
}

size_t tfr_shuffle_item_bytes(const uint8_t *p)
{
    return TFR_SHUFFLE_KEY_BYTES + TFR_FRAME_BYTES +
           (size_t) tfr_get_le64(p + TFR_SHUFFLE_KEY_BYTES);
}

static void *room(struct t2_buf *b, size_t n, size_t size)
{
    t2_buf_clear(b);
    return t2_buf_reserve(b, n * size);
}

static void insertion_sort(struct place *p, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct place moved = p[i];
        size_t j = i;
        for (; j > 0 && p[j - 1].key > moved.key; j--)
            p[j] = p[j - 1];
        p[j] = moved;
    }
}

/* The first bits of a key that differ. */
static size_t heap_of(uint64_t key, unsigned skip_bits, unsigned bits)
{
    return (size_t) (key << skip_bits >> (TFR_SHUFFLE_KEY_BITS - bits));
}

/* Keys are uniform: dealt by their next bits into about as many heaps as there are records, they
 * are nearly in order. */
static const struct place *sort(struct tfr_order *o, size_t n, unsigned skip_bits)
{
    struct place *places = room(&o->places, n, sizeof *places);
    struct place *sorted = room(&o->sorted, n, sizeof *sorted);
    const uint8_t *items = o->items.data;
    unsigned bits = 1;
    size_t offset = 0;

    while (bits < MAX_HEAP_BITS && n >> bits > 1)
        bits++;
    if (skip_bits > TFR_SHUFFLE_KEY_BITS - 1)
        skip_bits = TFR_SHUFFLE_KEY_BITS - 1;
    size_t n_starts = ((size_t) 1 << bits) + 1;
    uint32_t *starts = room(&o->starts, n_starts, sizeof *starts);
    memset(starts, 0, n_starts * sizeof *starts);
    for (size_t i = 0; i < n; i++) {
        memcpy(&places[i].key, items + offset, TFR_SHUFFLE_KEY_BYTES);
        places[i].offset = offset;
        offset += tfr_shuffle_item_bytes(items + offset);
        starts[heap_of(places[i].key, skip_bits, bits) + 1]++;
    }
    T2_ASSERT(offset == o->items.len_bytes);
    for (size_t i = 1; i < n_starts; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < n; i++)
        sorted[starts[heap_of(places[i].key, skip_bits, bits)]++] = places[i];
    insertion_sort(sorted, n); /* nothing moves further than its heap is long */
    return sorted;
}

struct t2_slice tfr_order_items(struct tfr_order *o, size_t n, unsigned skip_bits)
{
    const uint8_t *items = o->items.data;

    T2_ASSERT(n > 0 && n <= UINT32_MAX);
    if (n == 1) /* it may be larger than memory should be: no second copy */
        return (struct t2_slice){items + TFR_SHUFFLE_KEY_BYTES,
                                 o->items.len_bytes - TFR_SHUFFLE_KEY_BYTES};
    const struct place *sorted = sort(o, n, skip_bits);
    size_t frames_bytes = o->items.len_bytes - n * TFR_SHUFFLE_KEY_BYTES;
    uint8_t *to = room(&o->frames, frames_bytes, 1);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *item = items + sorted[i].offset;
        size_t n_bytes = tfr_shuffle_item_bytes(item) - TFR_SHUFFLE_KEY_BYTES;
        if (i + AHEAD < n)
            __builtin_prefetch(items + sorted[i + AHEAD].offset);
        memcpy(to, item + TFR_SHUFFLE_KEY_BYTES, n_bytes);
        to += n_bytes;
    }
    return (struct t2_slice){o->frames.data, frames_bytes};
}
