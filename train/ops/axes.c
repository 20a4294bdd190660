/*
 * train/ops/axes.c - values scaled, axes exchanged and averaged.
 */
#include "train/ops/axes.h"

#include "train/ops/cast.h"

struct scale {
    float by;
};

static void scale_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct scale *s = node->attributes;

    (void) context;
    node->dev->kernels->scale(node->dev, &(struct dev_scale_args){.type = node->outputs[0]->type,
                                                                  .x = node->inputs[0]->value,
                                                                  .n = node->inputs[0]->n,
                                                                  .scale = s->by,
                                                                  .accumulate = false,
                                                                  .y = node->outputs[0]->value});
}

static void scale_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct scale *s = node->attributes;

    (void) context;
    node->dev->kernels->scale(node->dev, &(struct dev_scale_args){.type = node->outputs[0]->type,
                                                                  .x = node->outputs[0]->grad,
                                                                  .n = node->inputs[0]->n,
                                                                  .scale = s->by,
                                                                  .accumulate = node->accumulate[0],
                                                                  .y = node->inputs[0]->grad});
}

static const struct gr_op scale_op = {.name = "scale", .fwd = scale_fwd, .bwd = scale_bwd};

struct gr_tensor *nn_scale(struct gr_graph *g, struct gr_tensor *x, double scale)
{
    struct scale *s = gr_alloc(g, sizeof *s);

    T2_ASSERT(!g->training || x->needs_grad);
    s->by = (float) scale;
    /* a parameter stays float32 */
    return gr_add_output_of(g, gr_add_node(g, &scale_op, 1, &x, s), x->type, x->rank, x->dims,
                            true);
}

double nn_scale_of(const struct gr_node *node)
{
    return (double) ((const struct scale *) node->attributes)->by;
}

static void swap_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->swap_axes(node->dev,
                                  &(struct dev_swap_axes_args){.type = node->outputs[0]->type,
                                                               .x = x->value,
                                                               .A = x->dims[0],
                                                               .B = x->dims[1],
                                                               .D = x->dims[2],
                                                               .accumulate = false,
                                                               .y = node->outputs[0]->value});
}

static void swap_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->swap_axes(node->dev,
                                  &(struct dev_swap_axes_args){.type = node->outputs[0]->type,
                                                               .x = node->outputs[0]->grad,
                                                               .A = x->dims[1],
                                                               .B = x->dims[0],
                                                               .D = x->dims[2],
                                                               .accumulate = node->accumulate[0],
                                                               .y = x->grad});
}

static const struct gr_op swap_op = {.name = "heads_to_rows", .fwd = swap_fwd, .bwd = swap_bwd};

/* (A,B,D) -> (B,A,D), which is (1, B, A*D) without moving anything more. */
struct gr_tensor *nn_heads_to_rows(struct gr_graph *g, struct gr_tensor *x)
{
    int64_t dims[] = {1, x->dims[1], x->dims[0] * x->dims[2]};

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 3 && (!g->training || x->needs_grad));
    return gr_add_output(g, gr_add_node(g, &swap_op, 1, &x, NULL), 3, dims, true);
}

static void mean_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->mean_axis(node->dev,
                                  &(struct dev_mean_axis_args){.type = node->outputs[0]->type,
                                                               .x = x->value,
                                                               .B = x->dims[0],
                                                               .L = x->dims[1],
                                                               .D = x->dims[2],
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
                                                    .L = x->dims[1],
                                                    .D = x->dims[2],
                                                    .accumulate = node->accumulate[0],
                                                    .dx = x->grad});
}

static const struct gr_op mean_op = {.name = "mean_positions", .fwd = mean_fwd, .bwd = mean_bwd};

struct gr_tensor *nn_mean_positions(struct gr_graph *g, struct gr_tensor *x)
{
    int64_t dims[] = {x->dims[0], 1, x->dims[2]};

    x = nn_convert(g, x, g->type);
    T2_ASSERT(x->rank == 3 && (!g->training || x->needs_grad));
    return gr_add_output(g, gr_add_node(g, &mean_op, 1, &x, NULL), 3, dims, true);
}
