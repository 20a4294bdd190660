/*
 * train/eval/mteval_rules.h - the regular expressions of mteval-v13a.pl that the tokenizers 13a and
 * zh and TER's normalisation share, and white space as Python sees it.
 *
 * Each rule is a pass from one buffer to another, which is replaced.  Rules look at ASCII only and
 * insert nothing but blanks, so bytes do for code points.  Matches do not overlap: a pass goes on
 * behind what it has matched, as re.sub does.
 */
#ifndef EV_MTEVAL_RULES_H
#define EV_MTEVAL_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* [\{-\~\[-\` -\&\(-\+\:-\@\/] : ASCII that is no letter, digit, control, or one of ' , - . */
static inline bool ev_is_split_off(uint8_t c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

/* ([of that class]) -> blank \1 blank */
void ev_rule_split_off(const struct t2_buf *in, struct t2_buf *out);
/* ([^0-9])([\.,]) -> \1 \2 with a blank behind each */
void ev_rule_after_no_digit(const struct t2_buf *in, struct t2_buf *out);
/* ([\.,])([^0-9]) -> \1 \2 with a blank before each */
void ev_rule_before_no_digit(const struct t2_buf *in, struct t2_buf *out);
/* ([0-9])(-) -> \1 \2 with a blank behind each */
void ev_rule_dash_after_digit(const struct t2_buf *in, struct t2_buf *out);

/* Replaces every `from` by `to`, which is not longer, in place. */
void ev_replace(struct t2_buf *b, const char *from, const char *to);
/* &quot; &amp; &lt; &gt; in this order: &amp;lt; becomes < */
void ev_replace_entities(struct t2_buf *b);

/* Appends the words of a text, as str.split() finds them, each behind a blank unless *out is empty:
 * ' '.join(text.split()). */
void ev_split_join(struct t2_slice text, struct t2_buf *out);
/* Appends a text without its white space: ''.join(text.split()). */
void ev_without_space(struct t2_slice text, struct t2_buf *out);
/* The bytes of the white space character at s (len_bytes >= 1 left); 0: it is none. */
size_t ev_space_bytes(const uint8_t *s, size_t len_bytes);

#endif
