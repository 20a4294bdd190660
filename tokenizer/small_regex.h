/*
 * tokenizer/small_regex.h - regular expressions without repetition, as tokenizers' Replace applies
 * them.
 *
 *   regex    = sequence ("|" sequence)*                 the first that matches is taken
 *   sequence = (one | "\A" | "\z" | "(?:" regex ")" | look)*
 *   look     = ("(?=" | "(?!" | "(?<=" | "(?<!") one+ ")"
 *   one      = char | "." | "[" "^"? (char ("-" char)?)+ "]"
 *   char     = a character that means nothing else | "\x" hex hex (below 80) | "\x{" hex+ "}" |
 *              "\" and ASCII punctuation
 *
 * That is a part of Oniguruma's default syntax, which tokenizers has: "." is not the line feed,
 * [^..] may be.  Each sequence takes a character or looks at one before: tokenizers panics when
 * nothing is replaced at the start of a text.  No match takes more steps than the expression has
 * parts.
 */
#ifndef TOK_SMALL_REGEX_H
#define TOK_SMALL_REGEX_H

#include <stddef.h>

#include "base/buf.h"

struct tok_regex; /* immutable */

/* NULL: the pattern is no such expression, or has more parts than fit. */
struct tok_regex *tok_regex_new(struct t2_slice pattern);
void tok_regex_free(struct tok_regex *r);

/* Appends text with each match replaced; an empty match behind another match is none.  Stops soon
 * after out has max_bytes. */
void tok_regex_replace(const struct tok_regex *r, struct t2_slice text, struct t2_slice to,
                       size_t max_bytes, struct t2_buf *out);

#endif
