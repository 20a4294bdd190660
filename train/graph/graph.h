/*
 * train/graph/graph.h - tensors without data, nodes, the derived backward pass, the memory plan.
 *
 * A graph is built once per batch shape: model code calls operators (train/ops/), each of which
 * adds a node.  gr_finish derives the backward pass, finds the lifetime of every tensor and gives
 * it a place in the arena; gr_run replays the nodes without allocation or look-up.
 *
 * Backward: nodes in reverse order.  The gradient of a tensor is written by the first node that
 * contributes to it and added to by the others; which is which is decided here, once.
 */
#ifndef GR_GRAPH_H
#define GR_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/device/device.h"
#include "train/device/kernels.h"
#include "train/graph/params.h"

#define GR_NO_PLACE ((size_t) -1)

enum { GR_MAX_INPUTS = 11, GR_MAX_OUTPUTS = 4 };

enum gr_kind {
    GR_ACTIVATION, /* made by a node; lives in the arena */
    GR_PARAM,      /* trainable; lives in the parameter arenas */
    GR_STATE,      /* saved with the parameters, changed by operators; has no gradient */
    GR_CONST,      /* data outside the graph, never changed by it (position table, caches) */
    GR_IDS,        /* int32 input, in the arena for the whole run; filled by the caller */
    GR_FLOATS      /* float input, likewise */
};

struct gr_node;

/* Borrowed from the graph. */
struct gr_tensor {
    int index; /* in the graph's list */
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n;
    enum gr_kind kind;
    enum dev_type type;         /* of the elements of value and grad */
    enum dev_type rounded_type; /* of a parameter that is kept rounded, too; else DEV_FLOAT32 */
    bool needs_grad;
    bool for_frozen;          /* nothing that is trained lies before it; set by gr_finish */
    int param;                /* GR_PARAM, GR_STATE */
    int32_t layout;           /* of a parameter and its gradient (device/param_layout.h) */
    struct gr_node *producer; /* GR_ACTIVATION */
    float *const *table;      /* gr_table's */
    bool has_grad;            /* some node contributes to the gradient */
    /* Places, valid after gr_bind. */
    void *value;
    int32_t *ids; /* GR_IDS */
    void *grad;
    void *rounded; /* of a parameter: gr_factor */
    /* Plan: byte offsets in the arena; GR_NO_PLACE = none. */
    size_t value_offset, grad_offset;
};

struct gr_profile;
struct gr_watch;
struct gr_packs;

/* How much is dropped, and whether the positions of a sequence share their mask. */
struct gr_drop {
    double rate;
    bool same_positions;
};

/* Calls that come behind the passes of a step.  As long as `number` is the same they are, too. */
struct gr_tail {
    void (*queue)(void *context);
    void *context;
    uint64_t number;
};

struct gr_listener {
    void (*gradients_stay)(void *context, int64_t from);
    void *context;
    int64_t bucket; /* where passes are recorded it is told after so many floats */
};

/* The part that changes from one run of a graph to the next. */
struct gr_context {
    /* t2_rng_key of T2_RNG_DROPOUT, T2_RNG_BRANCH, T2_RNG_SYMBOL */
    uint32_t dropout_key[2], branch_key[2], symbol_key[2];
    uint64_t step;               /* names the streams of this step */
    int32_t first_row, rows;     /* that this rank has of the batch of all ranks */
    int32_t all_rows;            /* of that batch; 0: rows */
    int64_t position;            /* decoding: index of the current target */
    const int32_t *positions;    /* or of each row (struct dev_step), in device memory; NULL */
    const struct dev_live *live; /* decoding: operators on so many rows may leave out others */
    float grad_scale;            /* of the loss: multiplier loss_scale / number of targets */
    float loss_scale;            /* what gradients are divided by behind the backward pass; 0: 1 */
    struct gr_profile *profile;  /* NULL: nobody wants to know */
    struct gr_watch *watch;      /* NULL, likewise (watch.h); states are left as they are */
    /* Hears in the backward pass that floats `from` on of the gradients are as they stay; NULL:
     * nobody wants to know.  What it queues comes behind what they are computed by. */
    const struct gr_listener *listener;
    /* A signal ends a forward pass between two nodes; what it should have computed is not there, so
     * t2_check_interrupt is asked afterwards. */
    bool may_stop;
    /* Set by the graph's run: what of this kernels read, in device memory; the pass that is being
     * recorded, not done. */
    const struct dev_step *on_device;
    struct gr_pass *recorded;
    const struct gr_tail *tail; /* of gr_run_step */
};

