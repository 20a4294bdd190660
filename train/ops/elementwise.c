/*
 * train/ops/elementwise.c - values taken over one by one.
 */
#include "train/ops/elementwise.h"

static void copy_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->copy(node->dev, x->value, x->n, false, node->outputs[0]->value);
}

static void copy_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0];

    (void) context;
    if (x->needs_grad)
        node->dev->kernels->copy(node->dev, node->outputs[0]->grad, x->n, node->accumulate[0],
                                 x->grad);
}

static const struct gr_op flatten_op = {.name = "flatten", .fwd = copy_fwd, .bwd = copy_bwd};

struct gr_tensor *nn_flatten(struct gr_graph *g, struct gr_tensor *x)
{
    int64_t dims[] = {x->dims[0], x->n / x->dims[0]};

    T2_ASSERT(x->rank >= 1);
    return gr_add_output(g, gr_add_node(g, &flatten_op, 1, &x, NULL), 2, dims, true);
}
