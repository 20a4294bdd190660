/*
 * tokenizer/unicode.h - UTF-8 and the character classes of Python's unicodedata; the only ICU user.
 *
 * Spec t2t-datagen.md §4.1, §4.2.  The tables are Unicode 11.0 (Python 3.7, what the reference runs
 * saw): ICU's newer characters are masked by their age, and the few whose class has changed since
 * stand in a table in unicode.c.
 */
#ifndef TOK_UNICODE_H
#define TOK_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { TOK_CODE_POINTS = 0x110000, TOK_REPLACEMENT = 0xFFFD };

/* Decodes one code point at s (len_bytes >= 1 left); returns its length in bytes.  Python's
 * "surrogatepass" view: surrogates are accepted (they occur in WTF-8 goldens).  Invalid bytes give
 * U+FFFD and length 1 with *valid = false. */
size_t tok_utf8_decode(const uint8_t *s, size_t len_bytes, uint32_t *code_point, bool *valid);
/* Writes 1..4 bytes; returns how many. */
size_t tok_utf8_encode(uint32_t code_point, uint8_t out[4]);
/* Offset of the first byte that tok_utf8_decode finds invalid, or len_bytes. */
size_t tok_utf8_invalid_at(const uint8_t *s, size_t len_bytes);

/*
 * Words are cut by the letters and digits of the Python that made a vocabulary: "5.2", "9", "11"
 * (the default), "12.1", ... false: unknown (tok_unicode_versions lists them).  The other classes
 * stay at 11.0.  Before any encoder, count or thread.
 */
bool tok_unicode_use(const char *version);
const char *tok_unicode_versions(void);

bool tok_is_alnum(uint32_t code_point);       /* category L* or N* */
bool tok_is_space(uint32_t code_point);       /* str.isspace / strip set, 29 code points */
bool tok_is_digit(uint32_t code_point);       /* Nd */
int tok_digit_value(uint32_t code_point);     /* 0 ... 9 of Nd, else -1 */
bool tok_is_punctuation(uint32_t code_point); /* P* */
bool tok_is_symbol(uint32_t code_point);      /* S* */

/* General categories as sets, of the newest Unicode that the ICU library knows: foreign tokenizers
 * cut by those of their own libraries, which are new. */
enum {
    TOK_CAT_LU = 1 << 1,
    TOK_CAT_LL = 1 << 2,
    TOK_CAT_LT = 1 << 3,
    TOK_CAT_LM = 1 << 4,
    TOK_CAT_LO = 1 << 5,
    TOK_CAT_L = TOK_CAT_LU | TOK_CAT_LL | TOK_CAT_LT | TOK_CAT_LM | TOK_CAT_LO,
    TOK_CAT_MN = 1 << 6,
    TOK_CAT_MC = 1 << 8,
    TOK_CAT_M = 7 << 6, /* Mn, Me, Mc */
    TOK_CAT_N = 7 << 9, /* Nd, Nl, No */
    TOK_CAT_CC = 1 << 15,
    TOK_CAT_C = 1 | 15 << 15,       /* Cn, Cc, Cf, Co, Cs */
    TOK_CAT_P = 31 << 19 | 3 << 28, /* Pd, Ps, Pe, Pc, Po, Pi, Pf */
    TOK_CAT_S = 15 << 24,           /* Sm, Sc, Sk, So */
};
bool tok_has_category(uint32_t code_point, uint32_t set);
/* Script of a code point (UAX #24), of the newest Unicode that the ICU library knows; by_name:
 * "Latin" or "Latn", -1 when there is none. */
int tok_script_of(uint32_t code_point);
int tok_script_by_name(const char *name);
bool tok_is_word_char(uint32_t code_point); /* \w of regular expressions (UTS #18) */
bool tok_is_white(
    uint32_t code_point); /* White_Space, \s of regular expressions: without U+001C..1F */

/* Unicode's version that a character came with: 900 is 9.0; 0 for what is not assigned. */
unsigned tok_unicode_age(uint32_t code_point);

/* Appends a normal form by the tables of Unicode 9.0, which tokenizers has: newer characters stay
 * as they are.  Bytes that are not UTF-8 become U+FFFD.  len_bytes is below INT32_MAX / 18. */
enum tok_form { TOK_NFC, TOK_NFD, TOK_NFKC, TOK_NFKD };
void tok_normal_form(enum tok_form form, const uint8_t *s, size_t len_bytes, struct t2_buf *out);
/* Appends simple lower case by the newest tables, character by character (Rust's to_lowercase
 * without its final sigma). */
void tok_lower_newest(const uint8_t *s, size_t len_bytes, struct t2_buf *out);

/* Calls fn for the extended grapheme clusters of valid UTF-8, in order. */
typedef void tok_grapheme_fn(void *arg, const uint8_t *cluster, size_t len_bytes);
void tok_graphemes(const uint8_t *s, size_t len_bytes, tok_grapheme_fn *fn, void *arg);

/* The table behind tok_is_alnum for inner loops: code point c is alphanumeric when bit c % 64 of
 * word c / 64 is set.  Borrowed for the life of the process. */
const uint64_t *tok_alnum_bits(void);

/* Appends full Unicode lower case, as Python's str.lower() (final sigma too), to a buffer. */
void tok_lower(struct t2_buf *out, const uint8_t *s, size_t len_bytes);
/* Appends any bytes as UTF-8, as Python's bytes.decode("utf-8", "replace"): one U+FFFD for each
 * maximal part of a broken sequence; surrogates are broken. */
void tok_utf8_replace(struct t2_buf *out, const uint8_t *s, size_t len_bytes);

/* str.strip(), str.rstrip(): move the ends inward. */
void tok_strip(const uint8_t **s, size_t *len_bytes);
void tok_strip_end(const uint8_t *s, size_t *len_bytes);
struct t2_slice tok_stripped(struct t2_slice text); /* both ends */

#endif
