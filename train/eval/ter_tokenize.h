/*
 * train/eval/ter_tokenize.h - Tercom's tokens, as sacreBLEU 2.6 makes them.
 */
#ifndef EV_TER_TOKENIZE_H
#define EV_TER_TOKENIZE_H

#include <stdbool.h>

#include "base/buf.h"

struct ev_ter_options {
    bool normalized;     /* entities undone, punctuation apart */
    bool no_punct;       /* punctuation deleted */
    bool asian_support;  /* both also of Chinese and Japanese; characters are words */
    bool case_sensitive; /* else lower case */
};

struct ev_ter_scratch {
    struct t2_buf lower, in, out;
};
void ev_ter_scratch_release(struct ev_ter_scratch *s);

/* Appends the tokens of a line (UTF-8) to an empty buffer, joined by single blanks. */
void ev_tokenize_ter(const struct ev_ter_options *options, struct ev_ter_scratch *scratch,
                     struct t2_slice line, struct t2_buf *tokens);

#endif
