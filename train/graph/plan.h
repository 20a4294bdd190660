/*
 * train/graph/plan.h - places in the arena by lifetime.
 */
#ifndef GR_PLAN_H
#define GR_PLAN_H

#include "train/graph/graph.h"

/*
 * Gives every tensor, gradient and scratch buffer its byte offset and sets g->arena_bytes.
 *
 * Time: node n runs forward at n and backward at 2 N - 1 - n.  A value lives from its node to the last
 * forward or backward run that reads it; a gradient from its first to its last use; scratch for one
 * moment.  Buffers that are alive together do not overlap.  Largest first, each at the lowest place
 * that is free for its whole life.
 */
void gr_plan(struct gr_graph *g, struct gr_tensor *const *keep, int n_keep);

#endif
