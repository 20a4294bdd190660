/*
 * tokenizer/stripped_lines.h - the lines of a small text file as T2T's encoders read them: carriage
 * returns dropped, blanks at both ends stripped; inside the encoders.
 */
#ifndef TOK_STRIPPED_LINES_H
#define TOK_STRIPPED_LINES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct tok_lines {
    struct t2_buf text;
    struct t2_slice *items; /* in text; never NULL inside */
    size_t n;
    char sha256[65]; /* of the file */
};

/* T2_EFORMAT: not UTF-8, or no line at all.  *l is released by the caller, also after a failure. */
T2_MUST_CHECK enum t2_status tok_stripped_lines(const char *path, struct tok_lines *l,
                                                struct t2_err *err);
void tok_lines_release(struct tok_lines *l);

#endif
