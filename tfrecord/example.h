/*
 * tfrecord/example.h - tf.train.Example: build and parse, without allocation per feature.
 *
 * Wire format and typing rules: spec t2t-datagen.md §3.2, §3.3.  Map keys are written in ascending
 * byte order, so equal content gives equal bytes.
 */
#ifndef TFR_EXAMPLE_H
#define TFR_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum tfr_kind { TFR_NONE, TFR_BYTES, TFR_FLOAT, TFR_INT64 };

/* ---- build ---- */

/* One feature to write.  Arrays are borrowed. */
struct tfr_feature {
    const char *name;
    enum tfr_kind kind;
    size_t n;
    const int64_t *ints;
    const float *floats;
    const struct t2_slice *bytes;
};

/* Appends the serialised Example to out.  features may come in any order; names must differ and be
 * UTF-8.  TFR_NONE writes a feature without a list.  Below 2 GiB in all, protobuf's limit. */
void tfr_example_build(struct t2_buf *out, const struct tfr_feature *features, size_t n_features);

/* The usual text record: int64 lists of int32 ids.  At most 32 names, in ascending byte order. */
void tfr_example_build_ids(struct t2_buf *out, size_t n_features, const char *const *names,
                           const int32_t *const *ids, const size_t *n_ids);

/* ---- parse ---- */

/*
 * A feature as found in a record; borrowed from the record's bytes.
 *
 * An odd writer may give a feature its list in pieces (two lists in a Feature, two values in a map
 * entry); protobuf joins them.  Then `joined` is set and `list` is the body of the map entry.
 */
struct tfr_view {
    struct t2_slice name;
    enum tfr_kind kind;   /* TFR_NONE: the feature has no list */
    size_t n;             /* number of values */
    struct t2_slice list; /* body of the BytesList / FloatList / Int64List message */
    bool joined;
    bool bare; /* a joined list is the body of the Feature itself: steps of a SequenceExample */
};

/* Features of one record; zero-initialise, reuse, release.  Last of equal names wins. */
struct tfr_example {
    struct tfr_view *views;
    size_t n;
    size_t capacity;
    uint32_t *slots; /* hash table of view numbers + 1, used when there are many */
    size_t n_slots;
};

/*
 * Finds the features of a serialised Example and checks every byte of it.
 *
 * Accepts and refuses what protobuf does (TensorFlow's Example.FromString): unknown fields are
 * skipped at every level, lists may be packed, unpacked or both, an entry may lack key or value.
 * TensorFlow's parse_example refuses some of that; see docs/formats.md.
 *
 * T2_EFORMAT (message without file name: the caller adds it) names the byte offset and, where it is
 * known, the feature; T2_ENOMEM when there is no memory for the views.  ex is then empty.
 */
T2_MUST_CHECK enum t2_status tfr_example_parse(struct tfr_example *ex, struct t2_slice record,
                                               struct t2_err *err);
/* The same; after T2_EFORMAT *offset is the byte of the message. */
T2_MUST_CHECK enum t2_status tfr_example_parse_at(struct tfr_example *ex, struct t2_slice record,
                                                  size_t *offset, struct t2_err *err);
/* Whether it is one, then parsed.  Memory that is short ends the program, as that of t2_alloc: an
 * answer would say that the record is something else. */
bool tfr_is_example(struct tfr_example *ex, struct t2_slice record);
void tfr_example_release(struct tfr_example *ex);
/* NULL when absent. */
const struct tfr_view *tfr_example_find(const struct tfr_example *ex, const char *name);

/* Copy v->n values out; v->kind must match.  Views come from tfr_example_parse, their record is
 * still there. */
void tfr_view_ints(const struct tfr_view *v, int64_t *out);
/* Same, checked into int32: false when a value does not fit. */
bool tfr_view_ids(const struct tfr_view *v, int32_t *out);
void tfr_view_floats(const struct tfr_view *v, float *out);
void tfr_view_bytes(const struct tfr_view *v, struct t2_slice *out);

#endif
