/*
 * train/graph/watch.h - what the numbers of a run are: least and greatest value of every tensor
 * that a node writes, and the first that is not finite.  Each node is waited for and its tensors
 * are copied to the host, so this is for one step, to find a fault.
 */
#ifndef GR_WATCH_H
#define GR_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "train/graph/graph.h"

/* A tensor behind a node: an output of its forward run, or the gradient of an input behind its
 * backward run. */
struct gr_range {
    const char *op;
    bool backward, again; /* again: a forward run in the backward pass */
    int position;         /* which output, or which input */
    char *scope;     /* where in the model: "transformer/body/encoder/layer_2"; NULL: no layer */
    char *parameter; /* the variable that the node reads first; NULL: none */
    int rank;
    int64_t dims[GR_MAX_RANK], n;
    double least, most; /* of what is finite; NaN where nothing is */
    int64_t n_not_finite, first_not_finite;
};

/* Zero-initialise, gr_watch_release. */
struct gr_watch {
    bool measures; /* false: only plants */
    /* For tests of what follows: the first output of the first node of this layer gets a NaN as its
     * first element; 0: none. */
    int plant_layer;
    bool planted; /* in this run */
    struct gr_range *ranges;
    size_t n, capacity;
};

void gr_watch_release(struct gr_watch *w);
/* Behind the forward or backward run of a node, before the next. */
void gr_watch_node(struct gr_watch *w, const struct gr_graph *g, const struct gr_node *node,
                   bool backward, bool again);

/* The variable that a node reads first; NULL: none.  Where it is, as a variable says that it, or
 * another node of its layer, reads ("transformer/body/encoder/layer_2"; NULL: no layer; owned by
 * the caller). */
const char *gr_first_variable(const struct gr_graph *g, const struct gr_node *node);
char *gr_scope_of(const struct gr_graph *g, const struct gr_node *node);

/* NULL when all is finite. */
const struct gr_range *gr_watch_first_bad(const struct gr_watch *w);
/* "operator 'linear', forward, in transformer/body/encoder/layer_2, with '.../kernel': output
 * (30, 15, 48)" */
void gr_range_name(const struct gr_range *r, struct t2_buf *text);

#endif
