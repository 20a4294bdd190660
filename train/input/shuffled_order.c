/*
 * train/input/shuffled_order.c - batches of a training order (order.h) over an index that is sorted
 * by bucket.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/batch_order.h"
#include "train/input/order.h"

struct shuffled {
    const struct in_index *index; /* its places sorted by bucket */
    struct in_order order;
    uint64_t *starts; /* (n_buckets): the first place of a bucket */
    struct in_cursor cursor;
};

static enum t2_status next(void *state, struct in_members *m)
{
    struct shuffled *s = state;
    struct in_batch_name name = in_order_next(&s->order, &s->cursor);
    const struct in_place *places = s->index->places + s->starts[name.bucket];

    for (int32_t i = 0; i < s->order.sizes[name.bucket]; i++) {
        uint64_t position = name.first + (uint64_t) i;

        in_members_add(m, &places[in_order_sample(&s->order, name.bucket, position)],
                       position / s->order.counts[name.bucket]);
        in_members_end_row(m);
    }
    m->samples = s->cursor.samples;
    return T2_OK;
}

static enum t2_status seek(void *state, uint64_t samples, struct t2_err *err)
{
    struct shuffled *s = state;

    return in_order_seek(&s->order, samples, &s->cursor, err);
}

static double batches_per_epoch(const void *state)
{
    const struct shuffled *s = state;

    return in_order_batches_per_epoch(&s->order);
}

static void release(void *state)
{
    struct shuffled *s = state;

    in_order_release(&s->order);
    t2_free(s->starts);
    t2_free(s);
}

static const struct in_order_kind kind = {.next = next,
                                          .seek = seek,
                                          .batches_per_epoch = batches_per_epoch,
                                          .free = release};

/* Sorts the places by bucket, and stays in file order within one; *starts is owned by the
 * caller. */
static enum t2_status sort_by_bucket(const struct in_order_data *data, uint64_t **starts,
                                     struct t2_err *err)
{
    struct in_index *index = data->index;
    struct in_place *sorted = t2_try_alloc((size_t) index->n, sizeof *sorted);
    size_t n_buckets = (size_t) data->scheme->n_boundaries + 1;
    uint64_t *at;

    if (!sorted)
        return t2_fail(err, T2_ENOMEM,
                       "no memory to sort %" PRIu64 " samples by length (16 bytes each)", index->n);
    *starts = t2_alloc(n_buckets, sizeof **starts);
    at = t2_alloc(n_buckets, sizeof *at);
    for (size_t b = 1; b < n_buckets; b++)
        (*starts)[b] = (*starts)[b - 1] + data->counts[b - 1];
    memcpy(at, *starts, n_buckets * sizeof *at);
    for (uint64_t i = 0; i < index->n; i++) {
        const struct in_place *p = &index->places[i];

        sorted[at[in_scheme_bucket(data->scheme, in_place_length(p))]++] = *p;
    }
    t2_free(at);
    t2_free(index->places);
    index->places = sorted;
    return T2_OK;
}

enum t2_status in_shuffled_order(const struct in_order_data *data, struct in_batch_order *order,
                                 struct t2_err *err)
{
    struct shuffled *s;
    uint64_t *starts = NULL;

    T2_TRY(sort_by_bucket(data, &starts, err));
    s = t2_alloc(1, sizeof *s);
    s->index = data->index;
    s->starts = starts;
    in_order_init(&s->order, data->seed, data->scheme->n_boundaries + 1, data->scheme->batch_sizes,
                  data->counts);
    *order = (struct in_batch_order){.kind = &kind, .state = s};
    return T2_OK;
}
