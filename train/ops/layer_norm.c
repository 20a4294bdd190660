/*
 * train/ops/layer_norm.c - layer normalisation over the last axis: x (…,D), scale and bias (D) -> y
 * (…,D).
 *
 * STATS (rows,2), mean and 1 / sqrt(variance + eps), is kept for the backward pass, y is not.
 */
#include "train/ops/layer_norm.h"

enum { X, SCALE, BIAS };
enum { Y, STATS };

struct norm {
    int64_t rows, D;
    float eps;
};

static void norm_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct norm *n = node->attributes;

    (void) context;
    node->dev->kernels->layer_norm(node->dev, node->inputs[X]->value, node->inputs[SCALE]->value,
                                   node->inputs[BIAS]->value, n->rows, n->D, n->eps,
                                   node->outputs[Y]->value, node->outputs[STATS]->value);
}

static void norm_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct norm *n = node->attributes;

    (void) context;
    node->dev->kernels->layer_norm_bwd(node->dev, node->inputs[X]->value,
                                       node->inputs[SCALE]->value, node->outputs[STATS]->value,
                                       node->outputs[Y]->grad, n->rows, n->D, node->inputs[X]->grad,
                                       node->accumulate[X], node->inputs[SCALE]->grad,
                                       node->accumulate[SCALE], node->inputs[BIAS]->grad,
                                       node->accumulate[BIAS], node->scratch);
}

static const struct gr_op norm_op = {.name = "layer_norm",
                                     .fwd = norm_fwd,
                                     .bwd = norm_bwd,
                                     .bwd_uses_inputs = 1u << X | 1u << SCALE,
                                     .bwd_uses_outputs = 1u << STATS};

struct gr_tensor *nn_layer_norm(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *scale,
                                struct gr_tensor *bias, double eps)
{
    struct norm *n = gr_alloc(g, sizeof *n);
    struct gr_tensor *inputs[] = {x, scale, bias};
    struct gr_tensor *y;
    struct gr_node *node;
    int64_t stats_dims[2];

    n->D = x->dims[x->rank - 1];
    n->rows = x->n / n->D;
    n->eps = (float) eps;
    T2_ASSERT(scale->n == n->D && bias->n == n->D);
    T2_ASSERT(!g->training || (x->needs_grad && scale->needs_grad && bias->needs_grad));
    node = gr_add_node(g, &norm_op, 3, inputs, n);
    node->scratch_bwd_floats = g->dev->kernels->layer_norm_scratch_floats(n->rows, n->D);
    y = gr_add_output(g, node, x->rank, x->dims, true);
    stats_dims[0] = n->rows;
    stats_dims[1] = 2;
    gr_add_output(g, node, 2, stats_dims, false);
    return y;
}
