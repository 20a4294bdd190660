/*
 * train/input/reference_rows.c - the original's buffers with packing between them.
 */
#include "train/input/reference_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/reference_records.h"

/* rows_per_batch rows: row i has places[begins[i]] .. places[begins[i + 1]]. */
struct batch {
    const struct in_place **places;
    uint32_t *begins;
    uint32_t n_places, capacity;
};

struct in_reference_rows {
    struct in_reference_records records;
    const struct in_index *index;
    enum in_packing form;
    int32_t length, rows_per_batch;
    uint64_t seed;
    /* the window */
    uint32_t size, n; /* samples of a whole one; of this */
    const struct in_place **places;
    int32_t *inputs, *targets; /* lengths */
    struct in_packed packed;
    uint32_t next; /* row of the window */
    /* batches */
    struct batch *shuffle; /* n_shuffle batches that wait */
    uint64_t n_shuffle, shuffle_size;
    struct batch given;
    int32_t given_rows; /* of it that were given */
    struct t2_rng batches;
    uint64_t samples;
};

/* ---- rows ---- */

static void load_window(struct in_reference_rows *r)
{
    uint64_t sample;

    r->next = 0;
    for (r->n = 0; r->n == 0;) /* an epoch may end with a whole window */
        while (r->n < r->size && in_reference_records_next(&r->records, &sample)) {
            r->places[r->n] = &r->index->places[sample];
            r->inputs[r->n] = r->places[r->n]->inputs_length;
            r->targets[r->n] = r->places[r->n]->targets_length;
            r->n++;
        }
    in_pack(r->form, r->length, r->n, r->inputs, r->targets, &r->packed);
}

/* The next row of the stream, at the end of *b; NULL: nowhere. */
static void take_row(struct in_reference_rows *r, struct batch *b)
{
    uint32_t begin, end;

    if (r->n == 0 || r->next == r->packed.n_rows)
        load_window(r);
    begin = r->packed.begins[r->next++];
    end = r->packed.begins[r->next];
    if (!b)
        return;
    if (b->n_places + (end - begin) > b->capacity) {
        b->capacity = 2 * (b->n_places + (end - begin));
        b->places = t2_realloc(b->places, b->capacity, sizeof *b->places);
    }
    for (uint32_t i = begin; i < end; i++)
        b->places[b->n_places++] = r->places[r->packed.members[i]];
}

/* ---- batches ---- */

static struct batch take_batch(struct in_reference_rows *r)
{
    struct batch b = {.begins = t2_alloc((size_t) r->rows_per_batch + 1, sizeof *b.begins)};

    for (int32_t i = 0; i < r->rows_per_batch; i++) {
        take_row(r, &b);
        b.begins[i + 1] = b.n_places;
    }
    return b;
}

static void release_batch(struct batch *b)
{
    t2_free(b->places);
    t2_free(b->begins);
    *b = (struct batch){0};
}

static void begin(struct in_reference_rows *r)
{
    struct t2_rng rng;

    release_batch(&r->given);
    for (uint64_t i = 0; i < r->n_shuffle; i++)
        release_batch(&r->shuffle[i]);
    r->n_shuffle = 0;
    r->given_rows = r->rows_per_batch;
    r->n = 0;
    r->samples = 0;
    in_reference_records_rewind(&r->records);
    t2_rng_init(&r->batches, r->seed, T2_RNG_ORDER, 0, IN_REFERENCE_BATCHES);
    t2_rng_init(&rng, r->seed, T2_RNG_ORDER, 0, IN_REFERENCE_SKIP);
    for (uint64_t skip = t2_rng_below(&rng, r->records.n_first + 1); skip > 0; skip--)
        take_row(r, NULL);
}

struct in_reference_rows *in_reference_rows_new(const struct in_index *index, enum in_packing form,
                                                int32_t length, int32_t rows_per_batch,
                                                int64_t batch_shuffle_size, uint64_t seed)
{
    struct in_reference_rows *r = t2_alloc(1, sizeof *r);

    T2_ASSERT(index->n > 0 && length > 0 && rows_per_batch > 0);
    r->index = index;
    r->form = form;
    r->length = length;
    r->rows_per_batch = rows_per_batch;
    r->seed = seed;
    r->size = in_pack_window(form, length);
    r->places = t2_alloc(r->size, sizeof *r->places);
    r->inputs = t2_alloc(r->size, sizeof *r->inputs);
    r->targets = t2_alloc(r->size, sizeof *r->targets);
    r->shuffle_size = batch_shuffle_size > 1 ? (uint64_t) batch_shuffle_size : 1;
    r->shuffle = t2_alloc((size_t) r->shuffle_size, sizeof *r->shuffle);
    in_reference_records_init(&r->records, index, seed);
    begin(r);
    return r;
}

void in_reference_rows_free(struct in_reference_rows *r)
{
    if (!r)
        return;
    release_batch(&r->given);
    for (uint64_t i = 0; i < r->n_shuffle; i++)
        release_batch(&r->shuffle[i]);
    in_reference_records_release(&r->records);
    in_packed_release(&r->packed);
    t2_free(r->shuffle);
    t2_free(r->places);
    t2_free(r->inputs);
    t2_free(r->targets);
    t2_free(r);
}

static void next_batch(struct in_reference_rows *r)
{
    uint64_t i;

    while (r->n_shuffle < r->shuffle_size)
        r->shuffle[r->n_shuffle++] = take_batch(r);
    i = t2_rng_below(&r->batches, r->n_shuffle);
    release_batch(&r->given);
    r->given = r->shuffle[i];
    r->shuffle[i] = r->shuffle[--r->n_shuffle];
    r->given_rows = 0;
}

const struct in_place *const *in_reference_rows_next(struct in_reference_rows *r, uint32_t *n)
{
    uint32_t at;

    if (r->given_rows == r->rows_per_batch)
        next_batch(r);
    at = r->given.begins[r->given_rows++];
    *n = r->given.begins[r->given_rows] - at;
    r->samples += *n;
    return r->given.places + at;
}

uint64_t in_reference_rows_samples(const struct in_reference_rows *r)
{
    return r->samples;
}

enum t2_status in_reference_rows_seek(struct in_reference_rows *r, uint64_t samples,
                                      struct t2_err *err)
{
    if (samples >> 50 != 0)
        return t2_fail(err, T2_EFORMAT, "position %" PRIu64 " of the sample order cannot be right",
                       samples);
    begin(r);
    while (r->samples < samples) {
        next_batch(r);
        r->given_rows = r->rows_per_batch;
        r->samples += r->given.n_places;
    }
    if (r->samples != samples)
        return t2_fail(err, T2_EFORMAT,
                       "position %" PRIu64
                       " of the sample order is inside a batch: the data or the "
                       "hparams are not those of the run that is to be continued",
                       samples);
    return T2_OK;
}
