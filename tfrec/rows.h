/*
 * tfrec/rows.h - a record as one line of JSON, for people and programs.
 *
 * Two shapes.  Short: {"inputs":[3,1],"label":[7]}.  Proto: TensorFlow's own JSON mapping of
 * tf.train.Example, {"features":{"feature":{"inputs":{"int64List":{"value":["3","1"]}}}}}.
 */
#ifndef REC_ROWS_H
#define REC_ROWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"

struct tok_encoder;

enum rec_shape { REC_SHORT, REC_PROTO };
enum rec_bytes {
    REC_BYTES_AUTO,  /* text where it is, "<JPEG 500x375, 110 KB>" for what is not */
    REC_BYTES_TEXT,  /* text, other bytes as U+FFFD */
    REC_BYTES_BASE64 /* {"base64":"..."}; text where it is valid UTF-8 */
};

struct rec_row_options {
    enum rec_shape shape;
    enum rec_bytes bytes;
    struct t2_strs fields;           /* only these, in this order; none = all */
    const struct tok_encoder *vocab; /* ids of int64 lists as text; NULL = numbers */
    bool number;                     /* "record":N first */
};

/* Scratch space of one thread; zero-initialise, release. */
struct rec_row {
    struct tfr_example example;
    struct t2_buf scratch;
};
void rec_row_release(struct rec_row *r);

/* Appends the line with its line feed.  number: of the record.  T2_EFORMAT when the payload is no
 * Example (the message has no file name; the caller adds it). */
T2_MUST_CHECK enum t2_status rec_row_print(const struct rec_row_options *o, struct rec_row *r,
                                           uint64_t number, struct t2_slice record,
                                           struct t2_buf *out, struct t2_err *err);

/* One bytes value as rec_bytes AUTO shows it, without quotes: for stats and reports. */
void rec_bytes_summary(struct t2_slice value, struct t2_buf *out);

/* ---- the way back ---- */

/*
 * Parses a line of JSON of either shape into a serialised Example (appended to out).  Short shape: whole
 * numbers are int64, numbers with a point or exponent float, strings bytes, {"base64":"..."} bytes; a
 * scalar is a list of one; [] alone is a feature without a kind.  origin and line are for messages.
 */
T2_MUST_CHECK enum t2_status rec_row_parse(const char *origin, uint64_t line, struct t2_slice json,
                                           struct t2_buf *out, struct t2_err *err);

#endif
