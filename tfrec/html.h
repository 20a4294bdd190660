/*
 * tfrec/html.h - text of strangers inside HTML.
 */
#ifndef REC_HTML_H
#define REC_HTML_H

#include "base/buf.h"

/*
 * Appends text so that it is shown as it is, in an element or a quoted attribute: & < > " ' become
 * entities, bytes that are not UTF-8 and characters that HTML forbids or that turn the direction of
 * what follows become U+FFFD.  max_characters 0: all; else an ellipsis ends what is cut.
 */
void rec_html_text(const void *text, size_t len_bytes, size_t max_characters, struct t2_buf *out);
void rec_html_puts(const char *text, struct t2_buf *out);

/* A count with thin spaces between groups of three digits. */
void rec_html_count(uint64_t n, struct t2_buf *out);

#endif
