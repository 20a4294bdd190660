/*
 * train/input/reference.c - the original's buffers, one behind the other, on numbers of samples.
 */
#include "train/input/reference.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"

enum { CYCLE = 8, RECORDS = 1024 };
/* Streams of T2_RNG_ORDER, step 0; apart from those of order.c, whose index is 0. */
enum { STREAM_FILES = 1, STREAM_RECORDS, STREAM_SKIP, STREAM_BATCHES };

/* Samples that one file still has in this epoch. */
struct range {
    uint64_t at, end;
};

struct batch {
    uint64_t *samples;
    int32_t n, size; /* there, and room */
};

struct in_reference {
    const struct in_index *index;
    const struct in_scheme *scheme;
    uint64_t seed;
    struct range *files; /* n_files, in the order of this run; those without samples left out */
    size_t n_files;
    uint64_t n_first; /* samples of the first file by name */

    /* interleave */
    struct range open[CYCLE];
    int n_open, turn;
    size_t next_file;
    /* records */
    uint64_t buffer[RECORDS];
    uint32_t n_buffer;
    struct t2_rng records;
    uint64_t epoch;
    /* buckets, batches */
    struct batch *buckets; /* n_boundaries + 1 */
    struct batch
        *shuffle; /* n_shuffle batches that wait; [0] is also where a batch is given from */
    uint64_t n_shuffle, shuffle_size;
    struct batch given;
    struct t2_rng batches;
    uint64_t samples;
};

/* ---- files and records ------------------------------------------------------------------------- */

static void list_files(struct in_reference *r)
{
    const struct in_index *index = r->index;
    struct t2_rng rng;
    uint64_t i = 0;

    r->files = t2_alloc(index->paths.n, sizeof *r->files);
    for (size_t f = 0; f < index->paths.n; f++) {
        struct range range = {i, i};

        while (i < index->n && index->places[i].at >> IN_OFFSET_BITS == f)
            i++;
        range.end = i;
        if (f == 0)
            r->n_first = range.end - range.at;
        if (range.end > range.at)
            r->files[r->n_files++] = range;
    }
    T2_ASSERT(i == index->n && r->n_files > 0);
    t2_rng_init(&rng, r->seed, T2_RNG_ORDER, 0, STREAM_FILES);
    for (size_t k = r->n_files - 1; k > 0; k--) {
        size_t other = (size_t) t2_rng_below(&rng, k + 1);
        struct range kept = r->files[k];

        r->files[k] = r->files[other];
        r->files[other] = kept;
    }
}

/* False at the end of the epoch. */
static bool next_record(struct in_reference *r, uint64_t *sample)
{
    while (r->n_open < CYCLE && r->next_file < r->n_files)
        r->open[r->n_open++] = r->files[r->next_file++];
    if (r->n_open == 0)
        return false;
    if (r->turn >= r->n_open)
        r->turn = 0;
    *sample = r->open[r->turn].at++;
    if (r->open[r->turn].at < r->open[r->turn].end) {
        r->turn++;
    } else if (r->next_file < r->n_files) { /* the next file takes the place */
        r->open[r->turn++] = r->files[r->next_file++];
    } else {
        r->n_open--;
        memmove(&r->open[r->turn], &r->open[r->turn + 1],
                (size_t) (r->n_open - r->turn) * sizeof r->open[0]);
    }
    return true;
}

static void begin_epoch(struct in_reference *r, uint64_t epoch)
{
    r->epoch = epoch;
    r->n_open = 0;
    r->turn = 0;
    r->next_file = 0;
    t2_rng_init(&r->records, r->seed, T2_RNG_ORDER, epoch, STREAM_RECORDS);
}

static uint64_t next_shuffled(struct in_reference *r)
{
    uint64_t i, sample;

    while (r->n_buffer < RECORDS && next_record(r, &r->buffer[r->n_buffer]))
        r->n_buffer++;
    if (r->n_buffer == 0) {
        begin_epoch(r, r->epoch + 1);
        return next_shuffled(r);
    }
    i = t2_rng_below(&r->records, r->n_buffer);
    sample = r->buffer[i];
    r->buffer[i] = r->buffer[--r->n_buffer];
    return sample;
}

/* ---- batches ----------------------------------------------------------------------------------- */

static struct batch take_full(struct in_reference *r)
{
    for (;;) {
        uint64_t sample = next_shuffled(r);
        int bucket = in_scheme_bucket(r->scheme, in_place_length(&r->index->places[sample]));
        struct batch *b = &r->buckets[bucket], full;

        if (b->samples == NULL) {
            b->size = r->scheme->batch_sizes[bucket];
            b->samples = t2_alloc((size_t) b->size, sizeof *b->samples);
        }
        b->samples[b->n++] = sample;
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

    r->n_buffer = 0;
    r->samples = 0;
    begin_epoch(r, 0);
    t2_rng_init(&r->batches, r->seed, T2_RNG_ORDER, 0, STREAM_BATCHES);
    t2_rng_init(&rng, r->seed, T2_RNG_ORDER, 0, STREAM_SKIP);
    for (uint64_t skip = t2_rng_below(&rng, r->n_first + 1); skip > 0; skip--)
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
    list_files(r);
    begin(r);
    return r;
}

void in_reference_free(struct in_reference *r)
{
    if (r == NULL)
        return;
    forget_batches(r);
    t2_free(r->buckets);
    t2_free(r->shuffle);
    t2_free(r->files);
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
