/*
 * vocab/length_histogram.c - counters by length, the long ones by their leading bits.
 */
#include "vocab/length_histogram.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/err.h"

enum { STEP_BITS = 9, EXACT_BITS = 16, N_STEPS = (64 - EXACT_BITS) << STEP_BITS };

struct step {
    uint64_t n, longest;
};

struct voc_lengths {
    uint64_t n, longest;
    uint64_t exact[VOC_EXACT_LENGTHS];
    struct step steps[N_STEPS];
};

struct voc_lengths *voc_lengths_new(void)
{
    return t2_alloc(1, sizeof(struct voc_lengths));
}

void voc_lengths_free(struct voc_lengths *h)
{
    t2_free(h);
}

/* A long length by its highest bit and the STEP_BITS bits below. */
static size_t step_of(uint64_t length)
{
    unsigned high = 63 - (unsigned) __builtin_clzll(length);
    size_t below = (size_t) (length >> (high - STEP_BITS)) & ((1u << STEP_BITS) - 1);

    return (size_t) (high - EXACT_BITS) << STEP_BITS | below;
}

void voc_lengths_add(struct voc_lengths *h, uint64_t length)
{
    h->n++;
    if (length > h->longest)
        h->longest = length;
    if (length < VOC_EXACT_LENGTHS) {
        h->exact[length]++;
    } else {
        struct step *s = &h->steps[step_of(length)];
        s->n++;
        if (length > s->longest)
            s->longest = length;
    }
}

void voc_lengths_join(struct voc_lengths *h, const struct voc_lengths *other)
{
    h->n += other->n;
    if (other->longest > h->longest)
        h->longest = other->longest;
    for (size_t i = 0; i < VOC_EXACT_LENGTHS; i++)
        h->exact[i] += other->exact[i];
    for (size_t i = 0; i < N_STEPS; i++) {
        h->steps[i].n += other->steps[i].n;
        if (other->steps[i].longest > h->steps[i].longest)
            h->steps[i].longest = other->steps[i].longest;
    }
}

uint64_t voc_lengths_count(const struct voc_lengths *h)
{
    return h->n;
}

uint64_t voc_lengths_percentile(const struct voc_lengths *h, unsigned per_mille)
{
    /* without n * per_mille, which may not fit */
    uint64_t want = h->n / 1000 * per_mille + (h->n % 1000 * per_mille + 999) / 1000, seen = 0;

    T2_ASSERT(per_mille <= 1000);
    if (h->n == 0)
        return 0;
    for (size_t i = 0; i < VOC_EXACT_LENGTHS; i++) {
        seen += h->exact[i];
        if (seen >= want && seen > 0)
            return i;
    }
    for (size_t i = 0; i < N_STEPS; i++) {
        seen += h->steps[i].n;
        if (seen >= want)
            return h->steps[i].longest;
    }
    return h->longest;
}

uint64_t voc_lengths_at_most(const struct voc_lengths *h, uint64_t length)
{
    uint64_t n = 0;

    T2_ASSERT(length < VOC_EXACT_LENGTHS);
    for (size_t i = 0; i <= length; i++)
        n += h->exact[i];
    return n;
}
