/*
 * train/exchange/flow_graph.h - from our graph of a model to a flow.
 */
#ifndef XCH_FLOW_GRAPH_H
#define XCH_FLOW_GRAPH_H

#include "train/exchange/exchange.h"
#include "train/exchange/flow.h"

/*
 * The logits of a model that reads ids or images, from inputs named "inputs" and "targets" (ids,
 * (B, L); logits at a position are of targets before it), or "images" (B, H, W, C), the size that
 * the model was trained with.  T2_EUNSUPPORTED names the operator or option that flows lack.
 * *f is owned by the caller (xch_flow_release), also on failure.
 */
T2_MUST_CHECK enum t2_status xch_flow_of(const struct xch_model *m, struct mdl *mdl,
                                         struct xch_flow *f, struct t2_err *err);

#endif
