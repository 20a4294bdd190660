/*
 * datagen/source/column_table.h - texts out of tables: TSV, CSV and JSON lines, by column.
 */
#ifndef DG_COLUMN_TABLE_H
#define DG_COLUMN_TABLE_H

#include "base/err.h"
#include "datagen/stream.h"

struct dg_table;
/* path (for the life of the stream that gives the samples) and columns are borrowed.  T2_EFORMAT
 * when the first row has not the named columns. */
T2_MUST_CHECK enum t2_status dg_table_open(const char *path, const struct dg_columns *columns,
                                           uint64_t max_memory, struct dg_table **t,
                                           struct t2_err *err);
void dg_table_free(struct dg_table *t);
/*
 * The next row: its first columns->n_inputs columns are the inputs of the sample, the others the
 * targets.  A row without one of them is dropped with its reason.  T2_EOF at the end;
 * T2_EFORMAT (file and line) for what is no CSV or JSON.
 */
T2_MUST_CHECK enum t2_status dg_table_next(struct dg_table *t, struct dg_sample *sample,
                                           struct t2_err *err);
uint64_t dg_table_rows(const struct dg_table *t); /* given so far */

#endif
