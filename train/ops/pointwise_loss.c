/*
 * train/ops/pointwise_loss.c - losses of each value against a target of its own.
 */
#include "train/ops/pointwise_loss.h"

#include "train/ops/cast.h"

enum { X, TARGETS };

struct pointwise {
    enum dev_pointwise kind;
    float weight;
};

static struct dev_pointwise_loss arguments(const struct gr_node *node)
{
    const struct pointwise *m = node->attributes;
    const struct gr_tensor *x = node->inputs[X];

    return (struct dev_pointwise_loss){.kind = m->kind,
                                       .N = x->dims[0],
                                       .D = x->n / x->dims[0],
                                       .x = x->value,
                                       .targets = node->inputs[TARGETS]->value,
                                       .weight = m->weight,
                                       .row_stats = node->outputs[0]->value};
}

static void loss_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_pointwise_loss a = arguments(node);

    (void) context;
    node->dev->kernels->pointwise_loss(node->dev, &a);
}

static void loss_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_pointwise_loss a = arguments(node);

    a.step = context->on_device;
    a.dx = node->inputs[X]->grad;
    a.accumulate = node->accumulate[X];
    node->dev->kernels->pointwise_loss(node->dev, &a);
}

static const struct gr_op pointwise_loss_op = {.name = "pointwise_loss",
                                               .fwd = loss_fwd,
                                               .bwd = loss_bwd,
                                               .bwd_uses_inputs = 1u << X | 1u << TARGETS,
                                               .bwd_uses_outputs = 1u};

struct gr_node *nn_pointwise_loss(struct gr_graph *g, enum dev_pointwise kind, struct gr_tensor *x,
                                  struct gr_tensor *targets, double weight,
                                  struct gr_tensor **row_stats)
{
    struct pointwise *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, DEV_FLOAT32), targets};
    struct gr_node *node = gr_add_node(g, &pointwise_loss_op, 2, inputs, m);

    T2_ASSERT(x->n == targets->n && (!g->training || (x->needs_grad && !targets->needs_grad)));
    m->kind = kind;
    m->weight = (float) weight;
    *row_stats = gr_add_output_of(g, node, DEV_FLOAT32, 2, (int64_t[]){x->dims[0], 4}, false);
    return node;
}
