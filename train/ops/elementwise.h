/*
 * train/ops/elementwise.h - values taken over one by one.
 */
#ifndef NN_ELEMENTWISE_H
#define NN_ELEMENTWISE_H

#include "train/graph/graph.h"

/* x (B, …) -> (B, the product of the other dimensions), the elements in their order.  x may be an input
 * without gradient. */
struct gr_tensor *nn_flatten(struct gr_graph *g, struct gr_tensor *x);

#endif