/* An operator's functions.  fwd fills the outputs, and changes the states among the inputs when
 * node->update_states says so.  bwd reads the outputs' gradients and writes those
 * of the inputs that need one, honouring node->accumulate[input]. */
struct gr_op {
    const char *name;
    void (*fwd)(struct gr_node *node, const struct gr_context *context);
    void (*bwd)(struct gr_node *node, const struct gr_context *context);
    bool skips_gradients; /* bwd writes those of the inputs whose needs_grad says so, no others */
    bool runs_once;       /* fwd changes what it reads: remat keeps its outputs */
    unsigned bwd_uses_inputs;  /* bit i: bwd reads the value of input i */
    unsigned bwd_uses_outputs; /* bit i: bwd reads the value of output i */
    /* How input param_input is used when it is a parameter; kernels get its layout. */
    enum dev_param_use param_use;
    int param_input;
};

struct gr_node {
    const struct gr_op *op;
    struct dev *dev;
    int index; /* in the graph's list */
    int n_inputs, n_outputs;
    struct gr_tensor *inputs[GR_MAX_INPUTS]; /* optional ones may be NULL */
    struct gr_tensor *outputs[GR_MAX_OUTPUTS];
    bool accumulate[GR_MAX_INPUTS]; /* decided by gr_finish */
    bool backward;                  /* takes part in the backward pass */
    int layer;                      /* gr_layer; 0 = none */
    bool rerun;                     /* runs forward again before the layer's backward pass */
    bool update_states;             /* of this run: training, and not the second run of a layer */
    unsigned by_pack;               /* bit i: of input i only a pack is read (packs.h) */
    unsigned by_rows;               /* bit i: of input i only rows that gr_late_rows has made */
    void *attributes;               /* of the operator; owned by the graph */
    float *scratch;                 /* scratch_floats, valid during fwd and bwd only */
    int64_t scratch_fwd_floats, scratch_bwd_floats;
    size_t scratch_fwd_offset, scratch_bwd_offset;
};

/* The backward run of a node, or its forward run once more. */
struct gr_step {
    struct gr_node *node;
    bool again;
    int64_t stays_from; /* while somebody listens: the gradients behind are as they stay after it */
};

/* A pass over the nodes of a bound graph: run, then recorded, then replayed (dev.replay). */
/* Of a pass in the parts between which a listener is told; one without. */
struct gr_part {
    struct dev_recording *recording;
    int64_t stays_from;
};

struct gr_pass {
    bool ran, is_heard;    /* the parts are for a listener */
    uint64_t tail;         /* the number of what is queued behind; 0: nothing */
    bool is_lost;          /* a part could not be kept */
    struct gr_part *parts; /* NULL: not recorded yet, or the device keeps none */
    int n_parts;
};

struct gr_graph {
    struct dev *dev;
    struct gr_params *params;
    enum dev_type type;     /* of activations: the device's precision when the graph was made */
    bool training;          /* a backward pass follows */
    struct gr_packs *packs; /* of its weights (packs.h), borrowed; NULL: none, as in training */
    bool remat; /* layers are computed again in the backward pass; set before gr_finish */
    int layer;  /* of the nodes that are added now */
    struct gr_step *backward_steps; /* after gr_finish */
    int n_backward_steps;
    struct gr_node **nodes;
    int n_nodes, nodes_capacity;
    struct gr_tensor **tensors;
    int n_tensors, tensors_capacity;
    struct gr_tensor **param_tensors; /* by parameter index; NULL when not used by this graph */
    int param_tensors_capacity;
    uint32_t n_dropout_sites;
    struct dev_step *step; /* in the arena, before all tensors; after gr_bind */
    size_t arena_bytes;    /* after gr_finish */
    void *arena;           /* after gr_bind; borrowed */
    struct gr_pass forward, backward, step_pass;
    void *allocations; /* list of blocks that tensors, nodes and attributes live in */
};

/* params is borrowed.  A training graph has a backward pass. */
struct gr_graph *gr_new(struct dev *dev, struct gr_params *params, bool training);
void gr_free(struct gr_graph *g);

/* ---- for model code ---- */

struct gr_tensor *gr_param(struct gr_graph *g, const char *name, int rank, const int64_t *dims,
                           int n_shards, enum gr_init init, double init_gain);
/* A variable that is saved, restored and averaged with the others and that no optimizer knows:
 * moving averages.  Operators change it in fwd when node->update_states. */
struct gr_tensor *gr_state(struct gr_graph *g, const char *name, int rank, const int64_t *dims,
                           enum gr_init init, double init_gain);
