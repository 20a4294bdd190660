/*
 * tfrec/duplicates.c - equal payloads, by their hashes.
 */
#include "tfrec/duplicates.h"

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 1024, LEAST_BYTES = 1 << 16, AHEAD = 12 };

static const uint64_t SEEDS[2] = {0, UINT64_C(0x9e3779b97f4a7c15)};

struct slot {
    struct rec_hash128 hash;
    uint64_t count; /* 0: free */
};

struct rec_duplicates {
    struct slot *slots;
    size_t n_slots, most_slots;
    size_t n;      /* different payloads */
    uint64_t seen; /* records whose payload is in the table */
    int level;
};

struct rec_hash128 rec_hash128(struct t2_slice payload)
{
    return (struct rec_hash128){t2_hash64(payload.data, payload.len_bytes, SEEDS[0]),
                                t2_hash64(payload.data, payload.len_bytes, SEEDS[1])};
}

struct rec_duplicates *rec_duplicates_new(uint64_t memory_bytes)
{
    struct rec_duplicates *d = t2_alloc(1, sizeof *d);
    uint64_t allowed = memory_bytes < LEAST_BYTES ? LEAST_BYTES : memory_bytes;

    /* while it grows the old table and the new one, twice as large, are there */
    d->most_slots = FIRST_SLOTS;
    while (d->most_slots * sizeof *d->slots * 3 <= allowed)
        d->most_slots *= 2;
    d->n_slots = FIRST_SLOTS;
    d->slots = t2_alloc(d->n_slots, sizeof *d->slots);
    return d;
}

void rec_duplicates_free(struct rec_duplicates *d)
{
    if (!d)
        return;
    t2_free(d->slots);
    t2_free(d);
}

static bool in_sample(struct rec_hash128 h, int level)
{
    return level == 0 || h.b >> (64 - level) == 0;
}

static struct slot *find(const struct rec_duplicates *d, struct rec_hash128 h)
{
    size_t mask = d->n_slots - 1;
    size_t i = (size_t) h.a & mask;

    while (d->slots[i].count > 0 && (d->slots[i].hash.a != h.a || d->slots[i].hash.b != h.b))
        i = (i + 1) & mask;
    return &d->slots[i];
}

static void rebuild(struct rec_duplicates *d, size_t n_slots)
{
    struct slot *old = d->slots;
    size_t n_old = d->n_slots;

    d->slots = t2_alloc(n_slots, sizeof *d->slots);
    d->n_slots = n_slots;
    d->n = 0;
    d->seen = 0;
    for (size_t i = 0; i < n_old; i++) {
        if (old[i].count == 0 || !in_sample(old[i].hash, d->level))
            continue;
        *find(d, old[i].hash) = old[i];
        d->n++;
        d->seen += old[i].count;
    }
    t2_free(old);
}

/* At most three quarters full. */
static bool is_full(const struct rec_duplicates *d)
{
    return 4 * d->n > 3 * d->n_slots;
}

void rec_duplicates_add(struct rec_duplicates *d, const struct rec_hash128 *hashes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct slot *s;
        if (i + AHEAD < n)
            __builtin_prefetch(&d->slots[(size_t) hashes[i + AHEAD].a & (d->n_slots - 1)], 1);
        if (!in_sample(hashes[i], d->level))
            continue;
        s = find(d, hashes[i]);
        d->seen++;
        if (s->count++ > 0)
            continue;
        s->hash = hashes[i];
        d->n++;
        if (is_full(d) && d->n_slots < d->most_slots)
            rebuild(d, 2 * d->n_slots);
        while (is_full(d)) {
            d->level++;
            rebuild(d, d->n_slots);
        }
    }
}

uint64_t rec_duplicates_count(const struct rec_duplicates *d, bool *is_exact, uint64_t *most)
{
    *is_exact = d->level == 0;
    *most = 0;
    for (size_t i = 0; i < d->n_slots; i++)
        *most = d->slots[i].count > *most ? d->slots[i].count : *most;
    return (d->seen - d->n) << d->level;
}
