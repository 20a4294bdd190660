/*
 * train/ops/draw.h - random numbers of a training step as tensors, drawn on the device.
 *
 * Each is named by the step, a number that the model gives, and the row in the batch of all ranks.
 */
#ifndef NN_DRAW_H
#define NN_DRAW_H

#include "train/graph/graph.h"

/* (B), without a gradient: 0 for a share `rate` of the rows, 1 / (1 - rate) for the others. */
struct gr_tensor *nn_draw_keep(struct gr_graph *g, int64_t B, double rate, uint32_t number);

/* (B), without a gradient: what branch `branch` of several has of each row; their shares add up to
 * 1.  set: its number among those of the model.  given (branches, B), GR_FLOATS, is used in place
 * of random numbers; NULL without. */
struct gr_tensor *nn_draw_share(struct gr_graph *g, int64_t B, uint32_t set, uint32_t branches,
                                uint32_t branch, struct gr_tensor *given);

/* y = x + deviation * n, both of any shape (B, ...): n is of the normal distribution, of each
 * element another.  number: as of nn_draw_keep, another than the model gives it.  dx = dy;
 * ddeviation = dy * n. */
struct gr_tensor *nn_add_normal(struct gr_graph *g, struct gr_tensor *x,
                                struct gr_tensor *deviation, uint32_t number);

/* hparam symbol_dropout (dropout_no_scaling of the original's modalities), in place: ids become 0,
 * so they are embedded as zeros and hidden from attention, as padding is.  Before any operator that
 * reads them.  side: 0 inputs, 1 targets. */
void nn_drop_ids(struct gr_graph *g, struct gr_tensor *ids, double rate, uint32_t side);

#endif
