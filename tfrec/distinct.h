/*
 * tfrec/distinct.h - how many different values there are, and how often each occurs.
 *
 * Exact while there are at most `limit` of them.  Beyond that only those stay whose hash begins
 * with `level` zero bits, a fair sample of the different values (Flajolet 1990, "On adaptive
 * sampling"): their number times 2^level is the estimate, with a standard error of about 1.2 /
 * sqrt(limit).  What stays depends on the set of values alone, so parts of a data set can be
 * counted apart and joined in any order, as with HyperLogLog, and one structure serves for both
 * regimes.
 *
 * A value is a 64-bit key: an int64, the bits of a float, a hash of bytes.  Keys below
 * `dense_limit` are counted in an array, which suits ids of a vocabulary; that changes the
 * speed, not the result.
 */
#ifndef REC_DISTINCT_H
#define REC_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_distinct {
    size_t limit;
    size_t dense_limit;
    int level;
    uint64_t *dense; /* how often the key i occurred */
    size_t n_dense;
    struct rec_counted *slots; /* a free one has count 0 */
    size_t n_slots;
    size_t n; /* in slots */
};

struct rec_counted {
    uint64_t key;
    uint64_t count;
};

/* limit at least 16; memory: at most 43 * limit + 8 * dense_limit bytes. */
void rec_distinct_init(struct rec_distinct *d, size_t limit, size_t dense_limit);
void rec_distinct_release(struct rec_distinct *d);

void rec_distinct_add_slowly(struct rec_distinct *d, uint64_t key, uint64_t count);
static inline void rec_distinct_add(struct rec_distinct *d, uint64_t key)
{
    if (key < d->n_dense)
        d->dense[key]++;
    else
        rec_distinct_add_slowly(d, key, 1);
}
/* Lower limits from now on; the result is as if they had always been so low. */
void rec_distinct_shrink(struct rec_distinct *d, size_t limit, size_t dense_limit);
void rec_distinct_join(struct rec_distinct *into, const struct rec_distinct *from);

/* Moves everything into slots; call once before the two below. */
void rec_distinct_finish(struct rec_distinct *d);
uint64_t rec_distinct_count(const struct rec_distinct *d, bool *is_exact);
/* The n most frequent, ties by order(); returns how many.  Only while exact. */
size_t rec_distinct_top(const struct rec_distinct *d, struct rec_counted *top, size_t n,
                        int (*order)(uint64_t a, uint64_t b));

#endif
