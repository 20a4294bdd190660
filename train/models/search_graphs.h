/*
 * train/models/search_graphs.h - the graphs of searches by shape, and the one place in memory that
 * all are bound to; for model_decoder.c.
 *
 * A search has two graphs: one encodes the sources, the other makes a step.  Their arenas and the
 * caches of keys and values follow one another in one block, which is as large as the largest
 * search so far: searches come one after the other, and none reads what another has left.
 */
#ifndef MDL_SEARCH_GRAPHS_H
#define MDL_SEARCH_GRAPHS_H

#include "train/models/model_parts.h"

/* Of one shape. */
struct mdl_search_graphs {
    struct mdl_graph encode, step; /* encode.g NULL without inputs */
    struct mdl_memory memory;
    struct mdl_step parts;
    const float *positions; /* the table that they were built with */
    void *block;            /* that they are bound to; NULL: none yet */
    uint64_t graph_bytes;   /* of tensors and nodes themselves */
    size_t step_offset, caches_offset, origins_offset, block_bytes; /* in the block; its size */
};

/* A shape that was asked for. */
struct mdl_searched {
    struct mdl_search_shape shape;
    uint64_t bytes;                   /* mdl_decoder_plan */
    struct mdl_search_graphs *graphs; /* NULL: not built, or they had to go */
    uint64_t last_use;
};

struct mdl_searches {
    struct mdl *m;
    uint64_t max_bytes;
    int32_t n_layers;
    int64_t channels[3]; /* of the caches: k, v, f (0: none) */
    struct mdl_searched *shapes;
    int n_shapes;
    uint64_t clock;
    void *block;
    size_t block_bytes;
    int64_t n_built;
};

void mdl_searches_init(struct mdl_searches *s, struct mdl *m, uint64_t max_bytes);
void mdl_searches_release(struct mdl_searches *s);

/* mdl_decoder_plan. */
T2_MUST_CHECK enum t2_status mdl_searches_plan(struct mdl_searches *s,
                                               const struct mdl_search_shape *shape,
                                               uint64_t *bytes, struct t2_err *err);
/* The graphs of a shape, bound, with caches at their first side; valid until the next call. */
T2_MUST_CHECK enum t2_status mdl_searches_get(struct mdl_searches *s,
                                              const struct mdl_search_shape *shape,
                                              struct mdl_search_graphs **graphs,
                                              struct t2_err *err);
/* Cache c (0 k, 1 v, 2 f) of a layer: hypotheses are reordered from one side to the other. */
float *mdl_search_cache(const struct mdl_searches *s, const struct mdl_search_graphs *g, int side,
                        int c, int layer);
/* (rows) on the device: which row of a cache each row comes from when hypotheses are reordered;
 * there with more than one hypothesis a source. */
int32_t *mdl_search_origins(const struct mdl_search_graphs *g);
/* The step graph reads and writes this side from now on. */
void mdl_search_take_side(const struct mdl_searches *s, struct mdl_search_graphs *g, int side);

/* T2_ENOMEM with what to do about it. */
enum t2_status mdl_fail_decoding_memory(uint64_t bytes, struct t2_err *err);

#endif
