/*
 * tfrec/show.h - records to stdout, as the flags of row_flags.h say: for head, tail, sample, cat.
 */
#ifndef REC_SHOW_H
#define REC_SHOW_H

#include <stdint.h>

#include "tfrec/row_flags.h"
#include "tfrecord/inputs.h"
#include "tfrecord/record_stream.h"

/* The start of these commands: parses flags, reads those of the rows, then finds the inputs, so
 * that wrong usage is reported first.  n (may be NULL) must not be negative.  rows and in are
 * released by the caller, also on failure. */
T2_MUST_CHECK enum t2_status rec_show_parse(const struct t2_tool *tool, int argc, char **argv,
                                            struct rec_row_options *rows, struct tfr_inputs *in,
                                            const int64_t *n, struct t2_err *err);

/* Records first <= number < end of the inputs; numbers are shown with shift added. */
struct rec_range {
    uint64_t first, end, shift;
};

/* Appends one record's text; options are those given to rec_show_with. */
typedef enum t2_status rec_show_fn(const void *options, struct rec_row *r, uint64_t number,
                                   struct t2_slice record, struct t2_buf *text, struct t2_err *err);

/*
 * Shows the range on many threads, in order.  A record that fails ends it, after the records before
 * it were written; the message says which it is.  Reads no further than the range.  Memory: a few
 * MiB of records and their text for each thread.
 */
T2_MUST_CHECK enum t2_status rec_show_with(const struct tfr_inputs *in, rec_show_fn *show,
                                           const void *options, const struct rec_range *range,
                                           struct t2_err *err);
/* The same with rec_row_show. */
T2_MUST_CHECK enum t2_status rec_show_range(const struct tfr_inputs *in,
                                            const struct rec_row_options *o,
                                            const struct rec_range *range, struct t2_err *err);

#endif
