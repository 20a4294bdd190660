/*
 * datagen/source/table_header.h - is a table that the command line says nothing of what its name
 * promises?
 *
 * 'pairs.tsv' and 'pairs.csv' are taken as inputs and targets in that order, without names of
 * columns.  A file that has such names, or other columns, would be trained on as it is, so it is
 * refused.
 */
#ifndef DG_TABLE_HEADER_H
#define DG_TABLE_HEADER_H

#include "base/err.h"
#include "datagen/stream.h"

/*
 * Looks at the first two rows of a table with n_wanted columns of text.  T2_EUSAGE, with the flag
 * that says what the columns are: the first row names columns (words that name columns everywhere;
 * in a CSV file also any words alone above a row of text), or a CSV file has another number of
 * columns.
 */
T2_MUST_CHECK enum t2_status dg_check_table_header(const char *path, enum dg_format format,
                                                   size_t n_wanted, uint64_t max_memory,
                                                   struct t2_err *err);

#endif
