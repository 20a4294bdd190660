/*
 * train/ops/pooling.c - maxima and means over windows of images, and over whole ones.
 */
#include "train/ops/pooling.h"

#include "train/ops/cast.h"

enum { Y, ARGMAX }; /* ARGMAX (B,Ho,Wo,C) int32: the tap of each maximum; in training */

static void max_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    node->dev->kernels->max_pool(
        node->dev,
        &(struct dev_max_pool_args){.of = *(const struct dev_pool *) node->attributes,
                                    .x = node->inputs[0]->value,
                                    .y = node->outputs[Y]->value,
                                    .argmax =
                                        node->n_outputs > 1 ? node->outputs[ARGMAX]->value : NULL});
}

static void max_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    node->dev->kernels->max_pool_bwd(
        node->dev,
        &(struct dev_max_pool_bwd_args){.of = *(const struct dev_pool *) node->attributes,
                                        .dy = node->outputs[Y]->grad,
                                        .argmax = node->outputs[ARGMAX]->value,
                                        .accumulate = node->accumulate[0],
                                        .dx = node->inputs[0]->grad});
}

static const struct gr_op max_op = {.name = "max_pool",
                                    .fwd = max_fwd,
                                    .bwd = max_bwd,
                                    .bwd_uses_outputs = 1u << ARGMAX};

static void avg_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    node->dev->kernels->avg_pool(
        node->dev, &(struct dev_avg_pool_args){.of = *(const struct dev_pool *) node->attributes,
                                               .x = node->inputs[0]->value,
                                               .y = node->outputs[0]->value});
}

static void avg_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    node->dev->kernels->avg_pool_bwd(
        node->dev,
        &(struct dev_avg_pool_bwd_args){.of = *(const struct dev_pool *) node->attributes,
                                        .dy = node->outputs[0]->grad,
                                        .accumulate = node->accumulate[0],
                                        .dx = node->inputs[0]->grad});
}

static const struct gr_op avg_op = {.name = "avg_pool", .fwd = avg_fwd, .bwd = avg_bwd};

static struct gr_node *add_pool(struct gr_graph *g, const struct gr_op *op, struct gr_tensor *x,
                                int64_t size, int64_t stride, enum nn_padding padding)
{
    struct dev_pool *p = gr_alloc(g, sizeof *p);

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 4 && size > 0 && stride > 0 && (!g->training || x->needs_grad));
    *p = (struct dev_pool){.B = x->dims[0],
                           .H = x->dims[1],
                           .W = x->dims[2],
                           .C = x->dims[3],
                           .size = size,
                           .stride = stride,
                           .type = g->type};
    nn_conv2d_axis(padding, p->H, size, stride, 1, &p->Ho, &p->top);
    nn_conv2d_axis(padding, p->W, size, stride, 1, &p->Wo, &p->left);
    T2_ASSERT(p->Ho > 0 && p->Wo > 0);
    return gr_add_node(g, op, 1, &x, p);
}

/* y, or the taps. */
static struct gr_tensor *add_result(struct gr_graph *g, struct gr_node *node, enum dev_type type)
{
    const struct dev_pool *p = node->attributes;

    return gr_add_output_of(g, node, type, 4, (int64_t[]){p->B, p->Ho, p->Wo, p->C},
                            type != DEV_INT32);
}

struct gr_tensor *nn_max_pool(struct gr_graph *g, struct gr_tensor *x, int64_t size, int64_t stride,
                              enum nn_padding padding)
{
    struct gr_node *node = add_pool(g, &max_op, x, size, stride, padding);
    struct gr_tensor *y = add_result(g, node, g->type);

    if (g->training)
        add_result(g, node, DEV_INT32);
    return y;
}

struct gr_tensor *nn_avg_pool(struct gr_graph *g, struct gr_tensor *x, int64_t size, int64_t stride,
                              enum nn_padding padding)
{
    return add_result(g, add_pool(g, &avg_op, x, size, stride, padding), g->type);
}

static void mean_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->mean_axis(node->dev,
                                  &(struct dev_mean_axis_args){.type = node->outputs[0]->type,
                                                               .x = x->value,
                                                               .B = x->dims[0],
                                                               .L = x->dims[1] * x->dims[2],
                                                               .D = x->dims[3],
                                                               .y = node->outputs[0]->value});
}

static void mean_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->mean_axis_bwd(
        node->dev, &(struct dev_mean_axis_bwd_args){.type = node->outputs[0]->type,
                                                    .dy = node->outputs[0]->grad,
                                                    .B = x->dims[0],
                                                    .L = x->dims[1] * x->dims[2],
                                                    .D = x->dims[3],
                                                    .accumulate = node->accumulate[0],
                                                    .dx = x->grad});
}

static const struct gr_op mean_op = {.name = "global_mean", .fwd = mean_fwd, .bwd = mean_bwd};

struct gr_tensor *nn_global_mean(struct gr_graph *g, struct gr_tensor *x)
{
    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 4 && (!g->training || x->needs_grad));
    return gr_add_output(g, gr_add_node(g, &mean_op, 1, &x, NULL), 2,
                         (int64_t[]){x->dims[0], x->dims[3]}, true);
}
