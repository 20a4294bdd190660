/*
 * tfrecord/writer.h - write a TFRecord file; it appears under its name on commit (base/file.h).
 */
#ifndef TFR_WRITER_H
#define TFR_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tfr_writer;

T2_MUST_CHECK enum t2_status tfr_writer_new(const char *path, struct tfr_writer **w,
                                            struct t2_err *err);
/* As tfr_writer_new, for files whose SHA-256 nobody asks for: hashing takes longer than framing. */
T2_MUST_CHECK enum t2_status tfr_writer_new_unhashed(const char *path, struct tfr_writer **w,
                                                     struct t2_err *err);
/* Adds one record; payload is copied and may be NULL when len_bytes is 0.  A failure is remembered and reported by commit. */
void tfr_writer_add(struct tfr_writer *w, const void *payload, size_t len_bytes);
/* Records and file bytes added so far. */
uint64_t tfr_writer_count(const struct tfr_writer *w);
uint64_t tfr_writer_bytes(const struct tfr_writer *w);
/* Also gives the SHA-256 of the file (sha256 may be NULL, and must be for an unhashed writer).
 * Releases w, also on failure: then nothing appears under the name. */
T2_MUST_CHECK enum t2_status tfr_writer_commit(struct tfr_writer *w, char sha256[65],
                                               struct t2_err *err);
/* Removes what was written and releases w.  NULL is allowed. */
void tfr_writer_abort(struct tfr_writer *w);

/* Appends header + payload + footer of one record to buf. */
void tfr_frame(struct t2_buf *buf, const void *payload, size_t len_bytes);
/* The same for a payload that is made in place: begin leaves room for the header and returns where it is,
 * then the payload is appended to buf, then end puts header and footer around it. */
size_t tfr_frame_begin(struct t2_buf *buf);
void tfr_frame_end(struct t2_buf *buf, size_t begin);
/* Are these bytes one whole record as tfr_frame made it, both CRCs included?  For frames that were on a disk. */
bool tfr_frame_is_sound(struct t2_slice frame);

#endif
