/*
 * train/input/sample_reader.h - reads single samples of an index, in any order.
 */
#ifndef IN_SAMPLE_READER_H
#define IN_SAMPLE_READER_H

#include <stdint.h>

#include "base/err.h"
#include "train/input/index.h"
#include "train/input/record.h"

/* One thread each.  Keeps at most 64 files open. */
struct in_sample_reader;

/* index and recipe are borrowed for the reader's life. */
struct in_sample_reader *in_sample_reader_new(const struct in_index *index,
                                              const struct in_recipe *recipe);
void in_sample_reader_free(struct in_sample_reader *r);

/*
 * *begin: where the sample begins in inputs and targets: 0, but for a piece of a record that is
 * split.  place points into the index.  *sample is borrowed until the next call.  T2_EFORMAT names
 * shard and offset when the shard is no longer what it was when the index was made: replaced, cut,
 * or other bytes in it.
 */
T2_MUST_CHECK enum t2_status in_sample_read(struct in_sample_reader *r,
                                            const struct in_place *place,
                                            const struct in_sample **sample, size_t *begin,
                                            struct t2_err *err);

#endif
