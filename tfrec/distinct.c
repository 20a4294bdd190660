/*
 * tfrec/distinct.c - different values, counted or estimated by adaptive sampling (distinct.h).
 *
 * The table is open-addressed with linear probing: slots[] of (key, count), a power of two, at most
 * three quarters full; count 0 marks a free slot, as a key may be any number.  The slot comes from
 * the low bits of the hash and the sample from its high bits, so that the slots of a sample stay
 * evenly filled.  When a sample is over `limit`, the level rises by one and the rebuild drops about
 * half of the keys.
 *
 * Alternatives: HyperLogLog takes 16 KiB for 0.8 %, but is never exact and cannot list the most
 * frequent values, which needs a table as well.
 */
#include "tfrec/distinct.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

enum { FIRST_SLOTS = 64, FIRST_DENSE = 256, LEAST_LIMIT = 16 };

/* The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every
 * bit of the key, which ids and lengths need, as they differ in few low bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Whether the first `level` bits are 0: a share of 2^-level of all keys. */
static bool in_sample(uint64_t hash, int level)
{
    return level == 0 || hash >> (64 - level) == 0;
}

void rec_distinct_init(struct rec_distinct *d, size_t limit, size_t dense_limit)
{
    T2_ASSERT(limit >= LEAST_LIMIT);
    *d = (struct rec_distinct){.limit = limit, .dense_limit = dense_limit};
}

void rec_distinct_release(struct rec_distinct *d)
{
    t2_free(d->dense);
    t2_free(d->slots);
    *d = (struct rec_distinct){.limit = 0};
}

/* ---- the table ---- */

/* The slot of a key, or the free one where it belongs. */
static struct rec_counted *find(const struct rec_distinct *d, uint64_t key, uint64_t hash)
{
    size_t mask = d->n_slots - 1;
    size_t i = (size_t) hash & mask;

    while (d->slots[i].count > 0 && d->slots[i].key != key)
        i = (i + 1) & mask;
    return &d->slots[i];
}

/* Into a table of n_slots, only what is in the sample. */
static void rebuild(struct rec_distinct *d, size_t n_slots)
{
    struct rec_counted *old = d->slots;
    size_t n_old = d->n_slots;

    d->slots = t2_alloc(n_slots, sizeof *d->slots);
    d->n_slots = n_slots;
    d->n = 0;
    for (size_t i = 0; i < n_old; i++) {
        uint64_t hash = mix(old[i].key);
        if (old[i].count == 0 || !in_sample(hash, d->level))
            continue;
        *find(d, old[i].key, hash) = old[i];
        d->n++;
    }
    t2_free(old);
}

static void add_to_table(struct rec_distinct *d, uint64_t key, uint64_t count)
{
    uint64_t hash = mix(key);
    struct rec_counted *c;

    if (!in_sample(hash, d->level))
        return;
    if (d->n_slots == 0)
        rebuild(d, FIRST_SLOTS);
    c = find(d, key, hash);
    c->count += count;
    if (c->count > count)
        return;
    c->key = key;
    d->n++;
    if (4 * d->n > 3 * d->n_slots)
        rebuild(d, 2 * d->n_slots);
    while (d->n > d->limit) {
        d->level++;
        rebuild(d, d->n_slots);
    }
}

void rec_distinct_add_slowly(struct rec_distinct *d, uint64_t key, uint64_t count)
{
    if (key >= d->dense_limit) {
        add_to_table(d, key, count);
        return;
    }
    if (key >= d->n_dense) {
        size_t n = d->n_dense == 0 ? FIRST_DENSE : d->n_dense;
        while (n <= key)
            n *= 2;
        d->dense = t2_realloc(d->dense, n, sizeof *d->dense);
        memset(d->dense + d->n_dense, 0, (n - d->n_dense) * sizeof *d->dense);
        d->n_dense = n;
    }
    d->dense[key] += count;
}

static void dense_to_table(struct rec_distinct *d)
{
    for (size_t i = 0; i < d->n_dense; i++) {
        if (d->dense[i] > 0)
            add_to_table(d, i, d->dense[i]);
    }
    t2_free(d->dense);
    d->dense = NULL;
    d->n_dense = 0;
}

void rec_distinct_shrink(struct rec_distinct *d, size_t limit, size_t dense_limit)
{
    T2_ASSERT(limit >= LEAST_LIMIT);
    d->limit = limit < d->limit ? limit : d->limit;
    d->dense_limit = dense_limit < d->dense_limit ? dense_limit : d->dense_limit;
    if (d->n_dense > d->dense_limit)
        dense_to_table(d);
    while (d->n > d->limit) {
        d->level++;
        rebuild(d, d->n_slots);
    }
}

/*
 * The level of the result is the higher one; keys of the other that are out of its sample are
 * dropped by add_to_table().
 */
void rec_distinct_join(struct rec_distinct *into, const struct rec_distinct *from)
{
    if (from->level > into->level) {
        into->level = from->level;
        dense_to_table(into);
        if (into->n_slots > 0)
            rebuild(into, into->n_slots);
    }
    for (size_t i = 0; i < from->n_dense; i++) {
        if (from->dense[i] > 0)
            rec_distinct_add_slowly(into, i, from->dense[i]);
    }
    for (size_t i = 0; i < from->n_slots; i++) {
        if (from->slots[i].count > 0)
            rec_distinct_add_slowly(into, from->slots[i].key, from->slots[i].count);
    }
}

void rec_distinct_finish(struct rec_distinct *d)
{
    dense_to_table(d);
    d->dense_limit = 0;
}

uint64_t rec_distinct_count(const struct rec_distinct *d, bool *is_exact)
{
    T2_ASSERT(d->n_dense == 0);
    *is_exact = d->level == 0;
    return d->level < 64 ? (uint64_t) d->n << d->level : UINT64_MAX;
}

/* ---- the most frequent ---- */

static bool comes_before(const struct rec_counted *a, const struct rec_counted *b,
                         int (*order)(uint64_t, uint64_t))
{
    return a->count != b->count ? a->count > b->count : order(a->key, b->key) < 0;
}

/*
 * One pass with an insertion sort into top[n]: n is small (tens), and most counts fail the
 * comparison with the last.
 */
size_t rec_distinct_top(const struct rec_distinct *d, struct rec_counted *top, size_t n,
                        int (*order)(uint64_t, uint64_t))
{
    size_t n_top = 0;

    T2_ASSERT(d->n_dense == 0 && d->level == 0);
    for (size_t i = 0; n > 0 && i < d->n_slots; i++) {
        const struct rec_counted *c = &d->slots[i];
        size_t at;
        if (c->count == 0 || (n_top == n && !comes_before(c, &top[n - 1], order)))
            continue;
        if (n_top < n)
            n_top++;
        for (at = n_top - 1; at > 0 && comes_before(c, &top[at - 1], order); at--)
            top[at] = top[at - 1];
        top[at] = *c;
    }
    return n_top;
}
