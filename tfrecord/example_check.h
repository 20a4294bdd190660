/*
 * tfrecord/example_check.h - an Example that protobuf accepts and TensorFlow's parse_example does
 * not, or reads otherwise; and the name of the field at a byte.
 *
 * For commands that look for damage; example.h reads records.  The differences were found with
 * TensorFlow 1.15 and 2.21 (goldens/formats/README.md of the shared data).
 */
#ifndef TFR_EXAMPLE_CHECK_H
#define TFR_EXAMPLE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Something odd; words is a constant and complete: "the Feature has a list twice; parse_example
 * ...". */
struct tfr_oddity {
    const char *words;
    size_t offset;        /* of the odd field in the record */
    struct t2_slice name; /* of the feature, borrowed from the record; empty when it has none */
};

/*
 * Finds what is odd in a record that tfr_example_parse accepts: up to capacity oddities, in the
 * order of their offsets, at most one of each kind in a feature.  Returns how many.
 */
size_t tfr_example_oddities(struct t2_slice record, struct tfr_oddity *found, size_t capacity);

/* Has the record, whose tags can be followed, a field of this number beside the features? */
bool tfr_has_field(struct t2_slice record, uint32_t number);

/* "features.feature['inputs'].int64_list" for a byte of a record; as far as the record can be
 * followed. Appended to path. */
void tfr_example_path(struct t2_slice record, size_t offset, struct t2_buf *path);

#endif
