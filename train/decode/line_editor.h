/*
 * train/decode/line_editor.h - lines from a person at a terminal: cursor keys, history, by libedit.
 *
 * The only user of libedit.  Prompt and what is typed go to stderr, so that stdout holds results
 * alone.
 */
#ifndef DEC_LINE_EDITOR_H
#define DEC_LINE_EDITOR_H

#include "base/buf.h"
#include "base/err.h"

struct dec_line_editor;

/* NULL: built without libedit, or stdin and stderr are not both terminals; read lines as they come.
 * prompt is borrowed.  One at a time. */
struct dec_line_editor *dec_line_editor_new(const char *prompt);
/* The next line without its end, UTF-8, borrowed until the next call; T2_EOF at Ctrl-D,
 * T2_EINTERRUPTED at Ctrl-C.  Lines that are not empty are kept in memory, for the cursor keys. */
T2_MUST_CHECK enum t2_status dec_line_editor_next(struct dec_line_editor *e, struct t2_slice *line,
                                                  struct t2_err *err);
/* Gives the terminal back as it was.  NULL is allowed. */
void dec_line_editor_free(struct dec_line_editor *e);

#endif
