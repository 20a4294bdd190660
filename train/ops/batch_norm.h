/*
 * train/ops/batch_norm.h - batch normalisation with what follows it: a residual sum, a ReLU.
 *
 * Ioffe and Szegedy 2015; tf.layers.batch_normalization and Keras' BatchNormalization.
 */
#ifndef NN_BATCH_NORM_H
#define NN_BATCH_NORM_H

#include "train/graph/graph.h"

struct nn_batch_norm {
    double momentum, epsilon;
    bool relu;
    /* The moving variance takes the population's variance, as TensorFlow's operator does where it
     * is not fused (x of two dimensions), and not n / (n - 1) of it. */
    bool population_variance;
};

/*
 * y = bn(x) [+ residual] [then ReLU], normalised over all but the last axis C; gamma (C; one
 * that is not trained may be a state), beta (C), states moving_mean, moving_variance (C).
 *
 * Training: with mean and population variance of the batch; and, once a step,
 *   moving = momentum moving + (1 - momentum) of the batch's
 * Else: with the moving ones.  residual: x's shape, another tensor than x; or NULL.
 */
struct gr_tensor *nn_batch_norm(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gamma,
                                struct gr_tensor *beta, struct gr_tensor *moving_mean,
                                struct gr_tensor *moving_variance, struct gr_tensor *residual,
                                const struct nn_batch_norm *how);

/* What a node of operators "batch_norm" and "batch_norm_residual_relu" adds to the variance, and
 * whether a ReLU ends it. */
double nn_batch_norm_epsilon(const struct gr_node *node, bool *relu);

#endif
