/*
 * train/ops/fill.h - values that depend on no other, or on ids alone.
 */
#ifndef NN_FILL_H
#define NN_FILL_H

#include "train/graph/graph.h"

/* Zeros of the graph's type; whatever is done with them, nothing flows back. */
struct gr_tensor *nn_zeros(struct gr_graph *g, int rank, const int64_t *dims);

/* (B), float32, without a gradient: 1 where position `position` of a row of ids (B, L) holds an id
 * that is not 0, else 0; position -1: 1 everywhere. */
struct gr_tensor *nn_filled(struct gr_graph *g, struct gr_tensor *ids, int64_t position);

/* The same of all positions: (B L). */
struct gr_tensor *nn_all_filled(struct gr_graph *g, struct gr_tensor *ids);

/* y (B, L, D): x where ids (B, L) are not 0, else 0; the gradient likewise. */
struct gr_tensor *nn_mask_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *ids);

#endif
