/*
 * train/ops/linear.h - dense layer with bias, ReLU and dropout in one operator; logits.
 */
#ifndef NN_LINEAR_H
#define NN_LINEAR_H

#include "train/graph/graph.h"

/*
 * y (rows, N) = dropout(relu(x w + bias)): x (rows, K) or (B, L, K), w (K, N) or a tensor of other
 * rank whose elements lie as in (K, N), bias (N) or NULL; relu and dropout where asked for (dropout
 * only with relu: its backward pass reads the zeros in y). y has x's rank.  Gradients: dx = dpre
 * w^T, dw = x^T dpre, dbias = column sums of dpre, where dpre = dy * scale where y > 0 with relu,
 * dy without.
 */
struct gr_tensor *nn_linear(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                            struct gr_tensor *bias, bool relu, double dropout);
struct gr_tensor *nn_linear_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                                 struct gr_tensor *bias, bool relu, struct gr_drop drop);

/* y (rows, V) = x table^T without bias: x (rows, K) or (B, L, K), table (V, K).  Inference only. */
struct gr_tensor *nn_logits(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table);

#endif
