/*
 * datagen/source/tab_fields.h - the columns of a line as the original cuts them:
 * line.strip().split("\t").
 *
 * The line is bytes there, so only ASCII blanks are stripped, and only at the ends of the line:
 * blanks at the ends of a column stay.
 */
#ifndef DG_TAB_FIELDS_H
#define DG_TAB_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Zero-initialise; dg_fields_release. */
struct dg_fields {
    struct t2_slice *items; /* into `line` */
    size_t n, capacity;
    struct t2_buf line;
};
/* CR anywhere is deleted first, as TensorFlow's line reader does (spec t2t-datagen.md §4.1).  A
 * blank line is one empty column. */
void dg_fields_cut(struct dg_fields *c, struct t2_slice line);
void dg_fields_release(struct dg_fields *c);

/* bytes.strip(): HT, LF, VT, FF, CR, space. */
struct t2_slice dg_strip_ascii(struct t2_slice s);
/* str.strip() of valid UTF-8. */
struct t2_slice dg_strip(struct t2_slice s);
/* Replaces *to by s without CR. */
void dg_without_cr(struct t2_slice s, struct t2_buf *to);
/* int(text): blanks around, a sign; false when it is no number. */
bool dg_parse_int(struct t2_slice s, int64_t *value);

#endif
