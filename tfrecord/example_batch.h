/*
 * tfrecord/example_batch.h - many Examples as columns: all values of a feature in one array.
 *
 * What tf.io.parse_example gives as a ragged tensor: values and row splits.  Lists go from the
 * record into the column in one pass; the record is not needed afterwards.  One record at a time as
 * views: example.h.
 */
#ifndef TFR_EXAMPLE_BATCH_H
#define TFR_EXAMPLE_BATCH_H

#include "tfrecord/example.h"

/* Values of one feature.  Those of record i are splits[i] ... splits[i + 1]. */
struct tfr_column {
    char *name;
    size_t name_bytes;
    enum tfr_kind kind; /* TFR_NONE: no record so far has had a list */
    int64_t *splits;    /* n_records + 1 */
    int64_t *ints;      /* of TFR_INT64 */
    float *floats;      /* of TFR_FLOAT */
    int64_t *ends;      /* of TFR_BYTES: value k is data[ends[k] ... ends[k + 1]]; n_values + 1 */
    uint8_t *data;
    size_t n_values;

    enum tfr_kind wanted; /* the rest is example_batch.c's own */
    size_t capacity, data_capacity;
    bool seen; /* in the record that is being added */
};

struct tfr_batch {
    struct tfr_column *columns;
    size_t n_columns;
    size_t n_records;

    size_t capacity; /* of the splits */
    size_t hint;     /* column expected next: records of a file look alike */
    struct tfr_example scratch;
};

/* Columns for these features, in this order; names must differ.  kinds may be NULL, and TFR_NONE in
 * it means: the kind of the first list that comes. */
void tfr_batch_init(struct tfr_batch *b, const char *const *names, const enum tfr_kind *kinds,
                    size_t n_columns);
void tfr_batch_release(struct tfr_batch *b);
/* No records; memory and kinds that were asked for stay. */
void tfr_batch_clear(struct tfr_batch *b);

/*
 * Adds a record.  A feature that it lacks (or that has no list) is an empty row.  Accepts and
 * refuses what tfr_example_parse does, also in features that are not asked for.
 *
 * T2_EFORMAT as tfr_example_parse, or when a list has another kind than its column; T2_ENOMEM.  The
 * batch is then as before the call.
 */
T2_MUST_CHECK enum t2_status tfr_batch_add(struct tfr_batch *b, struct t2_slice record,
                                           struct t2_err *err);

#endif
