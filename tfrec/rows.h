/*
 * tfrec/rows.h - a record as one line of JSON, for people and programs.
 *
 * Two shapes.  Short: {"inputs":[3,1],"label":[7]}.  Proto: protobuf's own JSON mapping of
 * tf.train.Example, {"features":{"feature":{"inputs":{"int64List":{"value":["3","1"]}}}}}, equal to
 * google.protobuf.json_format.MessageToJson but for blanks.  Features are in ascending order of
 * their names.  A SequenceExample (tfrecord/sequence.h) is
 * {"context":{...},"feature_lists":{"a":[[1],[2,3]]}} in the short shape; without feature lists it
 * looks like an Example.
 *
 * Values of the short shape: int64 as numbers; floats as the shortest text that reads back as the
 * same float32, always with a point or exponent; bytes as rec_bytes says.  What JSON cannot say
 * plainly names its kind: {"int64":[]} (an empty list), {"float":["NaN",1.0]} (also "Infinity",
 * "-Infinity").  A feature without a list is [].
 */
#ifndef REC_ROWS_H
#define REC_ROWS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"
#include "tfrecord/sequence.h"

struct tok_encoder;

enum rec_shape { REC_SHORT, REC_PROTO };
enum rec_bytes {
    REC_BYTES_AUTO,  /* text where it is, "<JPEG 500x375, 110.2 kB>" for what is not */
    REC_BYTES_TEXT,  /* text, other bytes as U+FFFD */
    REC_BYTES_BASE64 /* {"base64":"..."}; a string where it is valid UTF-8: can be parsed back */
};

struct rec_row_options {
    enum rec_shape shape;
    enum rec_bytes bytes;            /* of the short shape */
    struct t2_strs fields;           /* only these, in this order; none = all */
    const struct tok_encoder *vocab; /* ids of int64 lists as text; NULL = numbers */
    bool number;                     /* "record":N first */
};

/* Scratch space of one thread; zero-initialise, release. */
struct rec_row {
    struct tfr_example example;
    struct tfr_sequence sequence;
    struct t2_buf scratch; /* values of a list */
    struct t2_buf order;   /* of the features */
    struct t2_buf text;    /* decoded ids */
};
void rec_row_release(struct rec_row *r);

/* Appends the line with its line feed.  number: of the record.  T2_EFORMAT when the payload is no
 * Example (the message has no file name; the caller adds it); out is then as before. */
T2_MUST_CHECK enum t2_status rec_row_print(const struct rec_row_options *o, struct rec_row *r,
                                           uint64_t number, struct t2_slice record,
                                           struct t2_buf *out, struct t2_err *err);

/* Valid UTF-8 without control characters other than tab, line feed, carriage return? */
bool rec_is_text(struct t2_slice value);
/* One bytes value as rec_bytes AUTO shows it, without quotes: for stats and reports. */
void rec_bytes_summary(struct t2_slice value, struct t2_buf *out);

/* ---- the way back ---- */

/*
 * Parses a line of JSON of either shape, of an Example or a SequenceExample, into the serialised
 * message (appended to out).  Short shape: whole numbers are int64, numbers with a point or
 * exponent float (with both in a list all are float), true and false 1 and 0, strings bytes,
 * {"base64":"..."} bytes; a scalar is a list of one; [] alone is a feature without a kind, null
 * leaves the feature out; {"float":[...]} and so on name the kind.
 *
 * T2_EFORMAT names origin, line, column and, where it is known, the feature.  The message stays
 * below protobuf's 2 GiB.  Memory is in proportion to the text, which has REC_MAX_LINE_BYTES at
 * most.
 */
enum { REC_MAX_LINE_BYTES = 1 << 28 };
T2_MUST_CHECK enum t2_status rec_row_parse(const char *origin, uint64_t line, struct t2_slice json,
                                           struct t2_buf *out, struct t2_err *err);

#endif
