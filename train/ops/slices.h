/*
 * train/ops/slices.h - positions of sequences cut out, joined and repeated.
 */
#ifndef NN_SLICES_H
#define NN_SLICES_H

#include "train/graph/graph.h"

/* Positions first .. first + n - 1 of x (B, L, D), each cut into `pieces` of equal length, which
 * divide n: (B * pieces, n / pieces, D). */
struct gr_tensor *nn_slice_positions(struct gr_graph *g, struct gr_tensor *x, int64_t first,
                                     int64_t n, int64_t pieces);

/* (B, the sum of L_i, D): for each of B sequences what x[0] has of it, then x[1], …; x[i] has
 * B L_i D values, which lie as (B, L_i, D), D its last axis.  At most GR_MAX_INPUTS, none twice. */
struct gr_tensor *nn_join_positions(struct gr_graph *g, struct gr_tensor *const *x, int n,
                                    int64_t B);

/* x (B, …) of B D values -> (B, n, D): each of the B rows n times.  x may be without gradient. */
struct gr_tensor *nn_repeat(struct gr_graph *g, struct gr_tensor *x, int64_t n);

#endif
