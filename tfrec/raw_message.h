/*
 * tfrec/raw_message.h - any protobuf message at wire level, as `protoc --decode_raw` shows it.
 *
 * A field of bytes is shown as a message when it is one from its first byte to its last, up to ten
 * deep; else as a string.  So a short text may be taken for a message, as there.
 */
#ifndef REC_RAW_MESSAGE_H
#define REC_RAW_MESSAGE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends "1: 5", "2 { ... }" and so on, a line each.  T2_EFORMAT names the byte that is no field
 * (the caller adds file and record); out is then as before. */
T2_MUST_CHECK enum t2_status rec_raw_text(struct t2_slice message, struct t2_buf *out,
                                          struct t2_err *err);
/* Appends [{"field":1,"type":"varint","value":5},{"field":2,"type":"message","fields":[...]}];
 * other types are fixed32, fixed64, group (with fields) and bytes (with "text", or "base64" when it
 * is none). */
T2_MUST_CHECK enum t2_status rec_raw_json(struct t2_slice message, struct t2_buf *out,
                                          struct t2_err *err);

#endif
