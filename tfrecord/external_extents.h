/*
 * tfrecord/external_extents.h - the part of a bucket of external_shuffle.h that is in its temporary
 * file: where it is, all of it, or one item (external_order.h) after another.
 */
#ifndef TFR_EXTERNAL_EXTENTS_H
#define TFR_EXTERNAL_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tfr_external_file;

/* Zero-initialise, release. */
struct tfr_extents {
    struct tfr_extent {
        uint64_t offset, len_bytes;
    } * items;
    size_t n;
};
void tfr_extents_add(struct tfr_extents *x, uint64_t offset, uint64_t len_bytes);
uint64_t tfr_extents_bytes(const struct tfr_extents *x);
/* All bytes, one extent after another.  Any thread. */
T2_MUST_CHECK enum t2_status tfr_extents_read(const struct tfr_extents *x,
                                              const struct tfr_external_file *f, uint8_t *to,
                                              struct t2_err *err);
/* Gives the extents back.  f may be NULL when there are none. */
void tfr_extents_forget(const struct tfr_extents *x, struct tfr_external_file *f);
void tfr_extents_release(struct tfr_extents *x);

/* Items that may begin and end in the middle of extents, through a small window.  Initialise file
 * and extents (borrowed), the rest with zero. */
struct tfr_item_reader {
    const struct tfr_external_file *file;
    const struct tfr_extents *extents;
    size_t extent;
    uint64_t at; /* in the extent: what is not yet in the window */
    struct t2_buf window;
    size_t pos; /* in the window */
    struct t2_buf item;
};
/* The next of the items, which must be there; frame is borrowed until the next call. */
T2_MUST_CHECK enum t2_status tfr_item_reader_next(struct tfr_item_reader *r, uint64_t *key,
                                                  struct t2_slice *frame, struct t2_err *err);
void tfr_item_reader_release(struct tfr_item_reader *r);

#endif
