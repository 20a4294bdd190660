/*
 * train/ops/attention.h - multi-head dot-product attention, in training and against a cache.
 */
#ifndef NN_ATTENTION_H
#define NN_ATTENTION_H

#include "train/graph/graph.h"

struct nn_attention {
    int64_t heads;
    struct gr_tensor *key_ids;                 /* (B, Lk) or NULL: keys whose id is 0 are masked */
    struct gr_tensor *q_segments, *k_segments; /* (B, Lq), (B, Lk) or NULL: others are masked */
    struct gr_tensor *q_levels, *k_levels;     /* or NULL: keys of a higher level are masked */
    bool causal;
    bool proximity; /* distant keys count less */
    int64_t hard_k; /* 0: soft weights */
    double scale;   /* of the logits */
    double dropout; /* of the weights */
    bool dropout_same_batch, dropout_same_heads, dropout_same_queries;
    /* k and v (1, rows, …) are one memory for the queries of the whole batch; no masks then. */
    bool one_memory;
    enum dev_relative_kind relative;
    struct gr_tensor *relative_k, *relative_v; /* ([heads,] rows, D per head); v may be NULL */
    /* Decoding: q holds one query per row, several consecutive of which share a batch element of k
     * and v; 1 in training. */
    int64_t q_per_key;
    /* Decoding: k and v are caches (B, rows, …) of which those of position + 1 positions are
     * filled, step_keys rows each (0 is one). */
    bool cached;
    int64_t step_keys;
    struct gr_tensor *cache_index; /* of several hypotheses (nn_cache_index); else NULL */
};

/* q (B, Lq, heads * Dk), k (B, Lk, heads * Dk), v (B, Lk, heads * Dv) -> (B, Lq, heads * Dv).  The
 * formula is at struct dev_attention (device/kernels.h). */
struct gr_tensor *nn_attention(struct gr_graph *g, struct gr_tensor *q, struct gr_tensor *k,
                               struct gr_tensor *v, const struct nn_attention *attention);

/* How a node of operator "attention" was made; borrowed from the graph. */
const struct nn_attention *nn_attention_of(const struct gr_node *node);

/* Writes x (B, n, D) into the n rows of the position of cache (B, rows, D), a GR_CONST tensor;
 * returns the cache, so that what reads it comes later. */
struct gr_tensor *nn_cache_put(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *cache);

/* Hypotheses change places without their caches (struct dev_cache_index_args): the tables (2, B,
 * cache_rows) that say where the rows of each lie, step_rows for a position, brought up to date
 * when the graph runs.  origins (B, 1) are ids: whom each continues. */
struct gr_tensor *nn_cache_index(struct gr_graph *g, struct gr_tensor *origins, int64_t cache_rows,
                                 int64_t step_rows);

#endif
