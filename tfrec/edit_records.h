/*
 * tfrec/edit_records.h - dropping and changing records of a data set, shard by shard.
 *
 * All records are looked at, on all threads; only shards in which something changes are written
 * again.
 */
#ifndef REC_EDIT_RECORDS_H
#define REC_EDIT_RECORDS_H

#include "base/buf.h"
#include "tfrec/edit.h"

struct rec_where_scratch;
struct t2_pool;

enum rec_verdict { REC_KEEP, REC_DROP, REC_CHANGE };

struct rec_edit_rule {
    /*
     * What becomes of a record; number counts over the whole set, split is the record's.  For
     * REC_CHANGE the new record is appended to out.  Called on many threads, always with the same
     * answer.  The message of a failure does not name the record: the caller adds it.
     */
    enum t2_status (*judge)(const void *context, struct rec_where_scratch *scratch,
                            const struct tfr_example *ex, struct t2_slice record, uint64_t number,
                            struct t2_buf *out, enum rec_verdict *verdict, struct t2_err *err);
    bool needs_example; /* else ex may be NULL: for sets whose records are no Examples */
    const char *split;  /* only this one; NULL: all */
    const void *context;
};

struct rec_edit_counts {
    uint64_t n_dropped, n_changed;
    size_t n_shards; /* that lose or change records */
};

/* Does it all but the commit; the manifest's counts, hashes and features are then the new ones (in
 * a dry run only counts).  Without a record to drop or change nothing is staged. */
T2_MUST_CHECK enum t2_status rec_edit_records(struct rec_edit *e, const struct rec_edit_rule *rule,
                                              struct t2_pool *pool, struct rec_edit_counts *counts,
                                              struct t2_err *err);

#endif
