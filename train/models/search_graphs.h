/*
 * train/models/search_graphs.h - the graphs of searches by shape, and the one place in memory that
 * all are bound to; for model_decoder.c.
 *
 * A search has two graphs: one encodes the sources, the other makes a step.  Their arenas and the
 * caches of keys and values follow one another in one block, which is as large as the largest
 * search so far: searches come one after the other, and none reads what another has left.  What is
 * bound stays where it is from step to step: hypotheses that change places take no caches along
 * (nn_cache_index).
 */
#ifndef MDL_SEARCH_GRAPHS_H
#define MDL_SEARCH_GRAPHS_H

#include "train/graph/packs.h"
#include "train/models/choice.h"
#include "train/models/model_parts.h"
#include "train/models/shortlist.h"

/* Encodes up to shape.refill sources of up to `width` ids, which take places that are free. */
struct mdl_refill {
    struct mdl_graph graph; /* g NULL: not built yet */
    struct mdl_memory memory;
    int32_t width;
};
enum { MDL_REFILLS = 4 };

/* Of one shape. */
struct mdl_search_graphs {
    struct mdl_graph encode, step; /* encode.g NULL without inputs */
    struct mdl_memory memory;
    /* The first is for all; the others, narrower and narrower, are built when they are wanted. */
    struct mdl_refill refills[MDL_REFILLS];
    int n_refills; /* 0: no source comes later */
    struct mdl_shortlist shortlist;
    struct gr_tensor *positions; /* (rows, 1), of the step; NULL without refill */
    struct mdl_step parts;
    const struct mdl_tables *tables; /* that they were built with */
    void *block;                     /* that they are bound to; NULL: none yet */
    void *choice;                    /* in it: mdl_choose's */
    uint64_t graph_bytes;            /* of tensors and nodes themselves */
    size_t step_offset, caches_offset, choice_offset, refill_offset; /* in the block */
    size_t shortlist_offset, block_bytes;
};

/* A shape that was asked for. */
struct mdl_searched {
    struct mdl_search_shape shape;
    bool planned;
    struct dev_bytes needed;          /* mdl_decoder_plan */
    struct mdl_search_graphs *graphs; /* NULL: not built, or they had to go */
    uint64_t last_use;
};

struct mdl_searches {
    struct mdl *m;
    struct dev_bytes limit;
    uint64_t tables_before; /* mdl_table_bytes when it began */
    struct mdl_choice choice;
    struct gr_packs *packs; /* the model's, as dev.weights says; NULL: weights are not packed */
    int32_t n_layers;
    int64_t channels[MDL_MAX_LAYERS][MDL_N_CACHES]; /* of the caches (0: none) */
    struct mdl_searched *shapes;
    int n_shapes;
    uint64_t clock;
    void *block;
    size_t block_bytes;
    int64_t n_built;
};

/* limit NULL: none. */
void mdl_searches_init(struct mdl_searches *s, struct mdl *m, const struct dev_bytes *limit);
void mdl_searches_release(struct mdl_searches *s);

/* mdl_decoder_plan. */
T2_MUST_CHECK enum t2_status mdl_searches_plan(struct mdl_searches *s,
                                               const struct mdl_search_shape *shape,
                                               struct dev_bytes *needed, struct t2_err *err);
/* The graphs of a shape, bound; valid until the next call. */
T2_MUST_CHECK enum t2_status mdl_searches_get(struct mdl_searches *s,
                                              const struct mdl_search_shape *shape,
                                              struct mdl_search_graphs **graphs,
                                              struct t2_err *err);
/* The narrowest for sources of up to so many ids, of graphs that are bound. */
T2_MUST_CHECK enum t2_status mdl_searches_refill(struct mdl_searches *s,
                                                 struct mdl_search_graphs *g, int32_t n_ids,
                                                 const struct mdl_refill **refill,
                                                 struct t2_err *err);
/* T2_ENOMEM with what to do about it. */
enum t2_status mdl_fail_decoding_memory(const struct dev *dev, uint64_t bytes, struct t2_err *err);

#endif
