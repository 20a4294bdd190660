/*
 * train/graph/params.h - the parameters of a model: names, shapes, one arena for values, one for
 * gradients; and its states (moving averages), which are saved with them and not trained.
 *
 * A parameter is a tensor of the graph.  It is stored, initialised and optimised as one or more
 * variables: T2T cuts an embedding table into `symbol_modality_num_shards` variables of consecutive
 * rows, which lie one behind the other here, so the table is still one matrix.
 */
#ifndef GR_PARAMS_H
#define GR_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"
#include "train/device/device.h"

enum { GR_MAX_RANK = DEV_MAX_RANK };

enum gr_init {
    GR_INIT_ZEROS,
    GR_INIT_ONES,
    GR_INIT_CONSTANT,         /* `gain` everywhere */
    GR_INIT_NORMAL,           /* mean 0, standard deviation `gain` */
    GR_INIT_UNIFORM,          /* between -gain and gain */
    GR_INIT_TRUNCATED_NORMAL, /* standard deviation `gain` before what is beyond two of it is
                                 redrawn */
    GR_INIT_FAN_IN, /* variance_scaling_initializer(scale=gain): truncated, variance gain /
                       fan_in */
    GR_INIT_GLOROT, /* glorot_uniform: half width sqrt(6 / (fan_in + fan_out)) */
    /* Convolutions: filter o passes channel o on, as many as there are channels; the others uniform
     * between -1/sqrt(fan_in) and that (torch.nn.init.dirac_, PyTorch's default for the rest). */
    GR_INIT_DIRAC,
    /* A kernel of 2 x 2 x 3 -> 24: what makes parts of natural images, normalised, independent and
     * of variance 1, and the same negated (params_special.h). */
    GR_INIT_WHITEN,
    GR_INIT_DEFAULT /* what hparams `initializer` and `initializer_gain` say (§3.7) */
};

/* One named variable, as a checkpoint sees it. */
struct gr_variable {
    char *name; /* TensorFlow's name, without ":0" */
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n;      /* number of elements */
    int64_t offset; /* first element in the value and gradient arenas (in floats) */
    int param;      /* index of the parameter it is part of */
    bool trainable; /* false: a state, or frozen (frozen_variables.h); optimizers leave it alone */
    enum gr_init init;
    double init_gain; /* standard deviation or half width */
    double l2;        /* factor of its sum of squares in the loss (models/regularise.h); 0: none */
};

struct gr_param {
    int rank;
    int64_t dims[GR_MAX_RANK];
    int64_t n;
    int64_t offset; /* in floats, a multiple of DEV_ALIGN_BYTES / 4 */
    int first_variable, n_variables;
    bool trainable;
    /* Of a state that batches move: x := keep x + what the batch brings. */
    bool moves;
    float keep;
    enum dev_param_use use; /* layouts.h */
    int32_t layout;         /* the device's own; 0: that of checkpoints */
};

/*
 * The values once more, rounded to the device's precision, where products want them so
 * (dev.rounds_ahead).  Updates write both; who writes values otherwise says gr_values_changed, and
 * the next graph that runs rounds all of them first.
 */
struct gr_rounded {
    void *values; /* device memory (n_floats) */
    enum dev_type type;
    bool is_old;
};

struct gr_params {
    struct dev *dev;
    enum dev_type type; /* of values and grads: DEV_FLOAT32 */
    struct gr_param *params;
    int n_params, params_capacity;
    struct gr_variable *variables;
    int n_variables, variables_capacity;
    int64_t n_floats; /* of each arena, padding included */
    /* Variables that are trained lie in so many of them; 0: no variable is frozen, and it is all.
     */
    int64_t n_trained_floats;
    bool frozen;      /* no more parameters */
    bool regularised; /* the model has a regulariser of its own: no weight decay beside it */
    bool encoded;     /* hparam weight_dtype=bfloat16: initial values are rounded, too */
    bool repeats;     /* initial values are a few, again and again: only times are asked for */
    bool values_only; /* nobody trains: no gradients; set before gr_params_place */
    float *values;    /* device memory; NULL before gr_params_place */
    float *arena;     /* of the values; they lie elsewhere while they are lent */
    struct t2_mapped lent;
    struct gr_late *late; /* late_values.h; NULL: all values are there */
    int n_bound;          /* graphs that hold the values' addresses */
    float *grads;         /* device memory; NULL with values_only */
    struct dev_laid
        *laid; /* those that the device keeps in its own layout; device memory (n_laid) */
    int64_t n_laid;
    struct gr_rounded *rounded; /* NULL: before gr_params_place, or none */
    uint64_t n_tails; /* numbers that were given to what is queued behind graphs (graph.h) */
};

