/*
 * tfrec/show.h - records to stdout, as the flags of row_flags.h say: for head, tail, sample, cat.
 */
#ifndef REC_SHOW_H
#define REC_SHOW_H

#include <stdint.h>

#include "tfrec/row_flags.h"
#include "tfrecord/inputs.h"
#include "tfrecord/stream.h"

struct t2_out;
struct t2_pool;

/* Records first <= number < end of the inputs; numbers are shown with shift added. */
struct rec_range {
    uint64_t first, end, shift;
};

/*
 * Shows the range on many threads, in order.  A record that is no Example ends it with T2_EFORMAT, after
 * the records before it were written.  Reads no further than the range.  Memory: a few MiB of records and
 * their text for each thread.
 */
T2_MUST_CHECK enum t2_status rec_show_range(const struct tfr_inputs *in,
                                            const struct rec_row_options *o,
                                            const struct rec_range *range, struct t2_err *err);

/* One record, for callers that hold it; path, number in its file and offset are for messages. */
T2_MUST_CHECK enum t2_status rec_show_one(const struct rec_row_options *o, struct rec_row *r,
                                          const struct tfr_batch *b, size_t i, uint64_t shift,
                                          struct t2_buf *text, struct t2_err *err);

#endif
