/*
 * train/ops/embed.h - embedding of ids with position signal, added vector and dropout.
 */
#ifndef NN_EMBED_H
#define NN_EMBED_H

#include "train/graph/graph.h"

/* One embedding layer; see struct dev_embed (device/kernels.h) for the formula. */
struct nn_embed {
    struct gr_tensor *ids;   /* (B, L) */
    struct gr_tensor *table; /* (V, D) */
    double scale;
    int64_t parts;    /* above 0: of the table, which take turns by position; id 0 counts then */
    bool shift_right; /* decoder input: position l sees the id of l - 1 */
    struct gr_tensor *extra_table; /* (rows, D) or NULL: its row `extra_row` is added everywhere */
    int64_t extra_row;
    struct gr_tensor *positions;    /* (n, D) constant or trainable, or NULL */
    struct gr_tensor *position_ids; /* (B, L) or NULL: 0, 1, 2, … */
    bool at_position;               /* decoding: L is 1 and stands at the position */
    double dropout;
};

/* (B, L, D).  When at_position is set and position is 0 the embedding is the zero vector. */
struct gr_tensor *nn_embed(struct gr_graph *g, const struct nn_embed *e);

/* How a node of operator "embed" was made; borrowed from the graph. */
const struct nn_embed *nn_embed_of(const struct gr_node *node);

#endif
