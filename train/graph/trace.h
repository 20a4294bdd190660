/*
 * train/graph/trace.h - what ran in a step, node by node with its time, for a viewer.
 */
#ifndef GR_TRACE_H
#define GR_TRACE_H

#include "train/graph/graph.h"

struct gr_traced {
    const char *op;
    bool backward;
    char *scope;    /* "transformer/body/encoder/layer_2"; NULL: no layer */
    char *variable; /* that the node reads first; NULL: none */
    double begin_s; /* as t2_now_s */
    double seconds;
};

/* Zero-initialise, gr_trace_release. */
struct gr_trace {
    struct gr_traced *items;
    size_t n, capacity;
};

void gr_trace_release(struct gr_trace *t);
/* The next node; its times are still to come. */
void gr_trace_node(struct gr_trace *t, const struct gr_graph *g, const struct gr_node *node,
                   bool backward);

#endif
