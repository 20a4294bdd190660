/*
 * tfrec/edit_append.h - records added to a data set, as new shards behind those that are there.
 *
 * Shards called "<stem>-NNNNN-of-MMMMM" get the new total in their names: they are renamed, not
 * written.
 */
#ifndef REC_EDIT_APPEND_H
#define REC_EDIT_APPEND_H

#include "tfrec/edit.h"

struct t2_pool;

struct rec_append_options {
    const struct tfr_inputs *records; /* what is added, in this order */
    const char *split;                /* NULL: the only one, else "train" */
    uint64_t
        shard_bytes; /* a new shard ends before it would be larger; 0: the mean of the old ones */
};

struct rec_append_counts {
    const char *split; /* of the manifest */
    uint64_t n_records;
    size_t n_new, n_renamed; /* shards */
};

/* Does it all but the commit.  T2_EFORMAT names the first record that does not fit into the set. */
T2_MUST_CHECK enum t2_status rec_edit_append(struct rec_edit *e, const struct rec_append_options *o,
                                             struct t2_pool *pool, struct rec_append_counts *counts,
                                             struct t2_err *err);

#endif
