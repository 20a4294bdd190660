/*
 * tokenizer/python_numbers.h - numbers as Python's int(), float() and str() read and write them.
 *
 * Some of T2T's encoders (spec t2t-datagen.md §4.10) are just these: base TextEncoder (integers.c),
 * and RealEncoder, which gives no ids and so is no tok_encoder but the two functions for lists
 * here.
 */
#ifndef TOK_PYTHON_NUMBERS_H
#define TOK_PYTHON_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* int(word): a sign, decimal digits of any script, single underscores between them.  false: no
 * number, or beyond int64. */
bool tok_python_int(struct t2_slice word, int64_t *value);
/* float(word): besides fractions and exponents "inf", "infinity" and "nan" in any case; what is too
 * large is infinite.  No hexadecimal numbers. */
bool tok_python_float(struct t2_slice word, double *value);
/* Appends str(value): the shortest text that is read back as the same number, "1.0", "1e-05",
 * "inf". */
void tok_put_python_float(double value, struct t2_buf *out);

/* Growable list; zero-initialise. */
struct tok_reals {
    double *items;
    size_t n, capacity;
};
void tok_reals_release(struct tok_reals *reals);
/* Appends the numbers between blanks (RealEncoder.encode).  T2_EFORMAT names the word that is none;
 * reals is then as before. */
T2_MUST_CHECK enum t2_status tok_reals_encode(const uint8_t *text, size_t len_bytes,
                                              struct tok_reals *reals, struct t2_err *err);
/* Appends the numbers with blanks between (RealEncoder.decode). */
void tok_reals_decode(const double *reals, size_t n, struct t2_buf *text);

#endif
