/*
 * base/map.c - hash map from byte strings to 64-bit integers, in insertion order.
 *
 * Entries stand in one array in insertion order.  A table of 8-byte slots (open addressing, linear
 * probing, at most 5/8 full) points into it; a slot also keeps 32 bits of the hash, so that probing
 * rarely touches an entry.  Key bytes live in chunks that never move.
 */
#include "base/map.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64, FIRST_CHUNK_BYTES = 1 << 10, MAX_CHUNK_BYTES = 1 << 20 };

struct entry {
    const uint8_t *key; /* in a chunk, not terminated */
    size_t len_bytes;
    uint64_t value;
};

struct slot {
    uint32_t entry; /* index + 1; 0 = empty */
    uint32_t tag;   /* high bits of the hash */
};

struct chunk {
    struct chunk *next;
    size_t used_bytes;
    size_t capacity_bytes;
    uint8_t bytes[];
};

struct t2_map {
    struct entry *entries;
    size_t count;
    size_t capacity;
    struct slot *slots;
    size_t n_slots; /* a power of two */
    struct chunk *chunks;
    size_t chunk_bytes; /* of all chunks */
};

struct t2_map *t2_map_new(void)
{
    struct t2_map *m = t2_alloc(1, sizeof *m);

    m->n_slots = FIRST_SLOTS;
    m->slots = t2_alloc(m->n_slots, sizeof *m->slots);
    return m;
}

void t2_map_free(struct t2_map *m)
{
    struct chunk *next;

    if (!m)
        return;
    for (struct chunk *c = m->chunks; c; c = next) {
        next = c->next;
        t2_free(c);
    }
    t2_free(m->slots);
    t2_free(m->entries);
    t2_free(m);
}

size_t t2_map_count(const struct t2_map *m)
{
    return m->count;
}

/*
 * The slot of the key, or the empty slot where it belongs.
 *
 * The low bits of the hash choose the first slot, the high 32 bits are its tag, so the two are
 * independent in any table of up to 2^32 slots.  The loop ends because 3/8 of the slots are empty.
 */
static size_t find_slot(const struct t2_map *m, const void *key, size_t len_bytes, uint64_t hash)
{
    uint32_t tag = (uint32_t) (hash >> 32);
    size_t i = (size_t) hash & (m->n_slots - 1);

    for (; m->slots[i].entry != 0; i = (i + 1) & (m->n_slots - 1)) {
        const struct entry *e = &m->entries[m->slots[i].entry - 1];

        if (m->slots[i].tag == tag && e->len_bytes == len_bytes &&
            (len_bytes == 0 || memcmp(e->key, key, len_bytes) == 0))
            break;
    }
    return i;
}

uint64_t *t2_map_find(const struct t2_map *m, const void *key, size_t len_bytes)
{
    size_t i = find_slot(m, key, len_bytes, t2_hash64(key, len_bytes, 0));

    return m->slots[i].entry == 0 ? NULL : &m->entries[m->slots[i].entry - 1].value;
}

/*
 * Chunks double from 1 KiB to 1 MiB; a longer key gets a chunk of its own length. What is left of
 * the chunk before is given up. Keys never move, so slices of t2_map_key stay valid while the map
 * grows.
 */
static const uint8_t *copy_key(struct t2_map *m, const void *key, size_t len_bytes)
{
    struct chunk *c = m->chunks;
    uint8_t *to;

    if (len_bytes == 0)
        return (const uint8_t *) "";
    if (!c || c->capacity_bytes - c->used_bytes < len_bytes) {
        size_t size = c ? c->capacity_bytes * 2 : FIRST_CHUNK_BYTES;

        if (size > MAX_CHUNK_BYTES)
            size = MAX_CHUNK_BYTES;
        if (size < len_bytes)
            size = len_bytes;
        c = t2_alloc(sizeof *c + size, 1);
        c->capacity_bytes = size;
        c->next = m->chunks;
        m->chunks = c;
        m->chunk_bytes += sizeof *c + size;
    }
    to = c->bytes + c->used_bytes;
    memcpy(to, key, len_bytes);
    c->used_bytes += len_bytes;
    return to;
}

/*
 * Twice the slots.  Hashes are computed anew rather than stored: an entry would grow by a third
 * for something that happens once per doubling.
 */
static void grow_slots(struct t2_map *m)
{
    t2_free(m->slots);
    m->n_slots *= 2;
    m->slots = t2_alloc(m->n_slots, sizeof *m->slots);
    for (size_t e = 0; e < m->count; e++) {
        uint64_t hash = t2_hash64(m->entries[e].key, m->entries[e].len_bytes, 0);
        size_t i = (size_t) hash & (m->n_slots - 1);

        while (m->slots[i].entry != 0)
            i = (i + 1) & (m->n_slots - 1);
        m->slots[i] = (struct slot){(uint32_t) (e + 1), (uint32_t) (hash >> 32)};
    }
}

uint64_t *t2_map_at(struct t2_map *m, const void *key, size_t len_bytes, bool *inserted)
{
    uint64_t hash = t2_hash64(key, len_bytes, 0);
    size_t i = find_slot(m, key, len_bytes, hash);
    bool absent = m->slots[i].entry == 0;

    if (inserted)
        *inserted = absent;
    if (!absent)
        return &m->entries[m->slots[i].entry - 1].value;

    T2_ASSERT(m->count < UINT32_MAX - 1);
    if ((m->count + 1) * 8 > m->n_slots * 5) {
        grow_slots(m);
        i = find_slot(m, key, len_bytes, hash);
    }
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? m->capacity + m->capacity / 2 : FIRST_SLOTS / 2;
        m->entries = t2_realloc(m->entries, m->capacity, sizeof *m->entries);
    }
    m->entries[m->count] = (struct entry){copy_key(m, key, len_bytes), len_bytes, 0};
    m->slots[i] = (struct slot){(uint32_t) (m->count + 1), (uint32_t) (hash >> 32)};
    return &m->entries[m->count++].value;
}

struct t2_slice t2_map_key(const struct t2_map *m, size_t i)
{
    T2_ASSERT(i < m->count);
    return (struct t2_slice){m->entries[i].key, m->entries[i].len_bytes};
}

uint64_t t2_map_value(const struct t2_map *m, size_t i)
{
    T2_ASSERT(i < m->count);
    return m->entries[i].value;
}

size_t t2_map_memory(const struct t2_map *m)
{
    return sizeof *m + m->capacity * sizeof *m->entries + m->n_slots * sizeof *m->slots +
           m->chunk_bytes;
}
