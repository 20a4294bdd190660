/*
 * train/ops/targeted.h - targeted dropout: weights that are small already are dropped.
 */
#ifndef NN_TARGETED_H
#define NN_TARGETED_H

#include "train/graph/graph.h"

struct nn_targeted {
    bool units;       /* whole filters, by their norm; else the weights of each filter */
    double rate;      /* how many of them are targeted, 0 <= rate < 1 */
    double keep_prob; /* 0 < keep_prob < 1 */
};

/*
 * w (…, filters) as common_layers.targeted_dropout gives it to a convolution: in training the
 * targeted weights (struct dev_targeted, device/kernels.h) get dropout with keep_prob; in
 * evaluation round(number (1 - keep_prob)) and one are 0.  The choice has no gradient.
 */
struct gr_tensor *nn_targeted(struct gr_graph *g, struct gr_tensor *w,
                              const struct nn_targeted *how);

#endif
