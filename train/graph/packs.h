/*
 * train/graph/packs.h - weights of dense layers, packed for a device (device/packed_kernels.h) and
 * kept for all graphs of a search.
 *
 * An operator that multiplies by a parameter asks for its pack while a graph is built, and reads
 * it when it runs; between the two, best behind gr_bind, gr_packs_make packs what is new: from the
 * values, or where these are made late (late_values.h) and no graph wanted them, from a copy that
 * is there for so long, of floats, or of the 8 bits that they are made from.  Values of parameters
 * do not change while there are packs of them.
 */
#ifndef GR_PACKS_H
#define GR_PACKS_H

#include "train/graph/graph.h"

struct gr_pack {
    int param;
    bool trans; /* the weights are (N,K): a table of symbols */
    int64_t K, N;
    float *packed; /* device memory, a place in a block; NULL before gr_packs_make */
};

struct gr_packs {
    struct gr_params *params;
    enum dev_type type;
    struct gr_pack **items;
    int n, capacity;
    int n_packed;  /* the first of them */
    void **blocks; /* what each gr_packs_make has packed into */
    int n_blocks;
    uint64_t bytes; /* of all, packed or not */
};

void gr_packs_init(struct gr_packs *p, struct gr_params *params, enum dev_type type);
void gr_packs_release(struct gr_packs *p);

/* The pack of a graph's parameter w, op(w) (K,N); NULL: the graph has none (g->packs), or w cannot
 * be packed.  Belongs to the packs. */
const struct gr_pack *gr_pack_of(struct gr_graph *g, const struct gr_tensor *w, bool trans,
                                 int64_t K, int64_t N);

/* What gr_packs_make needs besides, while it works. */
uint64_t gr_packs_scratch_bytes(const struct gr_packs *p);
/* Packs those that are not yet.  T2_ENOMEM. */
T2_MUST_CHECK enum t2_status gr_packs_make(struct gr_packs *p, struct t2_err *err);

#endif
