/*
 * train/optim/method.h - what one optimizer is, for the files of this folder.
 *
 * optimizer.c does what all have in common (rate, weight decay, global norm, clipping) and calls
 * the method for the update; methods ask slots.c for memory.  The work is cut into pieces of a
 * fixed size, whatever the number of threads.
 */
#ifndef OPT_METHOD_H
#define OPT_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

/* At most PIECE consecutive floats of one trainable variable: nothing here touches a state. */
enum { OPT_PIECE_FLOATS = 32768, OPT_MAX_SLOTS = 3, OPT_MAX_SCALARS = 8 };

struct opt_piece {
    int variable;
    int64_t offset; /* first float, in the arenas of values and gradients */
    int64_t n;
};

/* One step, as the method sees it. */
struct opt_update {
    const struct opt_optimizer *o;
    float *values;       /* arena */
    const float *grads;  /* arena */
    float *const *slots; /* the method's arenas of slots */
    int64_t step;        /* global step before the update */
    int64_t updates;     /* calls before this one */
    float rate;
    float scale;                    /* the gradient is scale * grads: 1, or less when clipped */
    float scalars[OPT_MAX_SCALARS]; /* what `begin` computes once a step */
};

struct opt_method {
    const char *name;   /* as in hparam `optimizer`, snake_case */
    const char *slot;   /* TensorFlow's name for its slots: "Adam" */
    bool decays_itself; /* hparam weight_decay is the method's; no L2 term in the loss */
    /* Checks hparams, adds slots.  Once. */
    enum t2_status (*prepare)(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err);
    /* Scalars of a step, or a refusal before anything changed.  May be NULL. */
    enum t2_status (*begin)(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err);
    /* One of the two: element by element over a piece, or a whole variable at once. */
    void (*piece)(const struct opt_update *u, const struct opt_piece *p);
    void (*variable)(const struct opt_update *u, int variable);
    /* After all of them.  May be NULL. */
    void (*end)(struct opt_optimizer *o, const struct opt_update *u);
    void (*release)(void *own); /* may be NULL */
};

struct opt_optimizer {
    const struct opt_method *method;
    struct mdl_hparams *hp;
    struct gr_params *params;
    struct opt_piece *pieces;
    int64_t n_pieces;
    double *sums;                /* (n_pieces, 2): squares of gradients, of values that decay */
    bool *decays;                /* by variable */
    float *slots[OPT_MAX_SLOTS]; /* arenas as large as the values', NULL when not used */
    float *extra;                /* one arena for slots of other shapes; NULL when there are none */
    struct opt_slot *named_slots; /* all, for checkpoints; names in slot_names */
    size_t n_named_slots, named_slots_capacity;
    struct t2_strs slot_names;
    int64_t updates;
    double weight_decay, clip_norm; /* weight_decay 0 where the method does it */
    double grad_noise, weight_noise;
    bool *noisy; /* by variable: weight noise is for those of the body */
    uint64_t seed;
    float *averages; /* arena; NULL without moving averages */
    double average_decay;
    bool average_trainable_only, averages_started;
    float *slow; /* arena; NULL without lookahead */
    int64_t lookahead_steps;
    double lookahead_decay;
    float settings[OPT_MAX_SCALARS]; /* hparams of the method, as floats */
    void *own;                       /* of the method, released by method->release */
};

extern const struct opt_method opt_adam, opt_true_adam, opt_adam_w, opt_multistep_adam;
extern const struct opt_method opt_adafactor, opt_momentum, opt_adagrad, opt_rms_prop, opt_sgd;
extern const struct opt_method opt_ftrl, opt_yellow_fin;
extern const struct opt_method opt_keras_adam, opt_amsgrad, opt_adamax, opt_nadam, opt_keras_sgd;
extern const struct opt_method opt_keras_rms_prop, opt_keras_adagrad, opt_lars;

/* ---- slots.c, for `prepare` ---- */

/* n_floats of device memory; NULL with T2_ENOMEM, which says how much. */
float *opt_alloc(struct opt_optimizer *o, int64_t n_floats, struct t2_err *err);
/* What a slot holds: numbers of any sign, or sums and means of squares, largest sizes. */
enum opt_sign { OPT_SIGNED, OPT_UNSIGNED };
/* Adds arena `slots[i]`, i counting up from 0, filled with `initial`, with a slot for every
 * variable. T2_ENOMEM says how much. */
T2_MUST_CHECK enum t2_status opt_add_slots(struct opt_optimizer *o, int i, enum opt_sign sign,
                                           float initial, struct t2_err *err);
/* A slot of its own name for what belongs to no variable; its first n_unsigned floats are never
 * negative. */
void opt_add_named_slot(struct opt_optimizer *o, const char *name, int64_t n, int64_t n_unsigned,
                        float *values);
/* A slot of its own name, of any sign. */
void opt_add_shaped_slot(struct opt_optimizer *o, const char *name, int rank, const int64_t *dims,
                         float *values);
/* The name of the variable's next slot, by TensorFlow's rule: training/<variable>/<Slot>, then
 * _1.. */
void opt_add_slot(struct opt_optimizer *o, const struct gr_variable *v, enum opt_sign sign,
                  int rank, const int64_t *dims, float *values);
/* fn(arg, i, worker) for all i < n, on the device's pool when it has one. */
void opt_run(const struct opt_optimizer *o, int64_t n, void (*fn)(void *arg, int64_t i, int worker),
             void *arg);

/* ---- adam.c, for its relatives ---- */

/* The settings that Adam's relatives share, from hparams optimizer_adam_*, and opt_first_count. */
enum { OPT_BETA1, OPT_BETA2, OPT_EPSILON, OPT_FIRST, OPT_N_ADAM };
T2_MUST_CHECK enum t2_status opt_adam_settings(struct opt_optimizer *o,
                                               const struct mdl_hparams *hp, struct t2_err *err);
/* beta^k as TensorFlow's variable beta1_power holds it: multiplied in float32, step by step. */
float opt_power(float beta, int64_t k);

/* ---- lookahead.c, for optimizer.c ---- */

T2_MUST_CHECK enum t2_status opt_prepare_lookahead(struct opt_optimizer *o,
                                                   const struct mdl_hparams *hp,
                                                   struct t2_err *err);
/* Before and after the update of a step. */
void opt_start_lookahead(struct opt_optimizer *o);
void opt_look_ahead(struct opt_optimizer *o, int64_t global_step, int64_t train_steps);

/* ---- moving_average.c, for optimizer.c ---- */

T2_MUST_CHECK enum t2_status opt_prepare_averages(struct opt_optimizer *o,
                                                  const struct mdl_hparams *hp, struct t2_err *err);
/* After the update of a step. */
void opt_update_averages(struct opt_optimizer *o, int64_t global_step);

#endif
