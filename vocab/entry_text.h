/*
 * vocab/entry_text.h - an entry as part of a line of text for people.
 */
#ifndef VOC_ENTRY_TEXT_H
#define VOC_ENTRY_TEXT_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends an entry; control characters, which would end or split the line or be acted upon by a terminal,
 * are escaped as in C: \n, \t, \r, else \x1b.  backslash: those too, so that the way back is unique. */
void voc_put_entry(struct t2_buf *out, struct t2_slice entry, bool backslash);

#endif
