/*
 * tfrec/text_table.h - columns for a terminal.
 */
#ifndef REC_TEXT_TABLE_H
#define REC_TEXT_TABLE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

/* Zero-initialise with columns set: one letter a column, 'l' left, 'r' right.  Cells come row by
 * row, the first row is the heading. */
struct rec_table {
    const char *columns;
    struct t2_strs cells;
};

/* Appends a cell.  It becomes one line of visible text: control characters and what is not UTF-8
 * are written as \xNN, more than REC_CELL_COLUMNS characters are cut. */
enum { REC_CELL_COLUMNS = 60 };
void rec_table_cell(struct rec_table *t, const void *text, size_t len_bytes);
void rec_table_cellf(struct rec_table *t, const char *format, ...) T2_PRINTF(2, 3);

/* Appends the table, two blanks between columns; a last row that is not full is an assertion. */
void rec_table_print(const struct rec_table *t, struct t2_buf *out);
void rec_table_release(struct rec_table *t);

/* Appends text as one line of visible characters, as in a cell; max_columns 0: all of it. */
void rec_visible(const void *text, size_t len_bytes, size_t max_columns, struct t2_buf *out);

#endif
