/*
 * train/ops/conv.h - convolutions along positions.
 */
#ifndef NN_CONV_H
#define NN_CONV_H

#include "train/graph/graph.h"

struct nn_unfold {
    int64_t taps, first; /* tap 0 reads position l, tap t > 0 reads l + first + t */
    double scale;
    struct gr_tensor *row_ids; /* (B, L) or NULL: rows whose id is 0 read as zeros */
    bool cached; /* decoding: x is a cache (B, rows, D), the result (B, 1, taps * D) */
    struct gr_tensor *cache_index; /* of several hypotheses (ops/attention.h); else NULL */
};

/* x (B, L, D) -> (B, L, taps * D): what a convolution multiplies with its kernel (struct
 * dev_unfold, device/kernels.h); nn_linear is the rest of it. */
struct gr_tensor *nn_unfold(struct gr_graph *g, struct gr_tensor *x,
                            const struct nn_unfold *unfold);

/* y (B, L, C): every channel of x (B, L, C) convolved with its column of w (taps, …, C), padded on
 * the left (struct dev_depthwise). */
struct gr_tensor *nn_depthwise(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w);

#endif
