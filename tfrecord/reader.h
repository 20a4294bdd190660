/*
 * tfrecord/reader.h - read the records of one TFRecord file in order.
 *
 * Mirrors tf.python_io.tf_record_iterator.  Writing is in writer.h, what a record holds in
 * example.h.  Plain files are mapped; gzip and zlib files (found by content) are streamed.
 */
#ifndef TFR_READER_H
#define TFR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tfr_reader;

T2_MUST_CHECK enum t2_status tfr_reader_new(const char *path, struct tfr_reader **r,
                                            struct t2_err *err);
void tfr_reader_free(struct tfr_reader *r);

/*
 * Reads the next record into *rec.
 *
 * Returns T2_OK, or T2_EOF when the file ended on a record boundary.  On T2_EFORMAT (bad length,
 * bad checksum, file cut short) the message names file, record number (from 0) and byte offset.
 *
 * rec->data is borrowed: valid until the next call on this reader (for plain files: until
 * tfr_reader_free).  One reader belongs to one thread.
 */
T2_MUST_CHECK enum t2_status tfr_reader_next(struct tfr_reader *r, struct t2_slice *rec,
                                             struct t2_err *err);
/*
 * The same without looking at the data's CRC, for callers that check it elsewhere (on another
 * thread): rec->data is followed by its four bytes, tfr_record_ok says whether they match.
 */
T2_MUST_CHECK enum t2_status tfr_reader_next_unchecked(struct tfr_reader *r, struct t2_slice *rec,
                                                       struct t2_err *err);
bool tfr_record_ok(struct t2_slice rec);
/* The message of tfr_reader_next for such a record whose CRC does not match. */
enum t2_status tfr_record_fail(const char *path, uint64_t number, uint64_t offset,
                               struct t2_slice rec, struct t2_err *err);
/* Steps over the next record, its data unread; T2_EOF as tfr_reader_next. */
T2_MUST_CHECK enum t2_status tfr_reader_skip(struct tfr_reader *r, struct t2_err *err);
/* Does rec->data stay until tfr_reader_free (the file is mapped)? */
bool tfr_reader_is_mapped(const struct tfr_reader *r);

/* T2_EFORMAT when a mapped file has become shorter since it was opened: bytes of records given so
 * far may have been zeros.  At the end of the file it is checked anyway; callers that keep records
 * check after using them. */
T2_MUST_CHECK enum t2_status tfr_reader_check(const struct tfr_reader *r, struct t2_err *err);

/* Number of records given so far, and the offset of the next one in the uncompressed stream. */
uint64_t tfr_reader_count(const struct tfr_reader *r);
uint64_t tfr_reader_offset(const struct tfr_reader *r);

/* Counts records of a file, checking only lengths and their CRCs. */
T2_MUST_CHECK enum t2_status tfr_count(const char *path, uint64_t *n_records, struct t2_err *err);

#endif
