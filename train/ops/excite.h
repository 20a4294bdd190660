/*
 * train/ops/excite.h - every channel of an image times a number of its own.
 */
#ifndef NN_EXCITE_H
#define NN_EXCITE_H

#include "train/graph/graph.h"

/* y (B,H,W,C) = x[b,h,w,c] * sigmoid(gate[b,c]): x (B,H,W,C), gate (B,C); what
 * squeeze-and-excitation ends with. */
struct gr_tensor *nn_excite(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate);

/* The same with slope min(max(gate + 3, 0), 6), the hard sigmoid; its slope is 1/6, or rounded. */
struct gr_tensor *nn_excite_hard(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate,
                                 double slope);

/* x s(x) of any shape: swish, and with a slope hard swish. */
struct gr_tensor *nn_swish(struct gr_graph *g, struct gr_tensor *x);
struct gr_tensor *nn_hard_swish(struct gr_graph *g, struct gr_tensor *x);

#endif
