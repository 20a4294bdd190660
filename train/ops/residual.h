/*
 * train/ops/residual.h - dropout of a sub-layer's result and the residual connection; dropout
 * alone.
 */
#ifndef NN_RESIDUAL_H
#define NN_RESIDUAL_H

#include "train/graph/graph.h"

/* out = x + dropout(y), all (…, D).  row_ids (B, L) or NULL: rows whose id is 0 take nothing of y
 * (what T2T's pad remover does to a feed-forward layer).  dx = dout; dy = dropout(dout), 0 in such
 * rows. */
struct gr_tensor *nn_residual(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *y,
                              struct gr_tensor *row_ids, double dropout);
struct gr_tensor *nn_residual_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *y,
                                   struct gr_tensor *row_ids, struct gr_drop drop);

/* What layer normalisation right behind a residual connection needs, to do both in one pass
 * (layer_norm.c): inputs x, y, row_ids of its node.  NULL: it is another operator's. */
struct nn_residual {
    struct gr_drop drop;
    uint32_t site;
};
const struct nn_residual *nn_residual_of(const struct gr_node *node);

/* y = dropout(x) */
struct gr_tensor *nn_dropout(struct gr_graph *g, struct gr_tensor *x, double dropout);
struct gr_tensor *nn_dropout_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_drop drop);

#endif
