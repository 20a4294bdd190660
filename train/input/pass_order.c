/*
 * train/input/pass_order.c - batches of one pass over all samples (order.h).
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "train/input/batch_order.h"
#include "train/input/order.h"

struct pass {
    const struct in_index *index;
    struct in_pass pass;
    int32_t least;       /* smaller batches are left out */
    uint64_t next_batch; /* of pass */
    uint64_t samples;    /* given so far */
};

static enum t2_status next(void *state, struct in_members *m)
{
    struct pass *p = state;
    uint64_t begin, end;

    if (p->next_batch == p->pass.n_batches)
        return T2_EOF;
    begin = p->pass.begins[p->next_batch];
    end = p->pass.begins[++p->next_batch];
    if (end - begin < (uint64_t) p->least)
        return T2_EOF;
    for (uint64_t i = begin; i < end; i++) {
        in_members_add(m, &p->index->places[p->pass.samples[i]], 0);
        in_members_end_row(m);
    }
    p->samples += end - begin;
    m->samples = p->samples;
    return T2_OK;
}

static enum t2_status begin_again(void *state, uint64_t samples, struct t2_err *err)
{
    struct pass *p = state;

    (void) samples;
    (void) err;
    p->next_batch = 0;
    p->samples = 0;
    return T2_OK;
}

static double batches_per_epoch(const void *state)
{
    const struct pass *p = state;

    return (double) p->pass.n_batches;
}

static uint64_t memory_bytes(const void *state)
{
    const struct pass *p = state;

    return p->index->n * sizeof *p->pass.samples;
}

static void release(void *state)
{
    struct pass *p = state;

    in_pass_release(&p->pass);
    t2_free(p);
}

static const struct in_order_kind kind = {.next = next,
                                          .seek = begin_again,
                                          .batches_per_epoch = batches_per_epoch,
                                          .memory_bytes = memory_bytes,
                                          .free = release};

enum t2_status in_pass_order(const struct in_index *index, const struct in_scheme *scheme,
                             bool full_only, struct in_batch_order *order, struct t2_err *err)
{
    struct pass *p;
    uint16_t *buckets;

    if (index->n >= UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED, "an evaluation of %" PRIu64 " samples is too large",
                       index->n);
    p = t2_alloc(1, sizeof *p);
    p->index = index;
    p->least = full_only ? scheme->batch_sizes[0] : 0;
    buckets = t2_alloc((size_t) index->n, sizeof *buckets);
    for (uint64_t i = 0; i < index->n; i++)
        buckets[i] = (uint16_t) in_scheme_bucket(scheme, in_place_length(&index->places[i]));
    in_pass_init(&p->pass, (uint32_t) index->n, buckets, scheme->n_boundaries + 1,
                 scheme->batch_sizes);
    t2_free(buckets);
    *order = (struct in_batch_order){.kind = &kind, .state = p};
    return T2_OK;
}
