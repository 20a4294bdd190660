/*
 * train/ops/mixture_loss.c - pixels under mixtures of logistics: params (rows,10K), pixels (rows,3)
 * -> row_stats (rows,4).
 *
 * The kernel gives statistics and gradient in one call and runs in both passes: what it keeps
 * between them would be larger than what it reads.
 */
#include "train/ops/mixture_loss.h"

#include "train/ops/cast.h"

enum { PARAMS, PIXELS, PER_MIXTURE = 10, CHANNELS = 3 };

static struct dev_mixture_loss arguments(const struct gr_node *node)
{
    const float *weight = node->attributes;
    const struct gr_tensor *params = node->inputs[PARAMS];
    int64_t columns = params->dims[params->rank - 1];

    return (struct dev_mixture_loss){.N = params->n / columns,
                                     .K = columns / PER_MIXTURE,
                                     .params = params->value,
                                     .pixels = node->inputs[PIXELS]->value,
                                     .weight = *weight,
                                     .row_stats = node->outputs[0]->value};
}

static void loss_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_mixture_loss a = arguments(node);

    (void) context;
    node->dev->kernels->mixture_loss(node->dev, &a);
}

static void loss_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_mixture_loss a = arguments(node);

    a.step = context->on_device;
    a.dparams = node->inputs[PARAMS]->grad;
    a.accumulate = node->accumulate[PARAMS];
    node->dev->kernels->mixture_loss(node->dev, &a);
}

static const struct gr_op mixture_loss_op = {.name = "mixture_loss",
                                             .fwd = loss_fwd,
                                             .bwd = loss_bwd,
                                             .bwd_uses_inputs = 1u << PARAMS | 1u << PIXELS,
                                             .bwd_uses_outputs = 1u};

struct gr_node *nn_mixture_loss(struct gr_graph *g, struct gr_tensor *params,
                                struct gr_tensor *pixels, double weight,
                                struct gr_tensor **row_stats)
{
    float *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {params = nn_convert(g, params, DEV_FLOAT32), pixels};
    struct gr_node *node = gr_add_node(g, &mixture_loss_op, 2, inputs, m);
    int64_t columns = params->dims[params->rank - 1], dims[] = {params->n / columns, 4};

    T2_ASSERT(columns % PER_MIXTURE == 0 && pixels->n == dims[0] * CHANNELS);
    T2_ASSERT(pixels->type == DEV_FLOAT32 && !pixels->needs_grad);
    T2_ASSERT(!g->training || params->needs_grad);
    *m = (float) weight;
    *row_stats = gr_add_output_of(g, node, DEV_FLOAT32, 2, dims, false);
    return node;
}
