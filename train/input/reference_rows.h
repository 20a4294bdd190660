/*
 * train/input/reference_rows.h - packing on the fly with --order=reference.
 *
 * The original's stages, spec t2t-trainer.md §2.2: records as in reference.h; packed (pack.h),
 * window by window, the last of an epoch being what is left of it; epoch after epoch of rows, of
 * which a random number, up to the records of the first file, is skipped once; batches of
 * rows_per_batch rows; a shuffle buffer of batch_shuffle_size batches.  What reference.h says of
 * random numbers and positions holds here.
 */
#ifndef IN_REFERENCE_ROWS_H
#define IN_REFERENCE_ROWS_H

#include <stdint.h>

#include "base/err.h"
#include "train/input/index.h"
#include "train/input/pack.h"

struct in_reference_rows;

/* index is borrowed; it has samples and is in the order of its files. */
struct in_reference_rows *in_reference_rows_new(const struct in_index *index, enum in_packing form,
                                                int32_t length, int32_t rows_per_batch,
                                                int64_t batch_shuffle_size, uint64_t seed);
void in_reference_rows_free(struct in_reference_rows *r);

/* The next row of a batch, and after rows_per_batch of them of another: its places (*n), borrowed
 * until the next call. */
const struct in_place *const *in_reference_rows_next(struct in_reference_rows *r, uint32_t *n);
/* In all rows given so far. */
uint64_t in_reference_rows_samples(const struct in_reference_rows *r);
/* T2_EFORMAT when that is inside a batch. */
T2_MUST_CHECK enum t2_status in_reference_rows_seek(struct in_reference_rows *r, uint64_t samples,
                                                    struct t2_err *err);

#endif
