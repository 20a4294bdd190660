/*
 * datagen/images/idx.h - the IDX files of MNIST: magic number, dimensions, bytes.
 */
#ifndef DG_IDX_H
#define DG_IDX_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { DG_IDX_DIMS = 3 };

struct dg_idx {
    size_t n, item_bytes; /* items, and the bytes of each */
    uint32_t dims[DG_IDX_DIMS];
    const uint8_t *data; /* borrowed from the file */
};

/* A file (not compressed) of unsigned bytes with n_dims dimensions, 1 labels or 3 images.
 * T2_EFORMAT names `origin` and what is wrong. */
T2_MUST_CHECK enum t2_status dg_idx_parse(struct t2_slice file, unsigned n_dims, const char *origin,
                                          struct dg_idx *idx, struct t2_err *err);

#endif
