/*
 * base/npy.h - the header of NumPy's .npy files, versions 1 to 3.
 *
 * Accepts and refuses what numpy.load does (allow_pickle=False), except that structured types are
 * refused as unsupported.
 */
#ifndef T2_BASE_NPY_H
#define T2_BASE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { T2_NPY_MAX_DIMS = 64 };

struct t2_npy {
    char kind; /* b bool, i u integers, f float, c complex, S bytes, U text, V raw, m M times */
    size_t item_bytes;
    bool big_endian, fortran;
    size_t n_dims;
    uint64_t dims[T2_NPY_MAX_DIMS];
    uint64_t n_items;
    size_t header_bytes; /* where the data begins */
};

/* all is the whole file.  T2_EFORMAT or T2_EUNSUPPORTED with origin in front; the data are all
 * there. */
T2_MUST_CHECK enum t2_status t2_npy_parse(struct t2_slice all, const char *origin, struct t2_npy *a,
                                          struct t2_err *err);
/* Appends a version 1 header, as numpy writes it: descr is "<i8", "|S5"; C order. */
void t2_npy_header(struct t2_buf *out, const char *descr, const uint64_t *dims, size_t n_dims);

#endif
