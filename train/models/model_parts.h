/*
 * train/models/model_parts.h - the inside of struct mdl, for model.c and the decoder.
 */
#ifndef MDL_MODEL_PARTS_H
#define MDL_MODEL_PARTS_H

#include "train/device/readback.h"
#include "train/graph/packs.h"
#include "train/models/batch_stages.h"
#include "train/models/kind.h"
#include "train/models/positions.h"

enum mdl_use { MDL_USE_TRAIN, MDL_USE_EVAL, MDL_USE_LOGITS };

struct mdl_cached {
    enum mdl_use use;
    struct mdl_graph graph;
    uint64_t last_use;
};

struct mdl {
    const struct mdl_kind *kind;
    struct dev *dev;
    struct mdl_hparams *hp, *eval_hp; /* as given; with dropout and smoothing off */
    struct mdl_problem problem;
    enum mdl_mode mode;
    bool remat, predicts;
    bool convolves;        /* a graph that was planned has convolutions of images */
    struct gr_packs packs; /* of searches and logits alike, while packs_users > 0 */
    int packs_users;
    bool packs_logits; /* mdl_pack_weights, one of the users */
    bool decodes;      /* logits are asked for by prefix_search.c from now on */
    struct gr_params params;
    struct mdl_positions positions;
    struct mdl_cached *graphs;
    int n_graphs;
    uint64_t clock; /* of graph uses */
    void *arena;
    size_t arena_bytes;
    struct mdl_stages stages;
    struct gr_profile *profile;
    const struct gr_listener *listener;
    struct gr_watch *watch;
    const float *const *given_draws; /* of a test: for each of the graph's given_draws */
    struct dev_loss_sums *loss_sums; /* of the last batch, device memory */
    struct dev_readback losses;      /* what they were, of steps whose loss was not taken */
    struct mdl_regulariser *regulariser;
    double loss_scale; /* 0: 1 */
};

/* mdl_new of a kind that need not be registered: tests have their own. */
T2_MUST_CHECK enum t2_status mdl_new_of_kind(const struct mdl_kind *kind, struct dev *dev,
                                             const struct mdl_hparams *hp,
                                             const struct mdl_problem *problem, enum mdl_mode mode,
                                             struct mdl **m, struct t2_err *err);
void mdl_drop_graphs(struct mdl *m);
/* The graph for a shape, bound to the model's arena; borrowed until the next call. */
T2_MUST_CHECK enum t2_status mdl_get_graph(struct mdl *m, enum mdl_use use,
                                           const struct mdl_shape *batch, struct mdl_graph **graph,
                                           struct t2_err *err);
/* The packs of the model's weights, for one more user, until it leaves them; the last one's leaving
 * frees them, and parameters may change again. */
struct gr_packs *mdl_use_packs(struct mdl *m);
void mdl_leave_packs(struct mdl *m);
/* Runs the graph of a batch's logits (batch, …, columns), on the device until the next run. */
T2_MUST_CHECK enum t2_status mdl_run_logits(struct mdl *m, const struct mdl_batch *batch,
                                            const struct gr_tensor **logits, struct t2_err *err);

/* ---- model_batch.c ---- */

struct mdl_shape mdl_shape_of(const struct mdl_batch *b);
/* T2_EFORMAT names what does not fit: sizes, packing, positions. */
T2_MUST_CHECK enum t2_status mdl_check_batch(const struct mdl *m, const struct mdl_batch *batch,
                                             struct t2_err *err);
/* Class labels of images; ids of text are checked where they are read. */
T2_MUST_CHECK enum t2_status mdl_check_labels(const struct mdl *m, const struct mdl_batch *b,
                                              struct t2_err *err);

#endif
