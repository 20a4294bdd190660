/*
 * train/device/draw_kernels.h - arguments of the kernels that draw per row, id or number; a part of
 * kernels.h.
 */
#ifndef DEV_DRAW_KERNELS_H
#define DEV_DRAW_KERNELS_H

#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

/* Stochastic depth: out (rows) is 0 with probability rate, else 1 / (1 - rate): floor(keep + u) /
 * keep with u number first_row + r of the stream (branch_key, step, number). */
struct dev_draw_keep_args {
    const struct dev_step *step;
    uint32_t number;
    double rate;
    int64_t rows;
    float *out;
};

/* Shake-shake: out (rows) is the share of one of several branches, u[branch] / sum of u, or 1 /
 * branches where all are 0.  u[b] of row r is number first_row + r of the stream (branch_key, step,
 * set * branches + b), or given[b * rows + r]. */
struct dev_draw_share_args {
    const struct dev_step *step;
    uint32_t set, branches, branch;
    const float *given; /* (branches,rows), or NULL */
    int64_t rows;
    float *out;
};

/* ids (rows) of x (rows,D): 1 where some element is not 0, else 0; of each `length` rows the last
 * n_marked are 1 whatever they hold */
struct dev_mark_rows_args {
    enum dev_type type;
    const void *x;
    int64_t rows, D;
    int64_t length, n_marked;
    int32_t *ids;
};

/* In place: ids (rows,cols) become 0 with probability rate; number (first_row + r) * cols + c of
 * the stream (symbol_key, step, number) says so. */
struct dev_drop_ids_args {
    const struct dev_step *step;
    uint32_t number;
    double rate;
    int64_t rows, cols;
    int32_t *ids;
};

/* y (rows,cols) [+]= x + s * n, x NULL for 0.  n is of the normal distribution: of element (r,c)
 * number (first_row + r) * cols + c of the stream (branch_key, step, number). */
struct dev_add_normal_args {
    enum dev_type type;
    const struct dev_step *step;
    uint32_t number;
    const void *x, *s;
    int64_t rows, cols;
    bool accumulate;
    void *y;
};

#endif
