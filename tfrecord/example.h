/*
 * tfrecord/example.h - tf.train.Example: build and parse, without allocation per feature.
 *
 * Wire format and typing rules: spec t2t-datagen.md §3.2, §3.3.  Map keys are written in ascending
 * byte order, so equal content gives equal bytes.
 */
#ifndef TFR_EXAMPLE_H
#define TFR_EXAMPLE_H

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

/* Appends the serialised Example to out.  features may come in any order; names must differ. */
void tfr_example_build(struct t2_buf *out, const struct tfr_feature *features, size_t n_features);

/* The usual text record: int64 lists of int32 ids.  Names in ascending order. */
void tfr_example_build_ids(struct t2_buf *out, size_t n_features, const char *const *names,
                           const int32_t *const *ids, const size_t *n_ids);

/* ---- parse ---- */

/* A feature as found in a record; borrowed from the record's bytes. */
struct tfr_view {
    struct t2_slice name;
    enum tfr_kind kind;
    size_t n;               /* number of values */
    struct t2_slice list;   /* body of the BytesList / FloatList / Int64List message */
};

/* Features of one record; zero-initialise, reuse, release.  Last of equal names wins. */
struct tfr_example {
    struct tfr_view *views;
    size_t n;
    size_t capacity;
};

/* T2_EFORMAT (message without file name: the caller adds it) names the byte offset. */
T2_MUST_CHECK enum t2_status tfr_example_parse(struct tfr_example *ex, struct t2_slice record,
                                               struct t2_err *err);
void tfr_example_release(struct tfr_example *ex);
const struct tfr_view *tfr_example_find(const struct tfr_example *ex, const char *name);

/* Copy n values out; v->kind must match. */
void tfr_view_ints(const struct tfr_view *v, int64_t *out);
/* Same, checked into int32: false when a value does not fit. */
int tfr_view_ids(const struct tfr_view *v, int32_t *out);
void tfr_view_floats(const struct tfr_view *v, float *out);
void tfr_view_bytes(const struct tfr_view *v, struct t2_slice *out);

#endif
