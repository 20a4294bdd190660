/*
 * tfrec/filter.h - the records that a condition picks, by reading them or by the columns of an
 * index.
 */
#ifndef REC_FILTER_H
#define REC_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "tfrec/row_flags.h"
#include "tfrec/where.h"
#include "tfrecord/inputs.h"

struct t2_out;
struct t2_pool;
struct tfr_sink;

struct rec_filter {
    const struct rec_where *where;
    bool invert;   /* takes those that do not match */
    bool no_index; /* reads every record even where an index would do */
    bool explain;  /* says for each file which way it goes */
    /* Where records go; neither: they are counted only. */
    struct tfr_sink *sink;
    struct t2_out *out; /* as text, by rows */
    const struct rec_row_options *rows;
    /* results */
    uint64_t n_records, n_taken;
    uint64_t n_by_index; /* of n_records */
    struct t2_strs
        unseen; /* features of the condition that no record has: misspelt?  The caller's */
};

/*
 * Files are worked on in order; what is taken and its order do not depend on threads or indexes. By
 * index (fresh, with columns for all that the condition asks) only the records that match are read,
 * so damage in others is not seen.  A record that is no Example is T2_EFORMAT when the condition
 * looks at features.
 */
T2_MUST_CHECK enum t2_status rec_filter_run(struct rec_filter *f, const struct tfr_inputs *in,
                                            struct t2_pool *pool, struct t2_err *err);

#endif
