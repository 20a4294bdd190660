/*
 * train/ops/cast.h - a tensor as another type.
 */
#ifndef NN_CAST_H
#define NN_CAST_H

#include "train/graph/graph.h"

/* x as `type`, each element rounded; x itself where it has that type.  Operators call it for what
 * must be an activation of the graph's type, or float32: images, parameters, logits. */
struct gr_tensor *nn_convert(struct gr_graph *g, struct gr_tensor *x, enum dev_type type);

#endif
