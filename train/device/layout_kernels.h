/*
 * train/device/layout_kernels.h - arguments of the kernels that move values to other places: axes,
 * columns, pixels, bytes of images; a part of kernels.h.
 */
#ifndef DEV_LAYOUT_KERNELS_H
#define DEV_LAYOUT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/types.h"

/* y (B,A,D) [+]= x (A,B,D); its own backward with A and B exchanged */
struct dev_swap_axes_args {
    enum dev_type type;
    const void *x;
    int64_t A, B, D;
    bool accumulate;
    void *y;
};

/* y (B,D) = mean over L of x (B,L,D) */
struct dev_mean_axis_args {
    enum dev_type type;
    const void *x;
    int64_t B, L, D;
    void *y;
};

/* dx (B,L,D) [+]= dy (B,D) / L */
struct dev_mean_axis_bwd_args {
    enum dev_type type;
    const void *dy;
    int64_t B, L, D;
    bool accumulate;
    void *dx;
};

/* y [+]= x for rows of cols values, a stride from one row to the next */
struct dev_copy_columns_args {
    enum dev_type type;
    const void *x;
    int64_t rows, cols, x_stride;
    bool accumulate;
    void *y;
    int64_t y_stride;
};

/* x, y (B,H,W,C) of dims: y[b,i,j] [+]= x[b,i+rows,j+columns], 0 beyond the edge */
struct dev_shift_pixels_args {
    enum dev_type type;
    const void *x;
    int64_t dims[4];
    int64_t rows, columns;
    bool accumulate;
    void *y;
};

/* x, y (B,H,W,C) of dims: y[b,i,j] = x[b,i,W-1-j] */
struct dev_mirror_pixels_args {
    enum dev_type type;
    const void *x;
    int64_t dims[4];
    void *y;
};

/*
 * Windows of images x (B,H,W,C) that lie in a grid of rows x columns: window (r, q) has the pixels
 * r step[0] + first[0] + i, q step[1] + first[1] + j for 0 <= i < size[0], 0 <= j < size[1].  They
 * may overlap, and lie beyond the edges.
 */
struct dev_windows {
    int64_t B, H, W, C, rows, columns;
    int64_t step[2], first[2], size[2];
};

/* y (B, rows columns, size[0] size[1], C) = the windows of x, 0 beyond the edges */
struct dev_cut_windows_args {
    struct dev_windows of;
    enum dev_type type;
    const void *x;
    bool accumulate;
    void *y;
};

/* x [+]= for every pixel the sum of what windows y have in its place, window after window; 0 for
 * those in none: the backward pass of cut_windows, and the other way round */
struct dev_put_windows_args {
    struct dev_windows of;
    enum dev_type type;
    const void *y;
    bool accumulate;
    void *x;
};

/* y[b,i,j,c] = values[c * 256 + x[b,i,j,c]] of x, y (B,H,W,C): bytes as the floats that they stand
 * for, values (C, 256).  Where mirrored (B) is not 0 x is read from the right: x[b,i,W-1-j,c];
 * NULL: no image is.  x is aligned as bytes are. */
struct dev_image_floats_args {
    int64_t B, H, W, C;
    const uint8_t *x, *mirrored;
    const float *values;
    float *y;
};

#endif