/* A training run's forward pass makes `keep` times the state, and something, of it. */
void gr_state_moves(struct gr_graph *g, const struct gr_tensor *state, float keep);
/* data: float32 in device memory that outlives the graph */
struct gr_tensor *gr_const(struct gr_graph *g, int rank, const int64_t *dims, float *data);
/* The same, whose address is *data at gr_bind: it need not be there while a graph is planned. */
struct gr_tensor *gr_table(struct gr_graph *g, int rank, const int64_t *dims, float *const *data);
/* Likewise of the graph's type of activations; `data` may be set later (tensor->value): a cache. */
struct gr_tensor *gr_cache(struct gr_graph *g, int rank, const int64_t *dims, void *data);
struct gr_tensor *gr_ids(struct gr_graph *g, int rank, const int64_t *dims);
struct gr_tensor *gr_floats(struct gr_graph *g, int rank, const int64_t *dims);

/* Bytes of its values, and of its gradient. */
static inline size_t gr_bytes(const struct gr_tensor *t)
{
    return (size_t) t->n * dev_type_bytes(t->type);
}

/* ---- for operators ---- */

/* What a product reads of a tensor: of a parameter the rounded copy, where there is one. */
static inline enum dev_type gr_factor_type(const struct gr_tensor *t)
{
    return t->rounded_type != DEV_FLOAT32 ? t->rounded_type : t->type;
}

static inline const void *gr_factor(const struct gr_tensor *t)
{
    return t->rounded_type != DEV_FLOAT32 ? t->rounded : t->value;
}

/* Memory that lives as long as the graph, zeroed. */
void *gr_alloc(struct gr_graph *g, size_t bytes);
struct gr_node *gr_add_node(struct gr_graph *g, const struct gr_op *op, int n_inputs,
                            struct gr_tensor *const *inputs, void *attributes);
/* The node that was added last becomes another operator's, with inputs behind those it has. */
void gr_extend_node(struct gr_graph *g, struct gr_node *node, const struct gr_op *op, int n_more,
                    struct gr_tensor *const *more, void *attributes);
/* Adds an output of the graph's type of activations; needs_grad says whether a gradient, of the
 * same type, flows back through it. */
struct gr_tensor *gr_add_output(struct gr_graph *g, struct gr_node *node, int rank,
                                const int64_t *dims, bool needs_grad);
/* An output of another type: float32 for statistics, losses, and what stands for a parameter. */
struct gr_tensor *gr_add_output_of(struct gr_graph *g, struct gr_node *node, enum dev_type type,
                                   int rank, const int64_t *dims, bool needs_grad);
/* Nodes added from now on are part of this layer (> 0, each number once), or of none (0). */
void gr_layer(struct gr_graph *g, int layer);
/* Number of the next dropout mask of this graph. */
uint32_t gr_next_dropout_site(struct gr_graph *g);
/* The mask of a site in this run, for a tensor whose elements have `n_numbers` in it
 * (dropout_bits.h), as many for each row of the batch; 0: none of them belongs to a row of the
 * batch. */
struct dev_dropout gr_dropout(double rate, uint32_t site, uint64_t n_numbers,
                              const struct gr_context *context);
/* The same for x (B, L, D), all of whose L positions share one mask when same_positions. */
struct dev_dropout gr_dropout_of(const struct gr_drop *drop, uint32_t site,
                                 const struct gr_tensor *x, const struct gr_context *context);

/* ---- planning and running ---- */

/* Derives backward from `loss` (a node without outputs whose bwd starts the pass; NULL in
 * inference), checks that every trainable parameter gets a gradient (names the first that does
 * not), plans the arena. keep: tensors that must still hold their value after the run; may be
 * empty. */
T2_MUST_CHECK enum t2_status gr_finish(struct gr_graph *g, struct gr_node *loss,
                                       struct gr_tensor *const *keep, int n_keep,
                                       struct t2_err *err);
/* Points all tensors into an arena of at least arena_bytes (device memory).  From now on no address
 * of the graph moves, so a device may record a pass and replay it. */
void gr_bind(struct gr_graph *g, void *arena);
void gr_run_forward(struct gr_graph *g, const struct gr_context *asked);
void gr_run_backward(struct gr_graph *g, const struct gr_context *asked);
/* Both, and the tail, whose number is above 0: one recording, where the device keeps them.  Nobody
 * listens. */
void gr_run_step(struct gr_graph *g, const struct gr_context *asked, const struct gr_tail *tail);
/* What its last run was told, in device memory. */
const struct dev_step *gr_step_on_device(const struct gr_graph *g);

#endif
