/*
 * train/models/model_parts.h - the inside of struct mdl, for model.c and the decoder.
 */
#ifndef MDL_MODEL_PARTS_H
#define MDL_MODEL_PARTS_H

#include "train/models/kind.h"

enum { MDL_MAX_OLD_TABLES = 40 };

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
    bool remat;
    struct gr_params params;
    struct mdl_tables tables;
    float *old_tables[MDL_MAX_OLD_TABLES]; /* of positions, from before they grew */
    int n_old_tables;
    bool has_positions; /* the newest table has its values */
    struct mdl_cached *graphs;
    int n_graphs;
    uint64_t clock; /* of graph uses */
    void *arena;
    size_t arena_bytes;
    struct gr_profile *profile;
    const float *const *recorded_draws; /* of a test, for kind->draw */
    float *host_stats;
    int64_t host_stats_floats;
};

/* mdl_new of a kind that need not be registered: tests have their own. */
T2_MUST_CHECK enum t2_status mdl_new_of_kind(const struct mdl_kind *kind, struct dev *dev,
                                             const struct mdl_hparams *hp,
                                             const struct mdl_problem *problem, enum mdl_mode mode,
                                             struct mdl **m, struct t2_err *err);
void mdl_drop_graphs(struct mdl *m);
/* Makes the table of positions long enough, without values: for what is only planned. */
T2_MUST_CHECK enum t2_status mdl_place_positions(struct mdl *m, int64_t n, struct t2_err *err);
/* With them. */
T2_MUST_CHECK enum t2_status mdl_need_positions(struct mdl *m, int64_t n, struct t2_err *err);

/* ---- model_batch.c ---- */

struct mdl_shape mdl_shape_of(const struct mdl_batch *b);
/* T2_EFORMAT names what does not fit: sizes, packing, positions. */
T2_MUST_CHECK enum t2_status mdl_check_batch(const struct mdl *m, const struct mdl_batch *batch,
                                             struct t2_err *err);
/* Class labels of images; ids of text are checked where they are read. */
T2_MUST_CHECK enum t2_status mdl_check_labels(const struct mdl *m, const struct mdl_batch *b,
                                              struct t2_err *err);

#endif
