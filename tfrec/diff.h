/*
 * tfrec/diff.h - two sets of records compared, in order or as multisets.
 */
#ifndef REC_DIFF_H
#define REC_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "tfrec/diff_record.h"
#include "tfrecord/inputs.h"

struct t2_pool;

enum { REC_DIFF_EXAMPLES = 5 };

/* Which record of which file. */
struct rec_place {
    uint64_t number; /* over all files */
    const char *path;
    uint64_t in_file;
};

struct rec_diff {
    bool by_example; /* equal Examples are equal records */
    uint64_t max_memory;
    const char *tmp_dir;
    /* results */
    uint64_t n_a, n_b;
    uint64_t n_equal;
    uint64_t n_written_differently; /* of n_different: bytes differ, the Examples are equal */
    uint64_t n_different;           /* in order: same number, other record */
    uint64_t n_only_a, n_only_b;    /* in order: behind the end of the other */
    struct rec_place first_a, first_b;
    struct rec_differences first; /* in order: of the first pair that differs */
    /* as multisets: first records that the other has not */
    struct rec_place only_a[REC_DIFF_EXAMPLES], only_b[REC_DIFF_EXAMPLES];
};

/* Record i of a with record i of b.  Memory: a few records. */
T2_MUST_CHECK enum t2_status rec_diff_ordered(struct rec_diff *d, const struct tfr_inputs *a,
                                              const struct tfr_inputs *b, struct t2_pool *pool,
                                              struct t2_err *err);
/* How often each record is in a and in b, by 128-bit hashes (record_key.h), in max_memory. */
T2_MUST_CHECK enum t2_status rec_diff_sets(struct rec_diff *d, const struct tfr_inputs *a,
                                           const struct tfr_inputs *b, struct t2_pool *pool,
                                           struct t2_err *err);

#endif
