/*
 * tfrec/histogram.c - how often each size occurs.
 *
 *   small[size]                   sizes 0 .. 4095, each counted by itself
 *   large[octave][sub]            sizes from 4096 on; octave = index of the highest bit - 12,
 *                                 sub = the 8 bits below the highest bit
 *
 * A bucket of octave o is 2^(o + 4) sizes wide, 1/256 of its least size: so a quantile, which is
 * the least size of its bucket, is at most 0.4 % low. Octaves are allocated when a size falls into
 * them (256 counts of 8 bytes).
 */
#include "tfrec/histogram.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

enum { FIRST_SMALL = 64, FIRST_OCTAVE = 12, SUB_BITS = 8, SUBS = 1 << SUB_BITS };

static void grow_small(struct rec_histogram *h, uint64_t size)
{
    size_t n = h->n_small == 0 ? FIRST_SMALL : h->n_small;

    while (n <= size)
        n *= 2;
    h->small = t2_realloc(h->small, n, sizeof *h->small);
    memset(h->small + h->n_small, 0, (n - h->n_small) * sizeof *h->small);
    h->n_small = n;
}

static uint64_t *place_of(struct rec_histogram *h, uint64_t size)
{
    if (size < REC_EXACT_SIZES) {
        if (size >= h->n_small)
            grow_small(h, size);
        return &h->small[size];
    }
    unsigned bit = 63u - (unsigned) __builtin_clzll(size);
    uint64_t **octave = &h->large[bit - FIRST_OCTAVE];
    if (!*octave)
        *octave = t2_alloc(SUBS, sizeof **octave);
    return &(*octave)[(size >> (bit - SUB_BITS)) & (SUBS - 1)];
}

/* The least size of a bucket: 1 and the 8 bits of sub, shifted to the octave. */
static uint64_t least_of(size_t octave, size_t sub)
{
    return (uint64_t) (SUBS + sub) << (octave + FIRST_OCTAVE - SUB_BITS);
}

static void note(struct rec_histogram *h, uint64_t min, uint64_t max)
{
    if (h->n == 0 || min < h->min)
        h->min = min;
    if (h->n == 0 || max > h->max)
        h->max = max;
}

void rec_histogram_add(struct rec_histogram *h, uint64_t size)
{
    note(h, size, size);
    ++*place_of(h, size);
    h->n++;
    h->sum += size;
}

void rec_histogram_join(struct rec_histogram *into, const struct rec_histogram *from)
{
    if (from->n == 0)
        return;
    note(into, from->min, from->max);
    for (size_t i = 0; i < from->n_small; i++) {
        if (from->small[i] > 0)
            *place_of(into, i) += from->small[i];
    }
    for (size_t o = 0; o < REC_OCTAVES; o++) {
        for (size_t s = 0; from->large[o] && s < SUBS; s++) {
            if (from->large[o][s] > 0)
                *place_of(into, least_of(o, s)) += from->large[o][s];
        }
    }
    into->n += from->n;
    into->sum += from->sum;
}

void rec_histogram_release(struct rec_histogram *h)
{
    t2_free(h->small);
    for (size_t o = 0; o < REC_OCTAVES; o++)
        t2_free(h->large[o]);
    *h = (struct rec_histogram){.small = NULL};
}

static uint64_t within(const struct rec_histogram *h, uint64_t size)
{
    return size < h->min ? h->min : size > h->max ? h->max : size;
}

/* The size of rank ceil(q n), counting from 1: walks the counts in order. */
uint64_t rec_histogram_quantile(const struct rec_histogram *h, double q)
{
    double wanted = ceil(q * (double) h->n);
    uint64_t rank = wanted < 1 ? 1 : (uint64_t) wanted;
    uint64_t seen = 0;

    if (h->n == 0)
        return 0;
    for (size_t i = 0; i < h->n_small; i++) {
        seen += h->small[i];
        if (seen >= rank)
            return i;
    }
    for (size_t o = 0; o < REC_OCTAVES; o++) {
        for (size_t s = 0; h->large[o] && s < SUBS; s++) {
            seen += h->large[o][s];
            if (seen >= rank)
                return within(h, least_of(o, s));
        }
    }
    return h->max;
}

bool rec_histogram_is_exact(const struct rec_histogram *h)
{
    return h->n == 0 || h->max < REC_EXACT_SIZES || h->min == h->max;
}

double rec_histogram_mean(const struct rec_histogram *h)
{
    return h->n == 0 ? (double) NAN : (double) h->sum / (double) h->n;
}

size_t rec_histogram_bins(const struct rec_histogram *h, uint64_t upto, uint64_t *bins,
                          size_t n_bins, uint64_t *width)
{
    uint64_t span = h->n == 0 ? 0 : upto - h->min;

    T2_ASSERT(n_bins > 0 && (h->n == 0 || upto >= h->min));
    *width = span / n_bins + 1;
    memset(bins, 0, n_bins * sizeof *bins);
    if (h->n == 0)
        return 0;
    for (size_t i = 0; i < h->n_small && i <= upto; i++) {
        if (h->small[i] > 0)
            bins[(i - h->min) / *width] += h->small[i];
    }
    for (size_t o = 0; o < REC_OCTAVES; o++) {
        for (size_t s = 0; h->large[o] && s < SUBS; s++) {
            uint64_t size = within(h, least_of(o, s));
            if (h->large[o][s] > 0 && size <= upto)
                bins[(size - h->min) / *width] += h->large[o][s];
        }
    }
    return (size_t) (span / *width + 1);
}
