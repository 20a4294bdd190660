/*
 * tokenizer/python_numbers.h - numbers as Python's int() reads them, for T2T's base TextEncoder
 * (integers.c; spec t2t-datagen.md §4.10).
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

#endif
