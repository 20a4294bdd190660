/*
 * tfrec/where.h - conditions on a record: 'len(inputs) < 64 && label == 3'.
 *
 *   or      := and ("||" and)*          and := not ("&&" not)*          not := "!" not | compare
 *   compare := sum (("==" | "!=" | "<" | "<=" | ">" | ">=" | "=~") sum)?
 *   sum     := product (("+" | "-") product)*    product := unary (("*" | "/" | "%") unary)*
 *   unary   := "-" unary | value
 *   value   := number | "text" | feature | feature "[" number "]" | len(feature) | has(feature) |
 *              min(feature) | max(feature) | sum(feature) | bytes() | record() | "(" or ")"
 *
 * A feature is a name (letters, digits, _ / . -, or any text in back quotes) and means its first value; a
 * comparison with a value that is not there is false.  =~ is a POSIX extended expression on bytes.
 */
#ifndef REC_WHERE_H
#define REC_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"
#include "tfrecord/index.h"

struct rec_where; /* immutable: shared by threads */

/* T2_EUSAGE names the column of the mistake and shows it. */
T2_MUST_CHECK enum t2_status rec_where_parse(const char *text, struct rec_where **w,
                                             struct t2_err *err);
void rec_where_free(struct rec_where *w);
/* Names of the features that it looks at, each once. */
void rec_where_features(const struct rec_where *w, struct t2_strs *names);

bool rec_where_match(const struct rec_where *w, const struct tfr_example *example,
                     struct t2_slice record, uint64_t number);
/* Can be answered from the columns of an index (first values and lengths only)? */
bool rec_where_fits_index(const struct rec_where *w, const struct tfr_index *ix);
bool rec_where_match_index(const struct rec_where *w, const struct tfr_index *ix, uint64_t record);

#endif
