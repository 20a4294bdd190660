/*
 * train/ops/cast.c - a tensor as another type.
 */
#include "train/ops/cast.h"

static void convert_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];

    (void) context;
    node->dev->kernels->convert(node->dev, &(struct dev_convert_args){.type_x = x->type,
                                                                      .type_y = y->type,
                                                                      .x = x->value,
                                                                      .n = x->n,
                                                                      .accumulate = false,
                                                                      .y = y->value});
}

static void convert_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];

    (void) context;
    if (x->needs_grad)
        node->dev->kernels->convert(node->dev,
                                    &(struct dev_convert_args){.type_x = y->type,
                                                               .type_y = x->type,
                                                               .x = y->grad,
                                                               .n = x->n,
                                                               .accumulate = node->accumulate[0],
                                                               .y = x->grad});
}

static const struct gr_op convert_op = {.name = "convert", .fwd = convert_fwd, .bwd = convert_bwd};

struct gr_tensor *nn_convert(struct gr_graph *g, struct gr_tensor *x, enum dev_type type)
{
    if (x->type == type)
        return x;
    return gr_add_output_of(g, gr_add_node(g, &convert_op, 1, &x, NULL), type, x->rank, x->dims,
                            x->needs_grad);
}
