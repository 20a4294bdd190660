/*
 * train/graph/remat.h - the steps of the backward pass, with layers computed again where memory is
 * to be saved.
 *
 * Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost.
 */
#ifndef GR_REMAT_H
#define GR_REMAT_H

#include "train/graph/graph.h"

/*
 * Sets g->backward_steps, and `rerun` of the nodes, from `layer` and `backward`.
 *
 * Without g->remat: the backward runs of the nodes, last node first.  With it, before the first
 * backward run of a layer come forward runs of those of its nodes whose values only the layer
 * itself needs once more; such a value need not live in between.  What other layers need is kept.
 * A node that runs again reads what it read before and draws the same dropout mask, so it gives the
 * same bits.
 */
void gr_schedule_backward(struct gr_graph *g);

#endif
