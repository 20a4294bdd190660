/*
 * train/ops/layer_norm.c - layer normalisation over the last axis: x (…,D), scale and bias (D) -> y
 * (…,D).
 *
 * STATS (rows,2), mean and 1 / sqrt(variance + eps), is kept for the backward pass, y is not.
 */
#include "train/ops/layer_norm.h"

#include "train/ops/cast.h"

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
    node->dev->kernels->layer_norm(
        node->dev, &(struct dev_layer_norm_args){.type = node->outputs[0]->type,
                                                 .x = node->inputs[X]->value,
                                                 .scale = node->inputs[SCALE]->value,
                                                 .bias = node->inputs[BIAS]->value,
                                                 .rows = n->rows,
                                                 .D = n->D,
                                                 .eps = n->eps,
                                                 .y = node->outputs[Y]->value,
                                                 .stats = node->outputs[STATS]->value});
}

static void norm_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct norm *n = node->attributes;

    (void) context;
    node->dev->kernels->layer_norm_bwd(
        node->dev, &(struct dev_layer_norm_bwd_args){.type = node->outputs[0]->type,
                                                     .x = node->inputs[X]->value,
                                                     .scale = node->inputs[SCALE]->value,
                                                     .stats = node->outputs[STATS]->value,
                                                     .dy = node->outputs[Y]->grad,
                                                     .rows = n->rows,
                                                     .D = n->D,
                                                     .dx = node->inputs[X]->grad,
                                                     .accumulate_x = node->accumulate[X],
                                                     .dscale = node->inputs[SCALE]->grad,
                                                     .accumulate_scale = node->accumulate[SCALE],
                                                     .dbias = node->inputs[BIAS]->grad,
                                                     .accumulate_bias = node->accumulate[BIAS],
                                                     .scratch = node->scratch});
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
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), scale, bias};
    struct gr_tensor *y;
    struct gr_node *node;
    int64_t stats_dims[2];

    n->D = x->dims[x->rank - 1];
    n->rows = x->n / n->D;
    n->eps = (float) eps;
    T2_ASSERT(scale->n == n->D && bias->n == n->D);
    T2_ASSERT(scale->type == DEV_FLOAT32 && bias->type == DEV_FLOAT32);
    T2_ASSERT(!g->training || (x->needs_grad && scale->needs_grad && bias->needs_grad));
    node = gr_add_node(g, &norm_op, 3, inputs, n);
    node->scratch_bwd_floats = g->dev->kernels->layer_norm_scratch_floats(n->rows, n->D);
    y = gr_add_output(g, node, x->rank, x->dims, true);
    stats_dims[0] = n->rows;
    stats_dims[1] = 2;
    gr_add_output_of(g, node, DEV_FLOAT32, 2, stats_dims, false);
    return y;
}

double nn_layer_norm_epsilon(const struct gr_node *node)
{
    return (double) ((const struct norm *) node->attributes)->eps;
}
