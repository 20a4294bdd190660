/*
 * tfrec/row_json.h - values of records as JSON text, for the writers of rows.
 *
 * Not base/json_writer.h: rows are compact, and their floats are float32.
 */
#ifndef REC_ROW_JSON_H
#define REC_ROW_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base64.h"
#include "base/buf.h"

/* Digits to begin with when the shortest text is looked for.  protobuf begins with 6, which makes a
 * difference for the smallest numbers: 1.4013e-45, not 1e-45. */
enum { REC_DIGITS_SHORTEST = 1, REC_DIGITS_PROTO = 6 };

void rec_put_i64(struct t2_buf *out, int64_t v);
/* Python's repr of the shortest decimal that reads back as v: 1.0, 0.1, 1e-07, 1e+16.  v is
 * finite. */
void rec_put_float(struct t2_buf *out, float v, int first_digits);
/* "NaN", "Infinity" or "-Infinity" in quotes. */
void rec_put_nonfinite(struct t2_buf *out, float v);
/* Quoted; what is not UTF-8 becomes U+FFFD. */
void rec_put_string(struct t2_buf *out, struct t2_slice s);

#endif
