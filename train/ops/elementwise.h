/*
 * train/ops/elementwise.h - values taken over one by one.
 */
#ifndef NN_ELEMENTWISE_H
#define NN_ELEMENTWISE_H

#include "train/graph/graph.h"

/* x (B, …) -> (B, the product of the other dimensions), the elements in their order.  x may be an
 * input without gradient. */
struct gr_tensor *nn_flatten(struct gr_graph *g, struct gr_tensor *x);

/* x with other dimensions, of as many elements in the same order. */
struct gr_tensor *nn_reshape(struct gr_graph *g, struct gr_tensor *x, int rank,
                             const int64_t *dims);

/* max(x, 0) */
struct gr_tensor *nn_relu(struct gr_graph *g, struct gr_tensor *x);

/* min(max(x, 0), 6) */
struct gr_tensor *nn_relu6(struct gr_graph *g, struct gr_tensor *x);

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): GELU, as Hendrycks and Gimpel compute it */
struct gr_tensor *nn_gelu(struct gr_graph *g, struct gr_tensor *x);

/* tanh(x), float32 */
struct gr_tensor *nn_tanh(struct gr_graph *g, struct gr_tensor *x);

/* a + b, of one shape */
struct gr_tensor *nn_add(struct gr_graph *g, struct gr_tensor *a, struct gr_tensor *b);

/* y[i] = forward[i] x[i] for the B elements x[i] of x (B, …), with the gradient dx[i] = backward[i]
 * dy[i] whatever forward is (shake-shake).  Both factors (B) are no parameters; they may be one
 * tensor. */
struct gr_tensor *nn_scale_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *forward,
                                struct gr_tensor *backward);

#endif
