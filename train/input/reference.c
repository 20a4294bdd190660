/*
 * train/input/reference.c - the original's buffers, one behind the other, on numbers of samples.
 */
#include "train/input/reference.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "train/input/reference_records.h"

struct batch {
    uint64_t *samples; /* and behind `size` of them the epochs that they are of */
    int32_t n, size;   /* there, and room */
};

struct in_reference {
    const struct in_index *index;
    const struct in_scheme *scheme;
    uint64_t seed;
    struct in_reference_records records;
    /* buckets, batches */
    struct batch *buckets; /* n_boundaries + 1 */
    struct batch
        *shuffle; /* n_shuffle batches that wait; [0] is also where a batch is given from */
    uint64_t n_shuffle, shuffle_size;
    struct batch given;
    struct t2_rng batches;
    uint64_t samples;
};

/* ---- records ---- */

/* Epoch after epoch. */
static uint64_t next_shuffled(struct in_reference *r)
{
    uint64_t sample;

    while (!in_reference_records_next(&r->records, &sample))
        continue;
    return sample;
}

/* ---- batches ---- */

static struct batch take_full(struct in_reference *r)
{
    for (;;) {
        uint64_t sample = next_shuffled(r);
        int bucket = in_scheme_bucket(r->scheme, in_place_length(&r->index->places[sample]));
        struct batch *b = &r->buckets[bucket], full;

        if (!b->samples) {
            b->size = r->scheme->batch_sizes[bucket];
            b->samples = t2_alloc(2 * (size_t) b->size, sizeof *b->samples);
        }
        b->samples[b->n] = sample;
        b->samples[b->size + b->n++] = r->records.epoch;
        if (b->n < b->size)
            continue;
        full = *b;
        *b = (struct batch){0};
        return full;
    }
}

static void begin(struct in_reference *r)
{
    struct t2_rng rng;

    r->samples = 0;
    in_reference_records_rewind(&r->records);
    t2_rng_init(&r->batches, r->seed, T2_RNG_ORDER, 0, IN_REFERENCE_BATCHES);
    t2_rng_init(&rng, r->seed, T2_RNG_ORDER, 0, IN_REFERENCE_SKIP);
    for (uint64_t skip = t2_rng_below(&rng, r->records.n_first + 1); skip > 0; skip--)
        (void) next_shuffled(r);
}

static void forget_batches(struct in_reference *r)
{
    t2_free(r->given.samples);
    r->given = (struct batch){0};
    for (int b = 0; b <= r->scheme->n_boundaries; b++) {
        t2_free(r->buckets[b].samples);
        r->buckets[b] = (struct batch){0};
    }
    for (uint64_t i = 0; i < r->n_shuffle; i++)
        t2_free(r->shuffle[i].samples);
    r->n_shuffle = 0;
}

struct in_reference *in_reference_new(const struct in_index *index, const struct in_scheme *scheme,
                                      int64_t batch_shuffle_size, uint64_t seed)
{
    struct in_reference *r = t2_alloc(1, sizeof *r);

    r->index = index;
    r->scheme = scheme;
    r->seed = seed;
    r->shuffle_size = batch_shuffle_size > 1 ? (uint64_t) batch_shuffle_size : 1;
    r->shuffle = t2_alloc((size_t) r->shuffle_size, sizeof *r->shuffle);
    r->buckets = t2_alloc((size_t) scheme->n_boundaries + 1, sizeof *r->buckets);
    in_reference_records_init(&r->records, index, seed);
    begin(r);
    return r;
}

void in_reference_free(struct in_reference *r)
{
    if (!r)
        return;
    forget_batches(r);
    t2_free(r->buckets);
    t2_free(r->shuffle);
    in_reference_records_release(&r->records);
    t2_free(r);
}

const uint64_t *in_reference_next(struct in_reference *r, int32_t *n)
{
    uint64_t i;

    while (r->n_shuffle < r->shuffle_size)
        r->shuffle[r->n_shuffle++] = take_full(r);
    i = t2_rng_below(&r->batches, r->n_shuffle);
    t2_free(r->given.samples);
    r->given = r->shuffle[i];
    r->shuffle[i] = r->shuffle[--r->n_shuffle];
    r->samples += (uint64_t) r->given.n;
    *n = r->given.n;
    return r->given.samples;
}

const uint64_t *in_reference_epochs(const struct in_reference *r)
{
    return r->given.samples + r->given.size;
}

uint64_t in_reference_samples(const struct in_reference *r)
{
    return r->samples;
}

enum t2_status in_reference_seek(struct in_reference *r, uint64_t samples, struct t2_err *err)
{
    int32_t n;

    if (samples >> 50 != 0)
        return t2_fail(err, T2_EFORMAT, "position %" PRIu64 " of the sample order cannot be right",
                       samples);
    forget_batches(r);
    begin(r);
    while (r->samples < samples)
        (void) in_reference_next(r, &n);
    if (r->samples != samples)
        return t2_fail(err, T2_EFORMAT,
                       "position %" PRIu64
                       " of the sample order is inside a batch: the data or the "
                       "batch sizes are not those of the run that is to be continued",
                       samples);
    return T2_OK;
}
