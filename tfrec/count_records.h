/*
 * tfrec/count_records.h - how many records files have, by the cheapest way that can be trusted.
 */
#ifndef REC_COUNT_RECORDS_H
#define REC_COUNT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tfrecord/inputs.h"

struct t2_pool;

enum rec_count_by { REC_COUNT_READING, REC_COUNT_INDEX, REC_COUNT_MANIFEST };
const char *rec_count_by_name(enum rec_count_by by); /* "reading", "index", "manifest" */

/*
 * Records of one file: by its index when it is fresh, by its manifest when the file has the size
 * that the manifest says, else by reading it (lengths and their CRCs).  An index that is there and
 * of no use is a warning.  only_reading: look at the file alone.
 */
T2_MUST_CHECK enum t2_status rec_count_file(const struct tfr_input_file *f, bool only_reading,
                                            uint64_t *n_records, enum rec_count_by *by,
                                            struct t2_err *err);

/* The number of records of in, before they are read; TFR_UNKNOWN_COUNT where counting would mean
 * decompressing a file twice or reading a pipe.  Counts of manifests are not used. */
T2_MUST_CHECK enum t2_status rec_count_ahead(const struct tfr_inputs *in, struct t2_pool *pool,
                                             uint64_t *n_records, struct t2_err *err);

#endif
