/*
 * tfrec/json_cursor.h - reading a line of JSON from left to right, without a tree.
 *
 * base/json.h makes a tree and cannot hold NUL in strings; a data set has millions of lines, each
 * with thousands of numbers.  Strict JSON (RFC 8259); columns are bytes, from 1.
 */
#ifndef REC_JSON_CURSOR_H
#define REC_JSON_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct rec_json {
    const uint8_t *start, *p, *end;
    const char *origin; /* of messages: "file.jsonl" */
    uint64_t line;
    struct t2_slice field; /* what is being read, for messages; empty = nothing */
};

struct rec_json_number {
    bool whole; /* without point and exponent */
    int64_t i;
    double d; /* also of whole ones */
};

void rec_json_init(struct rec_json *c, const char *origin, uint64_t line, struct t2_slice text);

/* "<origin>:<line>:<column of at>: in feature 'x': <message>"; returns T2_EFORMAT. */
enum t2_status rec_json_fail(const struct rec_json *c, const uint8_t *at, struct t2_err *err,
                             const char *format, ...) T2_PRINTF(4, 5);

/* The next byte that is not blank; 0 at the end. */
uint8_t rec_json_peek(struct rec_json *c);
/* Steps over ch, which must come next. */
T2_MUST_CHECK enum t2_status rec_json_expect(struct rec_json *c, char ch, struct t2_err *err);
/* Between the members of an object or array that was begun: steps over the comma, or over close.
 * *n_seen counts, begin with 0; *more says whether one follows. */
T2_MUST_CHECK enum t2_status rec_json_next(struct rec_json *c, char close, size_t *n_seen,
                                           bool *more, struct t2_err *err);
/* Appends the string's bytes: valid UTF-8, perhaps with NUL. */
T2_MUST_CHECK enum t2_status rec_json_string(struct rec_json *c, struct t2_buf *to,
                                             struct t2_err *err);
/* A key and its colon; replaces what key holds. */
T2_MUST_CHECK enum t2_status rec_json_key(struct rec_json *c, struct t2_buf *key,
                                          struct t2_err *err);
/* Whole numbers must fit into 64 bits, others into a double. */
T2_MUST_CHECK enum t2_status rec_json_number(struct rec_json *c, struct rec_json_number *number,
                                             struct t2_err *err);
/* Steps over true, false or null when it comes next. */
bool rec_json_word(struct rec_json *c, const char *word);
/* Nothing but blanks may follow. */
T2_MUST_CHECK enum t2_status rec_json_end(struct rec_json *c, struct t2_err *err);

#endif
