/*
 * vocab/entry_text.h - text for people: an entry as part of a line, a report.
 */
#ifndef VOC_ENTRY_TEXT_H
#define VOC_ENTRY_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends an entry; control characters, which would end or split the line or be acted upon by a
 * terminal, are escaped as in C: \n, \t, \r, else \x1b.  backslash: those too, so that the way back
 * is unique. */
void voc_put_entry(struct t2_buf *out, struct t2_slice entry, bool backslash);

/* A report to stdout, as a terminal may see it (base/shown.h): it names files.  JSON as it is. */
T2_MUST_CHECK enum t2_status voc_print(struct t2_slice report, bool is_json, struct t2_err *err);

#endif
