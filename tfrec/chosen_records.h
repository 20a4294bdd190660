/*
 * tfrec/chosen_records.h - a bounded number of records, chosen while all pass by: those with the
 * smallest keys.  For tail of a pipe (the key falls from record to record) and sample (the key is
 * random).
 */
#ifndef REC_CHOSEN_RECORDS_H
#define REC_CHOSEN_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrec/rows.h"
#include "tfrecord/record_stream.h"

struct rec_chosen {
    uint64_t key, number, first_in_file, offset;
    const char *path; /* borrowed from the inputs */
    struct t2_buf payload;
};

/* Zero-initialise but for capacity; release.  Memory: the payloads kept. */
struct rec_keeper {
    size_t capacity;
    struct rec_chosen *kept; /* a heap, the largest key on top */
    size_t n, allocated;
};

/* Takes record i of b in, or not; equal keys are ordered by number. */
void rec_keep(struct rec_keeper *k, uint64_t key, const struct tfr_batch *b, size_t i);
/* All kept, in the order of their numbers, to stdout. */
T2_MUST_CHECK enum t2_status rec_keeper_show(struct rec_keeper *k, const struct rec_row_options *o,
                                             struct t2_err *err);
void rec_keeper_release(struct rec_keeper *k);

#endif
