/*
 * datagen/problems/class_rows.h - labelled texts and pairs of texts out of the columns of a TSV
 * file.
 */
#ifndef DG_CLASS_ROWS_H
#define DG_CLASS_ROWS_H

#include <stdbool.h>

#include "datagen/source/source_files.h"

/* The meaning of the columns of a problem's files; context of its dg_problem. */
struct dg_rows {
    const struct dg_source *source;
    const char *members[DG_N_SPLITS];     /* NULL: no such split; of a plain file never looked at */
    const struct dg_source *const *plain; /* of each split, when they are no archive; NULL */
    int n_header;
    int first, second, label; /* columns from 0; second -1: one text; label -1: the last column */
    int n_columns;            /* so many must be there */
    bool more_columns;        /* there may be more */
    bool skip_short;          /* fewer are left out instead of refused */
    bool both_orders;         /* each pair is followed by the pair turned round */
    const char *no_label;     /* rows with this label are left out; NULL: none */
    bool label_is_number;     /* else a name of the problem's classes */
    const char *before_first,
        *before_second; /* one text out of both, targets the label; NULL: no */
    /* A list of rows of TRAIN that are DEV: columns `keys` and `keys + 1` of each; NULL: none. */
    const struct dg_source *dev_list;
    int keys;
};

/* `open` and `prepare` of a dg_problem whose context is a struct dg_rows. */
T2_MUST_CHECK enum t2_status dg_rows_open(const struct dg_problem *p,
                                          const struct dg_options *options, enum dg_split split,
                                          struct dg_stream **stream, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_rows_prepare(const struct dg_problem *p,
                                             const struct dg_options *options, struct t2_err *err);

#endif
