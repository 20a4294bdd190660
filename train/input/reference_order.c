/*
 * train/input/reference_order.c - batches through the original's buffers (reference.h).
 */
#include "base/alloc.h"
#include "train/input/batch_order.h"
#include "train/input/order.h"
#include "train/input/reference.h"

struct buffered {
    const struct in_index *index;
    struct in_reference *reference;
    double batches_per_epoch;
};

static enum t2_status next(void *state, struct in_members *m)
{
    struct buffered *b = state;
    int32_t n;
    const uint64_t *samples = in_reference_next(b->reference, &n);
    const uint64_t *epochs = in_reference_epochs(b->reference);

    for (int32_t i = 0; i < n; i++) {
        in_members_add(m, &b->index->places[samples[i]], epochs[i]);
        in_members_end_row(m);
    }
    m->samples = in_reference_samples(b->reference);
    return T2_OK;
}

static enum t2_status seek(void *state, uint64_t samples, struct t2_err *err)
{
    struct buffered *b = state;

    return in_reference_seek(b->reference, samples, err);
}

static double batches_per_epoch(const void *state)
{
    const struct buffered *b = state;

    return b->batches_per_epoch;
}

static void release(void *state)
{
    struct buffered *b = state;

    in_reference_free(b->reference);
    t2_free(b);
}

static const struct in_order_kind kind = {.next = next,
                                          .seek = seek,
                                          .batches_per_epoch = batches_per_epoch,
                                          .free = release};

void in_reference_order(const struct in_order_data *data, struct in_batch_order *order)
{
    struct buffered *b = t2_alloc(1, sizeof *b);

    b->index = data->index;
    b->reference =
        in_reference_new(data->index, data->scheme, data->batch_shuffle_size, data->seed);
    for (int i = 0; i <= data->scheme->n_boundaries; i++)
        b->batches_per_epoch += (double) data->counts[i] / data->scheme->batch_sizes[i];
    *order = (struct in_batch_order){.kind = &kind, .state = b};
}
