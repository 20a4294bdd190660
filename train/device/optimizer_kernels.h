/*
 * train/device/optimizer_kernels.h - arguments of the kernels between gradients and new variables
 * (train/optim/, train/models/regularise.h); a part of kernels.h.
 */
#ifndef DEV_OPTIMIZER_KERNELS_H
#define DEV_OPTIMIZER_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/types.h"

/*
 * Kernels that only go from element to element do not see layouts (param_layout.h).  To the others
 * an element is what it is in a checkpoint, wherever it lies: prepare_gradients, regularise and the
 * rules lars, yellow_fin and adafactor draw numbers for it or add in its order, and have the table
 * of what is laid.  A device that leaves the table alone may not lay what these kernels work on.
 */
struct dev_laid;

/* The settings of a rule are hparams, its numbers change from step to step: rules/ says which. */
enum {
    DEV_PIECE_FLOATS = 32768,
    DEV_MAX_SLOTS = 3,
    DEV_RULE_NUMBERS = 8,
    DEV_ENCODING_NOISE = DEV_RULE_NUMBERS - 1 /* this one is no rule's: rules/eighth_power.h */
};

/*
 * At most DEV_PIECE_FLOATS consecutive elements of one variable.  A table of pieces, in device
 * memory, says what a kernel works on; it depends on the model alone.  Sums are per piece, in
 * double, by eight lanes, and joined in the order of the table.
 */
struct dev_piece {
    int64_t offset; /* of its first element in the arenas of values, gradients and slots */
    int64_t n;
    int64_t first; /* elements of the table before it: names its random numbers */
    double decay;  /* factor of the variable's half squares, or squares, in the loss */
    float shrink; /* of rule keras_adam_w, times the rate: the share of the values that it takes off
                   */
    int32_t variable;
    bool noisy; /* weight noise is for it */
};

/* What changes from one update to the next, as struct dev_step does for a pass. */
struct dev_optimizer_step {
    /* by set_optimizer_step */
    uint32_t noise_key[2];
    uint32_t noise_step[2]; /* low, high */
    int64_t updates;        /* before this one */
    float rate;             /* update_yellow_fin replaces it by its own */
    float numbers[DEV_RULE_NUMBERS];
    float weight_noise; /* deviation of the noise on weights */
    float average_rest; /* 1 - decay of the moving averages */
    float look_take;    /* lookahead: how much the slow weights take of the difference */
    int32_t looks;      /* 1: lookahead acts in this step */
    int32_t halted;     /* kept by set_optimizer_step: after a step that was not finite the next
                           ones, which the host queued before it heard, are not either */
    /* by prepare_gradients */
    int32_t finite;       /* 0: the kernels that follow change nothing */
    float scale;          /* of the gradients: 1, or less when clipped */
    double norm;          /* of all gradients, before clipping */
    double value_squares; /* sum of squares of the values that decay */
    int64_t bad;          /* the first piece whose gradients are not finite, or -1 */
};

/* *to = value, but for `halted` */
struct dev_set_optimizer_step_args {
    struct dev_optimizer_step value;
    struct dev_optimizer_step *to;
};

/*
 * What comes before the rule, piece by piece: noise on weights, g += decay x, noise on gradients;
 * then the global norm and from it finite and scale, which is clip_norm / norm where the norm is
 * larger.
 */
struct dev_prepare_gradients_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    float *values, *grads;
    float gradient_noise; /* deviation; 0: none */
    double clip_norm;     /* 0: no clipping */
    const double *loss;   /* of the batch, which must be finite, too; NULL: nobody says */
    struct dev_optimizer_step *step;
    double *sums;                /* scratch (n_pieces, 2) */
    const struct dev_laid *laid; /* device memory (n_laid) */
    int64_t n_laid;
};

/* One update by a rule (rules/), element by element. */
struct dev_update {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    const struct dev_optimizer_step *step;
    float settings[DEV_RULE_NUMBERS];
    float *values;
    const float *grads;
    float *slots[DEV_MAX_SLOTS]; /* arenas like the values'; NULL: not used */
    const struct dev_laid *laid; /* device memory (n_laid); of values, gradients and slots */
    int64_t n_laid;
    /* The new values once more, rounded to this type, at the same places; NULL: nobody wants them.
     * Only kernels of kernels.def's UPDATE look at it. */
    enum dev_type rounded_type;
    void *rounded;
};

/* update_adafactor: whole variables (rules/adafactor_rule.h). */
struct dev_adafactor_variable {
    int64_t offset;               /* in values and gradients */
    int64_t matrices, rows, cols; /* it is so many matrices (rows,cols); vectors are one row */
    /* first floats in `slots`: (matrices,rows), (matrices,cols), or all squares in v; all means in
     * m, or -1 */
    int64_t vr, vc, v, m;
    int64_t factors;  /* in `factors`: (matrices,rows), then (matrices,cols) */
    int64_t col_sums; /* in `col_sums`: (cols) */
    bool factored;
};

struct dev_adafactor {
    struct dev_update of; /* pieces and slots are not used */
    const struct dev_adafactor_variable *variables;
    int64_t n_variables;
    float *slots, *factors;
    double *col_sums;
};

/* update_lars: a rate for each variable, from norms (rules/lars_rule.h). */
struct dev_lars {
    struct dev_update of;
    const bool *skipped; /* (n_variables): these have the whole rate and no decay */
    int64_t n_variables;
    double *sums; /* scratch (n_pieces, 2) */
    float *rates; /* scratch (n_variables) */
};

/* update_yellow_fin: momentum, then its own rate and momentum for the next step
 * (rules/yellow_fin_rule.h). */
struct dev_yellow_fin {
    struct dev_update of;
    struct dev_optimizer_step *step; /* of.step; its rate becomes the rule's */
    float *state;                    /* (DEV_YELLOW_FIN_STATE) */
    double *sums;                    /* scratch (n_pieces, 3) */
};

/* Each value becomes what is left of it when it is stored in 16 bits (rules/eighth_power.h). */
struct dev_encode_weights_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    const struct dev_optimizer_step *step;
    float *values;
};

/* averages -= step->average_rest (averages - values) */
struct dev_moving_average_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    const struct dev_optimizer_step *step;
    const float *values;
    float *averages;
};

/* Where the step looks: slow += look_take (values - slow), values = slow. */
struct dev_lookahead_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    const struct dev_optimizer_step *step;
    float *values, *slow;
};

/* a and b change places. */
struct dev_exchange_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    float *a, *b;
};

/* *sum = sum over pieces of decay times the squares of values, in double; grads += 2 decay values,
 * unless NULL. */
struct dev_regularise_args {
    const struct dev_piece *pieces;
    int64_t n_pieces;
    const float *values;
    float *grads;
    double *sums; /* scratch (n_pieces) */
    double *sum;
    const struct dev_laid *laid; /* device memory (n_laid) */
    int64_t n_laid;
};

/* *first = index of the first element that is not finite, with `squares` whose square is not; n
 * without any. */
struct dev_find_not_finite_args {
    const float *x;
    int64_t n;
    bool squares;
    int64_t *first;
};

#endif
