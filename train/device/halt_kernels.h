/*
 * train/device/halt_kernels.h - arguments of the kernels of adaptive computation time; a part of
 * kernels.h.
 */
#ifndef DEV_HALT_KERNELS_H
#define DEV_HALT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

struct dev_loss_sums;

/*
 * One step of adaptive computation time (Graves 2016; universal_transformer_act of Tensor2Tensor):
 * each row has a state of three numbers, h the probability that it has halted, R its remainder and
 * N its number of steps, and halts when h would pass `threshold`.  With p = sigmoid(logit) h >= 1:
 * w = 0 h + p > threshold:  R += 1 - h,  w = R,  h += R,  N += 1 else:               w = p,  h +=
 * p,  N += 1 y = w x + (1 - w) mixed,  or, accumulated, w x + mixed
 *
 * Backward: dlogits, dx, dmixed and dstate, of which the third number is 0, from dy and dnext.
 */
struct dev_halt {
    enum dev_type type; /* of x, mixed, y and their gradients */
    int64_t rows, D;
    float threshold;
    bool accumulated;
    const float *logits; /* (rows) */
    const void *x;       /* (rows, D) */
    const void *mixed;   /* (rows, D); of the first step NULL, like state: zeros */
    const float *state;  /* (rows, 3): h, R, N */
    float *next;         /* (rows, 3) */
    void *y;             /* (rows, D) */
    /* of the backward pass */
    const void *dy;
    const float *dnext; /* NULL: zeros */
    float *dlogits;
    void *dx, *dmixed;
    float *dstate; /* NULL, like dmixed, where there is none */
    bool accumulate_logits, accumulate_x, accumulate_mixed, accumulate_state;
};

/* sums->ponder += weight times the sum of n columns of the rows of state: R and N, or a loss */
struct dev_ponder_args {
    const float *state; /* (rows, columns) */
    int64_t rows, columns, first, n;
    float weight;
    struct dev_loss_sums *sums;
};

/* dstate (rows, 3) [+]= 0, weight loss_scale / all_rows of the step, 0 */
struct dev_ponder_bwd_args {
    const struct dev_step *step;
    int64_t rows;
    float weight;
    bool accumulate;
    float *dstate;
};

#endif
