/*
 * tfrecord/record_stream.h - all records of some files, in order, worked on by many threads.
 *
 * What nearly every command of tfrec stands on.  Records are cut into batches by their bytes, never
 * by the number of threads; batches are worked on in parallel and consumed in order.
 */
#ifndef TFR_RECORD_STREAM_H
#define TFR_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/inputs.h"

struct t2_pool;

struct tfr_record {
    /* The payload; borrowed for as long as the batch.  Its header and footer are around it:
     * tfr_framed. */
    struct t2_slice data;
    uint64_t offset; /* of the record (its length field) in the uncompressed file */
};

/* The record as it is in the file: header, payload, CRC; as long as r->data. */
struct t2_slice tfr_framed(const struct tfr_record *r);

/* Some records of one file that follow each other. */
struct tfr_batch {
    const struct tfr_input_file *file;
    size_t file_number;
    uint64_t first_in_file; /* number of records[0] in its file, from 0 */
    uint64_t first;         /* the same over all files */
    struct tfr_record *records;
    size_t n; /* may be 0: an empty file has one empty batch, so that every file is seen */
};

struct tfr_stream {
    const struct tfr_inputs *inputs;
    const char *what; /* of the progress line: "counting" */
    /* A zeroed block of the caller's per batch in flight, used again and again; released at the
     * end. */
    size_t result_bytes;
    /* On any thread, several batches at a time; 0 <= worker < threads of the pool.  May be NULL. */
    enum t2_status (*work)(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err);
    /* One batch at a time, in order.  T2_EOF: enough, the run ends well. */
    enum t2_status (*consume)(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err);
    void (*release)(void *context, void *result); /* may be NULL */
    void *context;
    size_t *stopped_in; /* after a failure: number of the file that caused it; may be NULL */
};

/*
 * Reads everything; both CRCs are checked.  Damage ends the run with T2_EFORMAT naming file, record
 * and offset, after the sound records before it were consumed.  SIGINT ends it with
 * T2_EINTERRUPTED. What is consumed, and which failure is reported, does not depend on the number
 * of threads.
 */
T2_MUST_CHECK enum t2_status tfr_stream_run(const struct tfr_stream *s, struct t2_pool *pool,
                                            struct t2_err *err);

#endif
