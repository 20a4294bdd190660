/*
 * tokenizer/unicode.h - UTF-8 and the character classes of Python's unicodedata; the only ICU user.
 *
 * Spec t2t-datagen.md §4.1, §4.2.  Default tables are Unicode 11.0 (Python 3.7, what the reference
 * runs saw): newer characters are masked by their age.
 */
#ifndef TOK_UNICODE_H
#define TOK_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one code point at s (len_bytes >= 1 left); returns its length in bytes.  Python's
 * "surrogatepass" view: surrogates are accepted (they occur in WTF-8 goldens).  Invalid bytes give
 * U+FFFD and length 1 with *valid = false. */
size_t tok_utf8_decode(const uint8_t *s, size_t len_bytes, uint32_t *code_point, bool *valid);
/* Writes 1..4 bytes; returns how many. */
size_t tok_utf8_encode(uint32_t code_point, uint8_t out[4]);

bool tok_is_alnum(uint32_t code_point); /* category L* or N* */
bool tok_is_space(uint32_t code_point); /* str.isspace / strip set, 29 code points */
bool tok_is_digit(uint32_t code_point);       /* Nd */
bool tok_is_punctuation(uint32_t code_point); /* P* */
bool tok_is_symbol(uint32_t code_point);      /* S* */

/* Appends full Unicode lower case, as Python's str.lower() (final sigma too), to a buffer. */
struct t2_buf;
void tok_lower(struct t2_buf *out, const uint8_t *s, size_t len_bytes);

/* str.strip(): moves both ends inward. */
void tok_strip(const uint8_t **s, size_t *len_bytes);

#endif
