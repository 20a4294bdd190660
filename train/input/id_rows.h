/*
 * train/input/id_rows.h - the matrices of ids of a batch: room, zeros, and what a row holds.
 */
#ifndef IN_ID_ROWS_H
#define IN_ID_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/batch_item.h"

struct in_id_shape {
    int32_t n_rows;         /* B, of this rank */
    int32_t inputs_length;  /* L of the inputs; 0: the model reads none */
    int32_t targets_length; /* L of the targets */
    bool packed;            /* with segments and positions */
    bool masked;            /* with targets_mask */
};

/* Sets item->batch: all matrices of the shape, full of zeros.  T2_ENOMEM. */
T2_MUST_CHECK enum t2_status in_id_rows_begin(struct in_item *item, const struct in_id_shape *shape,
                                              struct t2_err *err);

/* The matrix of a block; only between in_id_rows_begin and the end of its maker. */
static inline int32_t *in_id_rows(const struct in_item *item, enum in_block_name name)
{
    return item->blocks[name].data;
}

/* n ids to place `at` of a matrix. */
void in_id_rows_copy(const struct in_item *item, enum in_block_name name, size_t at,
                     const int32_t *from, int32_t n);

#endif
