/*
 * train/input/packed_order.c - batches of rows that are packed on the fly: of a shuffled order or a
 * pass (pack.h), and of the original's buffers (reference_rows.h).
 */
#include "base/alloc.h"
#include "train/input/batch_order.h"
#include "train/input/pack.h"
#include "train/input/reference_rows.h"

struct packed {
    struct in_packer *packer;            /* or */
    struct in_reference_rows *reference; /* the other is NULL */
    int32_t n_rows;                      /* of a batch */
    double batches_per_epoch;
};

static void add_row(struct in_members *m, const struct in_place *const *row, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        in_members_add(m, row[i], 0);
    in_members_end_row(m);
}

static enum t2_status next(void *state, struct in_members *m)
{
    struct packed *p = state;
    const struct in_place *const *row;
    uint32_t n;

    while (m->n_rows < p->n_rows && in_packer_next(p->packer, &row, &n) == T2_OK)
        add_row(m, row, n);
    m->samples = in_packer_samples(p->packer);
    return m->n_rows > 0 ? T2_OK : T2_EOF;
}

static enum t2_status next_reference(void *state, struct in_members *m)
{
    struct packed *p = state;

    while (m->n_rows < p->n_rows) {
        uint32_t n;
        const struct in_place *const *row = in_reference_rows_next(p->reference, &n);

        add_row(m, row, n);
    }
    m->samples = in_reference_rows_samples(p->reference);
    return T2_OK;
}

static enum t2_status seek(void *state, uint64_t samples, struct t2_err *err)
{
    struct packed *p = state;

    return in_packer_seek(p->packer, samples, err);
}

static enum t2_status begin_again(void *state, uint64_t samples, struct t2_err *err)
{
    (void) samples;
    return seek(state, 0, err);
}

static enum t2_status seek_reference(void *state, uint64_t samples, struct t2_err *err)
{
    struct packed *p = state;

    return in_reference_rows_seek(p->reference, samples, err);
}

static double batches_per_epoch(const void *state)
{
    const struct packed *p = state;

    return p->batches_per_epoch;
}

static void release(void *state)
{
    struct packed *p = state;

    in_packer_free(p->packer);
    in_reference_rows_free(p->reference);
    t2_free(p);
}

static const struct in_order_kind shuffled = {.next = next,
                                              .seek = seek,
                                              .batches_per_epoch = batches_per_epoch,
                                              .free = release};
static const struct in_order_kind pass = {.next = next,
                                          .seek = begin_again,
                                          .batches_per_epoch = batches_per_epoch,
                                          .free = release};
static const struct in_order_kind reference = {.next = next_reference,
                                               .seek = seek_reference,
                                               .batches_per_epoch = batches_per_epoch,
                                               .free = release};

/* From the first windows, in the order of the packer; the rows of the original's order are of the
 * same samples, and about as many. */
static double estimate(const struct in_packer *packer, const struct in_index *index, int32_t n_rows)
{
    return in_packer_rows_per_sample(packer) * (double) index->n / (double) n_rows;
}

void in_packed_order(const struct in_index *index, struct in_packing_rule rule, bool endless,
                     uint64_t seed, struct in_batch_order *order)
{
    struct packed *p = t2_alloc(1, sizeof *p);

    p->packer = in_packer_new(index, rule.form, rule.length, endless, seed);
    p->n_rows = rule.n_rows;
    p->batches_per_epoch = estimate(p->packer, index, rule.n_rows);
    *order = (struct in_batch_order){.kind = endless ? &shuffled : &pass, .state = p};
}

void in_reference_packed_order(const struct in_order_data *data, struct in_packing_rule rule,
                               struct in_batch_order *order)
{
    struct packed *p = t2_alloc(1, sizeof *p);
    struct in_packer *packer = in_packer_new(data->index, rule.form, rule.length, true, data->seed);

    p->reference = in_reference_rows_new(data->index, rule.form, rule.length, rule.n_rows,
                                         data->batch_shuffle_size, data->seed);
    p->n_rows = rule.n_rows;
    p->batches_per_epoch = estimate(packer, data->index, rule.n_rows);
    in_packer_free(packer);
    *order = (struct in_batch_order){.kind = &reference, .state = p};
}
