/*
 * train/ops/excite.h - every channel of an image times a number of its own.
 */
#ifndef NN_EXCITE_H
#define NN_EXCITE_H

#include "train/graph/graph.h"

/* y (B,H,W,C) = x[b,h,w,c] * sigmoid(gate[b,c]): x (B,H,W,C), gate (B,C); what
 * squeeze-and-excitation ends with. */
struct gr_tensor *nn_excite(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate);

#endif
