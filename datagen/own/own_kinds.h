/*
 * datagen/own/own_kinds.h - the kinds of data of one's own that are lines or tables: what the two
 * sides of a sample are, and the columns of a table of which the command line says nothing.
 */
#ifndef DG_OWN_KINDS_H
#define DG_OWN_KINDS_H

#include "datagen/stream.h"

enum dg_own_side {
    DG_OWN_NONE,    /* there is no such side */
    DG_OWN_TEXT,    /* ids by a vocabulary */
    DG_OWN_NUMBERS, /* floats, as many in each sample */
    DG_OWN_CLASS,   /* one label */
    DG_OWN_SET      /* any number of labels */
};

struct dg_own_kind {
    const char *name;
    enum dg_own_side sides[DG_N_SIDES];
};

/* T2_EUSAGE names all. */
T2_MUST_CHECK enum t2_status dg_own_kind_find(const char *name, const struct dg_own_kind **kind,
                                              struct t2_err *err);
/* Is a side numbers, or a set of labels? */
bool dg_own_kind_has_values(const struct dg_own_kind *kind);

/*
 * For a kind that has values: the columns of the files of `parts`, which are those of the first.
 * JSON lines have members inputs and targets; of a table of numbers the last column is the target,
 * and the first row names the columns if one of the others has no number in it.  Where the files
 * are no tables, or the kind's inputs are text, nothing changes.  T2_EFORMAT: a name is there
 * twice.
 */
T2_MUST_CHECK enum t2_status dg_own_kind_columns(const struct dg_own_kind *kind,
                                                 const struct dg_text_parts *parts,
                                                 struct dg_columns *columns, struct t2_err *err);

#endif
