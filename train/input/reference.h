/*
 * train/input/reference.h - batches through the original's buffers (--order=reference).
 *
 * Problem.dataset and Problem.input_fn; spec t2t-trainer.md §2.2.  The files in an order that is
 * drawn once; records of eight files in turn; a shuffle buffer of 1024 records, filled again every
 * epoch; epoch after epoch, of which a random number of samples, up to those of the first file, is
 * skipped once; buckets, which keep their rest from epoch to epoch; a shuffle buffer of
 * batch_shuffle_size batches.
 *
 * The structure is the original's, the random numbers are ours: TensorFlow's cannot be repeated
 * (the original's reading threads race).  Two more differences: samples that are too long or too
 * short are dropped before the buffers, not behind them, and a run that is continued goes on where
 * it was, instead of at another random place.
 *
 * Unlike order.h this has a history: a position is found by running the buffers from the beginning,
 * on numbers alone, some ten million samples a second.
 */
#ifndef IN_REFERENCE_H
#define IN_REFERENCE_H

#include <stdint.h>

#include "base/err.h"
#include "train/input/index.h"
#include "train/input/scheme.h"

struct in_reference;

/* index and scheme are borrowed; the index has samples and is in the order of its files. */
struct in_reference *in_reference_new(const struct in_index *index, const struct in_scheme *scheme,
                                      int64_t batch_shuffle_size, uint64_t seed);
void in_reference_free(struct in_reference *r);

/* The next batch: numbers of samples in the index (*n), borrowed until the next call. */
const uint64_t *in_reference_next(struct in_reference *r, int32_t *n);
/* Of that batch (n): the round of the data in which each sample came out of the buffer of
 * records. */
const uint64_t *in_reference_epochs(const struct in_reference *r);
uint64_t in_reference_samples(const struct in_reference *r); /* in all batches given so far */
/* T2_EFORMAT when that is inside a batch. */
T2_MUST_CHECK enum t2_status in_reference_seek(struct in_reference *r, uint64_t samples,
                                               struct t2_err *err);

#endif
