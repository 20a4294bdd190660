/*
 * tfrec/where.h - conditions on a record: 'len(inputs) < 64 && label == 3'.
 *
 *   or      := and ("||" and)*          and := not ("&&" not)*          not := "!" not | compare
 *   compare := sum (("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "=~" text |
 *              "in" "(" sum ("," sum)* ")")?
 *   sum     := product (("+" | "-") product)*    product := unary (("*" | "/" | "%") unary)*
 *   unary   := "-" unary | value
 *   value   := number | text | feature | feature "[" number "]" | len(feature) | has(feature) |
 *              min(feature) | max(feature) | sum(feature) | bytes() | record() | "(" or ")"
 *
 * A feature is a name (a letter or _, then letters, digits, _ / . -) or any text in back quotes,
 * and means its first value; x[1] is the second, x[-1] the last.  Because - and / belong to names,
 * a difference or quotient of features has blanks around the operator.  Text is in double or single
 * quotes with \n \t \r \0 \xHH \\ and escaped quotes.  =~ is a POSIX extended regex on bytes (. is
 * any but NUL).
 *
 * Values are int64, double, bytes, or missing.  What is not there (feature, element, extreme of an
 * empty list, quotient by 0) is missing; arithmetic with it or with bytes is missing, every
 * comparison with it is false, even !=.  len of an absent feature is 0; has is true for a feature
 * with a list, also an empty one.  Integers are exact; a result that does not fit is a double.  /
 * of integers cuts off as C does.  An integer compared with a double becomes a double, as in C;
 * floats widen exactly, so x == 0.1 compares with the double 0.1.  Bytes compare bytewise; bytes
 * and numbers are never equal and have no order.  record() counts from 0 over all inputs, bytes()
 * is the size of the payload.
 */
#ifndef REC_WHERE_H
#define REC_WHERE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tfrecord/example.h"
#include "tfrecord/record_index.h"

struct rec_where; /* immutable: shared by threads */

/* T2_EUSAGE shows the expression and the place of the mistake.  Several expressions separated by
 * commas (of the grammar's `or`, without comma outside of brackets) are the caller's: see *end. */
T2_MUST_CHECK enum t2_status rec_where_parse(const char *text, struct rec_where **w,
                                             struct t2_err *err);
/* Parses one expression that starts at text[*at] and ends at the text's end, a comma or a colon;
 * *at is then where that is.  For `sort --by`. */
T2_MUST_CHECK enum t2_status rec_where_parse_part(const char *text, size_t *at,
                                                  struct rec_where **w, struct t2_err *err);
void rec_where_free(struct rec_where *w);
/* Names of the features that it looks at, each once. */
void rec_where_features(const struct rec_where *w, struct t2_strs *names);
/* Does it look at the payload as an Example at all?  No: bytes(), record() and constants only. */
bool rec_where_needs_example(const struct rec_where *w);

/* Scratch space of one thread; zero-initialise, release. */
struct rec_where_scratch {
    struct t2_buf values;
};
void rec_where_scratch_release(struct rec_where_scratch *s);

enum rec_value_kind { REC_MISSING, REC_INT, REC_DOUBLE, REC_BYTES };
struct rec_value {
    enum rec_value_kind kind;
    int64_t i;
    double d;
    struct t2_slice bytes; /* borrowed from the record or the expression */
};

/* example may be NULL when rec_where_needs_example says no. */
struct rec_value rec_where_value(const struct rec_where *w, struct rec_where_scratch *scratch,
                                 const struct tfr_example *example, struct t2_slice record,
                                 uint64_t number);
/* Is the value true: a number other than 0, bytes that are not empty? */
bool rec_where_match(const struct rec_where *w, struct rec_where_scratch *scratch,
                     const struct tfr_example *example, struct t2_slice record, uint64_t number);
/* Can be answered from the columns of an index (first values and lengths only)? */
bool rec_where_fits_index(const struct rec_where *w, const struct tfr_index *ix);
/* record: in the index; number: what record() gives. */
bool rec_where_match_index(const struct rec_where *w, struct rec_where_scratch *scratch,
                           const struct tfr_index *ix, uint64_t record, uint64_t number);

/* The grammar for people, for --help. */
/* clang-format off */
#define REC_WHERE_HELP \
    "An expression is made of numbers, \"text\", features, and\n" \
    "  len(f)  has(f)  min(f)  max(f)  sum(f)   of a feature's list\n" \
    "  f  f[1]  f[-1]                           its first, second, last value\n" \
    "  bytes()  record()                        size and number from 0 of the record\n" \
    "  + - * / %   == != < <= > >=   && || !   ( )\n" \
    "  f in (1, 2, 3)   f =~ \"^a.*z$\"           one of these; POSIX extended regex\n" \
    "A name with other characters than letters, digits, _ / . - goes in back\n" \
    "quotes; put blanks around the operators - and / because names may hold them.\n" \
    "What is not there makes every comparison false. Integers are exact; where they\n" \
    "overflow, or meet a float, they become double.\n"
/* clang-format on */

#endif
