/*
 * train/ops/windows.h - windows of images, cut out and put back.
 */
#ifndef NN_WINDOWS_H
#define NN_WINDOWS_H

#include "train/graph/graph.h"

/* A grid of windows over images of height x width pixels (struct dev_windows). */
struct nn_windows {
    int64_t height, width, rows, columns;
    int64_t step[2], first[2], size[2];
};

/* x (B, height width, D) -> (B rows columns, size[0] size[1], D), 0 beyond the edges.  What has no
 * gradient keeps its type. */
struct gr_tensor *nn_cut_windows(struct gr_graph *g, struct gr_tensor *x,
                                 const struct nn_windows *windows);

/* y (B rows columns, size[0] size[1], D) -> (B, height width, D): every pixel the sum of what
 * windows have in its place. */
struct gr_tensor *nn_put_windows(struct gr_graph *g, struct gr_tensor *y,
                                 const struct nn_windows *windows);

#endif
