/*
 * tfrecord/example_lists.h - BytesList, FloatList, Int64List: counting and checking what is in one.
 *
 * Between example_parse.c, which finds the lists, and example_values.c, which copies values out.
 */
#ifndef TFR_EXAMPLE_LISTS_H
#define TFR_EXAMPLE_LISTS_H

#include "base/protobuf.h"
#include "tfrecord/example.h"

enum {
    TFR_TAG_1 = T2_TAG(1, T2_WIRE_BYTES),
    TFR_TAG_2 = T2_TAG(2, T2_WIRE_BYTES),
    TFR_TAG_3 = T2_TAG(3, T2_WIRE_BYTES),
    TFR_TAG_1_VARINT = T2_TAG(1, T2_WIRE_VARINT),
    TFR_TAG_1_FIXED32 = T2_TAG(1, T2_WIRE_FIXED32)
};

/* Messages around a field, for the limit on nesting: Example, Features, entry, Feature, list. */
enum { TFR_IN_EXAMPLE, TFR_IN_FEATURES, TFR_IN_ENTRY, TFR_IN_FEATURE, TFR_IN_LIST };

/* What is wrong and where; `what` is NULL when nothing is. */
struct tfr_trouble {
    const char *what;
    const uint8_t *at;
};

/* Adds the number of values in the body of a list to *n. */
bool tfr_list_count(enum tfr_kind kind, struct t2_slice list, size_t *n, struct tfr_trouble *t);
/* The same for a packed run of int64. */
bool tfr_packed_count(struct t2_slice run, size_t *n, struct tfr_trouble *t);
/* Takes the lists of a Feature message into v, after what v already has (example_parse.c). */
bool tfr_feature_parse(struct tfr_view *v, struct t2_slice body, struct tfr_trouble *t);

#endif
