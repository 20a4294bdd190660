/*
 * train/optim/method.h - what one optimizer is, for the files of this folder.
 *
 * optimizer.c does what all have in common (rate, weight decay, global norm, clipping) and asks the
 * method to queue the kernel of its update; methods ask slots.c for memory.  Nothing here touches
 * the numbers: they are the device's, and kernels (train/device/rules/) compute with them.
 */
#ifndef OPT_METHOD_H
#define OPT_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "train/device/kernels.h"
#include "train/device/readback.h"
#include "train/graph/params.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

struct opt_method {
    const char *name;   /* as in hparam `optimizer`, snake_case */
    const char *slot;   /* TensorFlow's name for its slots: "Adam" */
    bool decays_itself; /* hparam weight_decay is the method's; no L2 term in the loss */
    bool whole;         /* its rule is about more than an element: no shares */
    /* What dev_piece.shrink is of a variable; NULL: 0. */
    float (*shrink)(const struct gr_variable *v, const struct mdl_hparams *hp);
    /* Checks hparams, sets settings, adds slots.  Once. */
    enum t2_status (*prepare)(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err);
    /* s->numbers of an update from s->rate, s->updates and the global step before it, or a refusal
     * before anything changed.  May be NULL. */
    enum t2_status (*begin)(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err);
    /* Queues the kernels of an update. */
    void (*update)(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u);
};

enum { OPT_MAX_BLOCKS = 16 };

struct opt_optimizer {
    const struct opt_method *method;
    struct mdl_hparams *hp;
    struct gr_params *params;
    bool planning;                /* counts what it would allocate, and allocates nothing */
    uint64_t planned_bytes;       /* so far */
    void *blocks[OPT_MAX_BLOCKS]; /* device memory: whatever opt_alloc gave */
    int n_blocks;
    /* The variables cut into pieces, on the host and on the device: n_pieces of trainable ones,
     * then those of states, n_all together. */
    struct dev_piece *host_pieces, *pieces;
    int64_t n_pieces, n_all;
    /* Of these what the share updates, with offsets from float `first` of the arenas on: n_here of
     * trainable variables, n_here_all together.  All of them where there is one share. */
    struct opt_share share;
    int64_t *cuts; /* (share.n + 1): where the parts of the arena of values begin */
    int64_t first, end;
    struct dev_piece *here; /* device memory */
    int64_t n_here, n_here_all;
    double *sums;                     /* device memory (n_pieces, OPT_SUMS) */
    struct dev_optimizer_step *step;  /* device memory */
    struct dev_readback steps;        /* what it was behind each update that nobody asked about */
    double rates[DEV_READBACKS];      /* of these, by the schedule */
    uint64_t tail;                    /* the number of its calls behind a graph (graph/graph.h) */
    const double *loss;               /* device memory, borrowed; NULL: not looked at */
    struct dev_recording *recording;  /* of an update, on devices that keep recordings */
    float settings[DEV_RULE_NUMBERS]; /* hparams of the method, as floats */
    float *slots[DEV_MAX_SLOTS];      /* arenas like the share's part of the values, or NULL */
    struct opt_slot *named_slots;     /* all, for checkpoints; names in slot_names */
    size_t n_named_slots, named_slots_capacity;
    struct t2_strs slot_names;
    int64_t updates;
    int64_t first_count;            /* of Adam's relatives: schedule.h */
    double weight_decay, clip_norm; /* weight_decay 0 where the method does it */
    double grad_noise, weight_noise;
    uint64_t seed;
    bool encodes_weights;
    float *averages; /* arena; NULL without moving averages */
    double average_decay;
    bool average_trainable_only, averages_started;
    float *slow; /* arena; NULL without lookahead */
    int64_t lookahead_steps;
    double lookahead_decay;
    void *own; /* of the method, from t2_alloc: its kernel's arguments, but for `of` */
};

#define METHOD(name) extern const struct opt_method opt_##name;
#include "train/optim/methods.def"

/* True if the name contains one of the parts, which '+' separates. */
static inline bool opt_name_has_part(const char *name, const char *parts)
{
    struct t2_strs list = {0};
    bool found = false;

    t2_strs_split(&list, parts, '+');
    for (size_t i = 0; i < list.n; i++)
        found |= list.items[i][0] != '\0' && strstr(name, list.items[i]);
    t2_strs_release(&list);
    return found;
}

