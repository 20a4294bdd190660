/*
 * train/input/mixed_order.c - training on several problems: samples are drawn one by one, of which
 * problem by task_mix.h, and fill the batches of their lengths.
 *
 * Sample number k (from 1) is of a problem that (seed, k) draws; it is the next one of that
 * problem's own shuffled stream, epoch after epoch.  It goes to the bucket of its length, and the
 * bucket that becomes full is the next batch.  What lies in the buckets is history: a place in the
 * order is found by doing it again from the beginning, some ten million samples a second, without
 * reading any.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/signals.h"
#include "train/input/batch_order.h"
#include "train/input/order.h"
#include "train/input/task_mix.h"

enum { SOME_BATCHES = 4096 }; /* between looks at interrupts */

/* The samples of a problem, which lie in a row in the index. */
struct stream {
    uint64_t first, n;
    uint64_t drawn; /* so far */
    struct t2_perm perm;
};

struct bucket {
    uint64_t *places, *epochs; /* (size) */
    int32_t n, size;
};

struct mixed {
    const struct in_index *index;
    const struct in_scheme *scheme;
    struct in_task_mix mix;
    uint64_t seed;
    uint64_t number;  /* of samples drawn */
    uint64_t samples; /* of them, given in batches */
    struct stream streams[IN_MOST_TASKS];
    struct bucket *buckets; /* (n_boundaries + 1) */
    double batches_per_epoch;
};

static void begin_again(struct mixed *m)
{
    m->number = m->samples = 0;
    for (int i = 0; i < m->mix.n; i++)
        m->streams[i].drawn = 0;
    for (int b = 0; b <= m->scheme->n_boundaries; b++)
        m->buckets[b].n = 0;
}

/* The place in the index, and which round of its problem this is. */
static uint64_t draw(struct mixed *m, uint64_t *epoch)
{
    struct t2_rng rng;
    struct stream *s;
    int task;

    m->number++;
    t2_rng_init(&rng, m->seed, T2_RNG_TASK, m->number, 0);
    task = in_task_mix_draw(&m->mix, m->number, t2_rng_uniform_double(&rng));
    s = &m->streams[task];
    *epoch = s->drawn / s->n;
    if (s->drawn % s->n == 0)
        t2_perm_init(&s->perm, s->n, m->seed, T2_RNG_TASK,
                     *epoch * (uint64_t) m->mix.n + (uint64_t) task);
    return s->first + t2_perm_at(&s->perm, s->drawn++ % s->n);
}

/* Draws until a bucket is full, which is emptied by the next call. */
static const struct bucket *fill(struct mixed *m)
{
    for (;;) {
        uint64_t epoch, place = draw(m, &epoch);
        int32_t length = in_place_length(&m->index->places[place]);
        struct bucket *b = &m->buckets[in_scheme_bucket(m->scheme, length)];

        if (b->n == b->size)
            b->n = 0;
        b->places[b->n] = place;
        b->epochs[b->n++] = epoch;
        if (b->n == b->size) {
            m->samples += (uint64_t) b->size;
            return b;
        }
    }
}

static enum t2_status next(void *state, struct in_members *members)
{
    struct mixed *m = state;
    const struct bucket *b = fill(m);

    for (int32_t i = 0; i < b->n; i++) {
        in_members_add(members, &m->index->places[b->places[i]], b->epochs[i]);
        in_members_end_row(members);
    }
    members->samples = m->samples;
    return T2_OK;
}

static enum t2_status seek(void *state, uint64_t samples, struct t2_err *err)
{
    struct mixed *m = state;

    if (samples < m->samples)
        begin_again(m);
    for (uint64_t n = 0; m->samples < samples; n++) {
        (void) fill(m);
        if (n % SOME_BATCHES == 0)
            T2_TRY(t2_check_interrupt(err));
    }
    if (m->samples == samples)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "sample %" PRIu64 " is inside a batch: the checkpoint belongs to other data, "
                   "other batch sizes or another mixture of problems",
                   samples);
}

static double batches_per_epoch(const void *state)
{
    const struct mixed *m = state;

    return m->batches_per_epoch;
}

static uint64_t memory_bytes(const void *state)
{
    const struct mixed *m = state;
    uint64_t bytes = 0;

    for (int b = 0; b <= m->scheme->n_boundaries; b++)
        bytes += (uint64_t) m->buckets[b].size * 2 * sizeof *m->buckets[b].places;
    return bytes;
}

static void release(void *state)
{
    struct mixed *m = state;

    for (int b = 0; b <= m->scheme->n_boundaries; b++) {
        t2_free(m->buckets[b].places);
        t2_free(m->buckets[b].epochs);
    }
    t2_free(m->buckets);
    t2_free(m);
}

static const struct in_order_kind kind = {.next = next,
                                          .seek = seek,
                                          .batches_per_epoch = batches_per_epoch,
                                          .memory_bytes = memory_bytes,
                                          .free = release};

enum t2_status in_mixed_order(const struct in_order_data *data, const struct in_task_mix *mix,
                              struct in_batch_order *order, struct t2_err *err)
{
    size_t n_buckets = (size_t) data->scheme->n_boundaries + 1;
    uint64_t first = 0;
    struct mixed *m;

    for (int i = 0; i < mix->n; i++)
        if (data->index->tasks[i].n_kept == 0 && in_task_mix_uses(mix, i))
            return t2_fail(err, T2_EFORMAT,
                           "problem %d of %d has no sample to train on: of %" PRIu64
                           " records none has a length from %" PRId32 " to %" PRId32,
                           i + 1, mix->n, data->index->tasks[i].n_records, data->scheme->min_length,
                           data->scheme->max_length);
    m = t2_alloc(1, sizeof *m);
    m->index = data->index;
    m->scheme = data->scheme;
    m->mix = *mix;
    m->seed = data->seed;
    for (int i = 0; i < mix->n; i++) {
        m->streams[i] = (struct stream){.first = first, .n = data->index->tasks[i].n_kept};
        first += m->streams[i].n;
    }
    m->buckets = t2_alloc(n_buckets, sizeof *m->buckets);
    for (size_t b = 0; b < n_buckets; b++) {
        size_t size = (size_t) data->scheme->batch_sizes[b];

        if (data->counts[b] == 0)
            continue;
        m->buckets[b] = (struct bucket){.places = t2_alloc(size, sizeof(uint64_t)),
                                        .epochs = t2_alloc(size, sizeof(uint64_t)),
                                        .size = (int32_t) size};
        m->batches_per_epoch += (double) data->counts[b] / (double) size;
    }
    *order = (struct in_batch_order){.kind = &kind, .state = m};
    return T2_OK;
}

/* ---- evaluation ---- */

/* A sample of each problem in turn, as long as it has some: what is evaluated is of all, however
 * early an evaluation ends. */
enum t2_status in_interleave_tasks(struct in_index *index, struct t2_err *err)
{
    uint64_t at[IN_MOST_TASKS], end[IN_MOST_TASKS], n = 0, first = 0;
    struct in_place *places = t2_try_alloc((size_t) index->n + 1, sizeof *places);

    if (!places)
        return t2_fail(err, T2_ENOMEM, "no memory to order %" PRIu64 " samples (16 bytes each)",
                       index->n);
    for (int i = 0; i < index->n_tasks; i++) {
        at[i] = first;
        end[i] = first += index->tasks[i].n_kept;
    }
    while (n < index->n)
        for (int i = 0; i < index->n_tasks; i++)
            if (at[i] < end[i])
                places[n++] = index->places[at[i]++];
    t2_free(index->places);
    index->places = places;
    return T2_OK;
}
