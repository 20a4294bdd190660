/*
 * train/input/batch_order.h - an order: which samples make the next batch.  A table of functions
 * for each kind; none of them reads a sample.
 *
 *                     a sample a row          rows packed on the fly (pack.h)
 *   shuffled          in_shuffled_order       in_packed_order, endless      order.h
 *   reference         in_reference_order      in_reference_packed_order     reference.h
 *   mixed             in_mixed_order          -                             mixed_order.c
 *   one pass          in_pass_order           in_packed_order               order.h
 *
 * What an order gives depends on the seed and the data alone, not on ranks or threads, and the
 * number of samples consumed names a place in it.
 */
#ifndef IN_BATCH_ORDER_H
#define IN_BATCH_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/members.h"
#include "train/input/scheme.h"

struct in_order_kind {
    /* Fills *m, which is cleared, and its samples.  T2_EOF behind the last batch of a pass. */
    enum t2_status (*next)(void *state, struct in_members *m);
    /* The next batch is the one behind so many samples; a pass only begins again.  T2_EFORMAT: it
     * belongs to other data or other hparams. */
    enum t2_status (*seek)(void *state, uint64_t samples, struct t2_err *err);
    double (*batches_per_epoch)(const void *state); /* estimated where rows are packed */
    uint64_t (*memory_bytes)(const void *state);    /* what grows with the data */
    void (*free)(void *state);
};

struct in_batch_order {
    const struct in_order_kind *kind; /* NULL: none */
    void *state;
};

/* Members of the next batch, borrowed until the next call; and so on, as in the table above. */
T2_MUST_CHECK enum t2_status in_batch_order_next(struct in_batch_order *o, struct in_members *m);
T2_MUST_CHECK enum t2_status in_batch_order_seek(struct in_batch_order *o, uint64_t samples,
                                                 struct t2_err *err);
double in_batch_order_per_epoch(const struct in_batch_order *o);
uint64_t in_batch_order_bytes(const struct in_batch_order *o);
void in_batch_order_free(struct in_batch_order *o);

/* What the orders of training need.  index and scheme are borrowed, counts (samples of each of the
 * scheme's buckets) is copied. */
struct in_order_data {
    struct in_index *index;
    const struct in_scheme *scheme;
    const uint64_t *counts;     /* (n_boundaries + 1) */
    int64_t batch_shuffle_size; /* of the original's order */
    uint64_t seed;
};

/* Sorts the index by bucket.  T2_ENOMEM. */
T2_MUST_CHECK enum t2_status in_shuffled_order(const struct in_order_data *data,
                                               struct in_batch_order *order, struct t2_err *err);
void in_reference_order(const struct in_order_data *data, struct in_batch_order *order);
/* Every sample once.  full_only: what does not fill the last batch is left out.  T2_EUNSUPPORTED:
 * too many samples. */
T2_MUST_CHECK enum t2_status in_pass_order(const struct in_index *index,
                                           const struct in_scheme *scheme, bool full_only,
                                           struct in_batch_order *order, struct t2_err *err);

/* Of an index of several problems (mixed_order.c); mix is copied.  T2_EFORMAT: one that has a share
 * has no sample. */
struct in_task_mix;
T2_MUST_CHECK enum t2_status in_mixed_order(const struct in_order_data *data,
                                            const struct in_task_mix *mix,
                                            struct in_batch_order *order, struct t2_err *err);
/* Samples of several problems in turn, for a pass.  T2_ENOMEM. */
T2_MUST_CHECK enum t2_status in_interleave_tasks(struct in_index *index, struct t2_err *err);

/* Rows that are packed on the fly, n_rows of them a batch. */
struct in_packing_rule {
    enum in_packing form;
    int32_t length, n_rows;
};
/* endless: shuffled, epoch after epoch; else one pass.  The index has samples. */
void in_packed_order(const struct in_index *index, struct in_packing_rule rule, bool endless,
                     uint64_t seed, struct in_batch_order *order);
void in_reference_packed_order(const struct in_order_data *data, struct in_packing_rule rule,
                               struct in_batch_order *order);

#endif
