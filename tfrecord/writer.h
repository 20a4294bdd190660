/*
 * tfrecord/writer.h - records as they stand in a file: header, payload, footer.
 */
#ifndef TFR_WRITER_H
#define TFR_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends header + payload + footer of one record to buf. */
void tfr_frame(struct t2_buf *buf, const void *payload, size_t len_bytes);
/* The same for a payload that is made in place: begin leaves room for the header and returns where
 * it is, then the payload is appended to buf, then end puts header and footer around it. */
size_t tfr_frame_begin(struct t2_buf *buf);
void tfr_frame_end(struct t2_buf *buf, size_t begin);
/* Are these bytes one whole record as tfr_frame made it, both CRCs included?  For frames that were
 * on a disk. */
bool tfr_frame_is_sound(struct t2_slice frame);

#endif