/* ---- slots.c, for `prepare` ---- */

/* Sums of a piece that a kernel may ask for. */
enum { OPT_SUMS = 3 };

/* Zeroed device memory, freed with the optimizer; NULL with T2_ENOMEM, which says how much.  While
 * planning it is no memory: only slots.c looks whether it may be used. */
void *opt_alloc(struct opt_optimizer *o, size_t bytes, struct t2_err *err);
/* What a slot holds: numbers of any sign, or sums and means of squares, largest sizes. */
enum opt_sign { OPT_SIGNED, OPT_UNSIGNED };
/* Floats of an arena over all values, and over those that are trained: of the share's part. */
int64_t opt_part_floats(const struct opt_optimizer *o);
int64_t opt_trained_part_floats(const struct opt_optimizer *o);
/* Adds arena `slots[i]`, i counting up from 0, filled with `initial`, with a slot for every
 * variable. T2_ENOMEM says how much. */
T2_MUST_CHECK enum t2_status opt_add_slots(struct opt_optimizer *o, int i, enum opt_sign sign,
                                           float initial, struct t2_err *err);
/* Slots lie in a block of opt_alloc, from the float `at` on.  One of its own name for what belongs
 * to no variable; its first n_unsigned floats are never negative. */
void opt_add_named_slot(struct opt_optimizer *o, const char *name, int64_t n, int64_t n_unsigned,
                        float *block);
/* A slot of its own name, of any sign, for a variable: as large and at the same place as that, in a
 * block of opt_part_floats. */
void opt_add_shaped_slot(struct opt_optimizer *o, const char *name, const struct gr_variable *v,
                         float *block);
/* The name of the variable's next slot, by TensorFlow's rule: training/<variable>/<Slot>, then
 * _1.. */
void opt_add_slot(struct opt_optimizer *o, const struct gr_variable *v, enum opt_sign sign,
                  int rank, const int64_t *dims, float *block, int64_t at);
/* Another copy of a block of host memory on the device; NULL with T2_ENOMEM. */
void *opt_upload(struct opt_optimizer *o, const void *from, size_t bytes, struct t2_err *err);

/* ---- share.c, for optimizer.c ---- */

/* Sets cuts, first, end. */
void opt_cut_arena(struct opt_optimizer *o);

/* ---- adam.c, for its relatives ---- */

/* The first settings of Adam's relatives, from hparams optimizer_adam_*, and first_count. */
T2_MUST_CHECK enum t2_status opt_adam_settings(struct opt_optimizer *o,
                                               const struct mdl_hparams *hp, struct t2_err *err);
/* beta^k as TensorFlow's variable beta1_power holds it: multiplied in float32, step by step. */
float opt_power(float beta, int64_t k);

/* ---- weight_encoding.c, for optimizer.c ---- */

/* Refuses a weight_dtype that there is not. */
T2_MUST_CHECK enum t2_status opt_prepare_encoding(struct opt_optimizer *o,
                                                  const struct mdl_hparams *hp, struct t2_err *err);
void opt_set_encoding(const struct opt_optimizer *o, int64_t global_step,
                      struct dev_optimizer_step *s);
/* Queues it, behind the update. */
void opt_encode_weights(const struct opt_optimizer *o);

/* ---- lookahead.c, for optimizer.c ---- */

T2_MUST_CHECK enum t2_status opt_prepare_lookahead(struct opt_optimizer *o,
                                                   const struct mdl_hparams *hp,
                                                   struct t2_err *err);
/* Before the first update: slow weights begin as the variables. */
void opt_start_lookahead(struct opt_optimizer *o);
/* What of it the step block says. */
void opt_set_lookahead(const struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                       struct dev_optimizer_step *s);
/* Queues it, behind the update. */
void opt_look_ahead(const struct opt_optimizer *o);

/* ---- moving_average.c, for optimizer.c ---- */

T2_MUST_CHECK enum t2_status opt_prepare_averages(struct opt_optimizer *o,
                                                  const struct mdl_hparams *hp, struct t2_err *err);
void opt_set_averages(const struct opt_optimizer *o, int64_t global_step,
                      struct dev_optimizer_step *s);
/* Queues it, behind the update. */
void opt_update_averages(const struct opt_optimizer *o);

#endif
