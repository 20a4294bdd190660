/*
 * tfrecord/example_write.h - parsed features written again: chosen, renamed, in canonical form.
 *
 * As TensorFlow's protobuf serialises deterministically: keys ascending by bytes, numbers packed,
 * each list in one piece.  Unknown fields are left out.  Building from arrays is in example.h.
 */
#ifndef TFR_EXAMPLE_WRITE_H
#define TFR_EXAMPLE_WRITE_H

#include <stddef.h>

#include "base/buf.h"
#include "tfrecord/example.h"

/* A parsed feature under a name.  Both are borrowed. */
struct tfr_named_view {
    struct t2_slice name;
    const struct tfr_view *view;
};

/* Puts features in the order of their names, in place; false when two names are equal (then *at is
 * one of them). */
bool tfr_named_views_sort(struct tfr_named_view *features, size_t n, size_t *at);

/* Appends the Example; features are sorted.  scratch: reused memory of the caller. */
void tfr_example_write(struct t2_buf *out, struct t2_buf *scratch,
                       const struct tfr_named_view *features, size_t n);

/* Appends the whole record in canonical form: equal Examples give equal bytes. */
void tfr_example_canonical(struct t2_buf *out, struct t2_buf *scratch,
                           const struct tfr_example *example);

#endif
