/*
 * tfrec/row_flags.h - the flags of the commands that show records: head, tail, get, sample, cat.
 *
 * A command puts REC_ROW_FLAGS into its table and calls rec_row_flags_read after parsing.
 */
#ifndef REC_ROW_FLAGS_H
#define REC_ROW_FLAGS_H

#include <stdbool.h>

#include "base/flags.h"
#include "tfrec/rows.h"
#include "tfrecord/inputs.h"

struct tok_encoder;

/* What was given on the command line. */
struct rec_row_flags {
    const char *json;   /* "", "short", "proto" */
    const char *fields; /* "a,b" */
    const char *bytes;  /* "auto", "text", "base64" */
    const char *vocab;  /* a file */
    bool number;
    bool raw;
    bool framed;
};
extern struct rec_row_flags rec_row_given;

/* clang-format off */
#define REC_ROW_FLAGS                                                                              \
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How records are shown", NULL},                              \
    {"json", T2_FLAG_OPTION, &rec_row_given.json, "SHAPE",                                         \
     "short: {\"inputs\":[3,1]}; proto: protobuf's JSON of tf.train.Example.", NULL},              \
    {"fields", T2_FLAG_STRING, &rec_row_given.fields, "A,B", "Only these features, in this "       \
     "order.", NULL},                                                                              \
    {"bytes", T2_FLAG_STRING, &rec_row_given.bytes, "HOW",                                         \
     "Bytes in the short shape. auto: text, or what it is like <JPEG 500x375, 110.4 kB>; "         \
     "text: always, "                                                                              \
     "with U+FFFD; base64: {\"base64\":\"...\"} where it is not UTF-8, so that it can be "         \
     "read back.", NULL},                                                                          \
    {"vocab", T2_FLAG_STRING, &rec_row_given.vocab, "FILE",                                        \
     "Vocabulary of any kind: shows ids as text. Decoded are lists named inputs or targets "       \
     "and lists that end with "                                                                    \
     "<EOS>, when all their ids are in the vocabulary; <EOS> and <pad> stay visible.", NULL},      \
    {"number", T2_FLAG_BOOL, &rec_row_given.number, NULL,                                          \
     "Puts \"record\":N first; N counts from 0 over all inputs.", NULL},                           \
    {"raw", T2_FLAG_BOOL, &rec_row_given.raw, NULL,                                                \
     "The payload bytes as they are, nothing between them.", NULL},                                \
    {"framed", T2_FLAG_BOOL, &rec_row_given.framed, NULL,                                          \
     "With --raw: as a TFRecord stream.", NULL}
/* clang-format on */

/* Options of the rows from the flags; loads the vocabulary for the inputs (may be NULL).  Released
 * by the caller, also on failure. */
T2_MUST_CHECK enum t2_status rec_row_flags_read(struct rec_row_options *o,
                                                const struct tfr_inputs *in, struct t2_err *err);
void rec_row_options_release(struct rec_row_options *o);

/* Appends a record as the flags say: a line, its bytes, or its frame. */
T2_MUST_CHECK enum t2_status rec_row_show(const struct rec_row_options *o, struct rec_row *r,
                                          uint64_t number, struct t2_slice record,
                                          struct t2_buf *out, struct t2_err *err);

#endif