void gr_params_init(struct gr_params *p, struct dev *dev);
void gr_params_release(struct gr_params *p);

/*
 * The parameter called `name` of this shape: found, or added when not frozen.  With n_shards > 0
 * its rows are cut into variables "<name>_0" … (first V % n ones a row longer; where the name has a
 * '#', "_0" stands in its place), with n_shards == 0 there is one variable called `name`.  A second
 * request with another shape is an assertion.
 */
int gr_params_get(struct gr_params *p, const char *name, int rank, const int64_t *dims,
                  int n_shards, enum gr_init init, double init_gain);

/* Likewise a state. */
int gr_params_get_state(struct gr_params *p, const char *name, int rank, const int64_t *dims,
                        enum gr_init init, double init_gain);

/* Sets l2 of a parameter's variables. */
void gr_params_set_l2(struct gr_params *p, int param, double l2);

/* Allocates values and grads (zeroed) of parameters that are frozen, so that what is described can
 * be planned before.  T2_ENOMEM says how much. */
T2_MUST_CHECK enum t2_status gr_params_place(struct gr_params *p, struct t2_err *err);
/* Freezes and places them. */
T2_MUST_CHECK enum t2_status gr_params_freeze(struct gr_params *p, struct t2_err *err);

/*
 * Values in place, of a mapped file that has them as they lie in the arena: nothing is copied, and
 * nobody may write them.  gr_params_can_borrow: the device reads the host's memory, nobody trains,
 * no graph is bound, and places (n_variables; NULL: nowhere), where the file has each variable, are
 * those of the arena.  gr_params_borrow takes the map.  gr_params_own gives it back, before values
 * are written again; a graph that is bound then would read what is no more (assertion).  It also
 * ends what makes values late.
 */
bool gr_params_can_borrow(const struct gr_params *p, const void *const *places);
void gr_params_borrow(struct gr_params *p, const float *values, struct t2_mapped *map);
void gr_params_own(struct gr_params *p);

/* As what values are kept a second time: DEV_FLOAT32, not at all; and its bytes. */
enum dev_type gr_rounded_type(const struct gr_params *p);
uint64_t gr_rounded_bytes(const struct gr_params *p);
/* Where parameter data from float `at` on lies rounded; NULL: nowhere. */
void *gr_rounded_at(const struct gr_params *p, int64_t at);
static inline void gr_values_changed(const struct gr_params *p)
{
    if (p->rounded)
        p->rounded->is_old = true;
}
/* Queues what brings the rounded values up to date, if they are not. */
void gr_round_values(const struct gr_params *p);

/* Number of trainable values, as T2T prints it, and of their variables. */
int64_t gr_params_count(const struct gr_params *p);
int gr_params_count_variables(const struct gr_params *p);
const struct gr_variable *gr_params_find(const struct gr_params *p, const char *variable);

/* Draws all initial values: initializer and gain from the hparams (GR_INIT_DEFAULT), each variable
 * from its own stream named by its name, so neither order nor threads matter. */
T2_MUST_CHECK enum t2_status gr_params_initialise(struct gr_params *p, const char *initializer,
                                                  double gain, uint64_t seed, struct t2_err *err);

/* Is a variable of the parameter trained? */
bool gr_param_is_trained(const struct gr_params *p, int param);

#endif
