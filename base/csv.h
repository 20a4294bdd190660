/*
 * base/csv.h - comma- and tab-separated values: RFC 4180, as Python's csv module reads and writes
 * them.
 *
 * A field that begins with a quote ends at the next single quote; "" in it is one quote, line
 * breaks and separators in it are data.  A quote elsewhere is an ordinary character.  CR LF and LF
 * end a line, a byte order mark at the start is dropped.
 */
#ifndef T2_BASE_CSV_H
#define T2_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct t2_csv;

/* path may be "-" or compressed (text.h).  quotes false: quotes are ordinary characters
 * everywhere. */
T2_MUST_CHECK enum t2_status t2_csv_new(const char *path, char separator, bool quotes,
                                        struct t2_csv **c, struct t2_err *err);
/* The same over a reader, which it owns from then on. */
struct t2_in;
struct t2_csv *t2_csv_new_from(struct t2_in *in, char separator, bool quotes);
void t2_csv_free(struct t2_csv *c);
/* t2_in_limit_line of its reader (text.h): for lines, and for rows of several. */
void t2_csv_limit_line(struct t2_csv *c, uint64_t max_memory);
/*
 * The fields of the next row, borrowed until the next call; T2_EOF at the end.  An empty line is
 * one empty field.  T2_EFORMAT (names file and line): a quote that is never closed, text after a
 * closing quote, a CR that ends no line, UTF-16, a row of more than 256 MiB.
 */
T2_MUST_CHECK enum t2_status t2_csv_next(struct t2_csv *c, const struct t2_slice **fields,
                                         size_t *n_fields, struct t2_err *err);
uint64_t t2_csv_line(const struct t2_csv *c); /* where the last row began, from 1 */

/* Appends a field, in quotes where it needs them: separator, quote, CR, LF, or blank at an end. */
void t2_csv_put(struct t2_buf *out, struct t2_slice field, char separator);

#endif
