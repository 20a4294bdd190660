/*
 * train/ops/halt.h - adaptive computation time (Graves 2016): how much of each step's result a row
 * takes, and the loss of taking many.
 */
#ifndef NN_HALT_H
#define NN_HALT_H

#include "train/graph/graph.h"

/* What the rows have behind a step; of the first step's front both are NULL. */
struct nn_halted {
    struct gr_tensor *mixed; /* (B, L, D) */
    struct gr_tensor *state; /* (B L, 3), float32: halting probability, remainder, steps */
};

struct nn_halt {
    double epsilon; /* a row halts beyond 1 - epsilon */
    bool
        accumulated; /* weighted results are added up; otherwise each takes its share of the rest */
};

/* One step: x (B, L, D) is its result, sigmoid(logits), logits of B L elements, the probability
 * that a row halts at it (struct dev_halt, device/halt_kernels.h). */
void nn_halt(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *logits,
             const struct nn_halt *how, struct nn_halted *h);

/* h->mixed, whose backward pass adds the gradient of weight times the mean over all rows of the
 * batch of remainder + steps: rows of other ranks, too. */
struct gr_tensor *nn_ponder(struct gr_graph *g, const struct nn_halted *h, double weight);

#endif
