/*
 * train/graph/plan.h - places in the arena by lifetime.
 */
#ifndef GR_PLAN_H
#define GR_PLAN_H

#include "train/graph/graph.h"

/*
 * Gives every tensor, gradient and scratch buffer its byte offset and sets g->arena_bytes.
 *
 * Time: node n runs forward at n; step k of g->backward_steps is at N + k.  A value lives from its
 * node to the last run that reads it; one that is computed again (remat.h) has two lives at one
 * place, the second from its node's second run on.  A gradient lives from its first to its last
 * use; scratch for one moment of each run.  Buffers that are alive together do not overlap. Largest
 * first, each at the lowest place that is free for its whole life.
 */
void gr_plan(struct gr_graph *g, struct gr_tensor *const *keep, int n_keep);

#endif
