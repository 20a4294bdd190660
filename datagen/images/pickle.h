/*
 * datagen/images/pickle.h - reading Python pickles as data: dict, list, tuple, text, bytes, int and
 * NumPy arrays of bytes.  Nothing is called or imported, so any file may be read.
 */
#ifndef DG_PICKLE_H
#define DG_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct dg_pickle;

/* Protocols 2 to 5.  file is borrowed for the life of *p.  T2_EFORMAT names `origin`, the offset
 * and what is wrong or not known. */
T2_MUST_CHECK enum t2_status dg_pickle_parse(struct t2_slice file, const char *origin,
                                             struct dg_pickle **p, struct t2_err *err);
void dg_pickle_free(struct dg_pickle *p); /* NULL is allowed */

/* The list of ints under a key of the dict that was pickled; *ints is owned by the caller. */
T2_MUST_CHECK enum t2_status dg_pickle_ints(const struct dg_pickle *p, const char *key,
                                            int64_t **ints, size_t *n, struct t2_err *err);
/* A matrix of unsigned bytes, row by row, appended to *bytes. */
T2_MUST_CHECK enum t2_status dg_pickle_matrix(const struct dg_pickle *p, const char *key,
                                              size_t *rows, size_t *columns, struct t2_buf *bytes,
                                              struct t2_err *err);

#endif
