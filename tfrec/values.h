/*
 * tfrec/values.h - the values of a feature as an array, in memory that is used again.
 */
#ifndef REC_VALUES_H
#define REC_VALUES_H

#include "tfrecord/example.h"

/* Zero-initialise, reuse, release.  One of the three arrays is set, by kind. */
struct rec_values {
    enum tfr_kind kind;
    size_t n;
    const int64_t *ints;
    const float *floats;
    const struct t2_slice *bytes; /* borrowed from the record */
    void *memory;
    size_t memory_bytes;
};

/* T2_ENOMEM when there is no room for so many values; the message names the feature. */
T2_MUST_CHECK enum t2_status rec_values_load(struct rec_values *v, const struct tfr_view *view,
                                             struct t2_err *err);
void rec_values_release(struct rec_values *v);

#endif
