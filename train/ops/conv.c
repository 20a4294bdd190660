/*
 * train/ops/conv.c - convolutions along positions.
 *
 * nn_unfold x (B,L,D) -> (B,L,taps*D); a linear layer with w (taps*D,N) completes the convolution,
 * and its gemm is faster than loops over taps.  nn_depthwise x (B,L,C), w (taps,…,C) -> (B,L,C).
 */
#include "train/ops/conv.h"

#include "train/ops/cast.h"

/* ---- unfold ---- */

enum { X, ROW_IDS, CACHE_INDEX, N_INPUTS };

static const int32_t *ids_of(const struct gr_node *node, int input)
{
    return node->inputs[input] ? node->inputs[input]->ids : NULL;
}

static struct dev_unfold arguments(const struct gr_node *node, const struct gr_context *context)
{
    const struct nn_unfold *u = node->attributes;
    const struct gr_tensor *x = node->inputs[X];

    return (struct dev_unfold){.B = x->dims[0],
                               .L = node->outputs[0]->dims[1],
                               .D = x->dims[2],
                               .taps = u->taps,
                               .first = u->first,
                               .x_rows = x->dims[1],
                               .at_step = u->cached ? context->on_device : NULL,
                               .scale = (float) u->scale,
                               .row_ids = ids_of(node, ROW_IDS),
                               .type = node->outputs[0]->type,
                               .x = x->value,
                               .cache_index = ids_of(node, CACHE_INDEX)};
}

static void unfold_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_unfold a = arguments(node, context);

    node->dev->kernels->unfold(node->dev,
                               &(struct dev_unfold_args){.of = a, .out = node->outputs[0]->value});
}

static void unfold_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_unfold a = arguments(node, context);

    node->dev->kernels->unfold_bwd(node->dev,
                                   &(struct dev_unfold_bwd_args){.of = a,
                                                                 .dout = node->outputs[0]->grad,
                                                                 .accumulate = node->accumulate[X],
                                                                 .dx = node->inputs[X]->grad});
}

static const struct gr_op unfold_op = {.name = "unfold",
                                       .fwd = unfold_fwd,
                                       .bwd = unfold_bwd,
                                       .bwd_uses_inputs = 1u << ROW_IDS};

struct gr_tensor *nn_unfold(struct gr_graph *g, struct gr_tensor *x, const struct nn_unfold *unfold)
{
    struct nn_unfold *u = gr_alloc(g, sizeof *u);
    struct gr_tensor *inputs[N_INPUTS] = {[X] = x = nn_convert(g, x, g->type),
                                          [ROW_IDS] = unfold->row_ids,
                                          [CACHE_INDEX] = unfold->cache_index};
    int64_t dims[] = {x->dims[0], unfold->cached ? 1 : x->dims[1], unfold->taps * x->dims[2]};

    T2_ASSERT(x->rank == 3 && unfold->taps > 0);
    T2_ASSERT(!unfold->cache_index || unfold->cached);
    T2_ASSERT(unfold->cached ? !g->training && !unfold->row_ids : !g->training || x->needs_grad);
    *u = *unfold;
    return gr_add_output(g, gr_add_node(g, &unfold_op, N_INPUTS, inputs, u), 3, dims, true);
}

/* ---- depthwise ---- */

enum { W = 1 };

static struct dev_depthwise depthwise_arguments(const struct gr_node *node)
{
    const struct gr_tensor *x = node->inputs[X], *w = node->inputs[W];

    return (struct dev_depthwise){.B = x->dims[0],
                                  .L = x->dims[1],
                                  .C = x->dims[2],
                                  .taps = w->dims[0],
                                  .type = x->type,
                                  .x = x->value,
                                  .w = w->value};
}

static void depthwise_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_depthwise a = depthwise_arguments(node);

    (void) context;
    node->dev->kernels->depthwise(node->dev,
                                  &(struct dev_depthwise_args){.of = a,
                                                               .y = node->outputs[0]->value});
}

static void depthwise_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_depthwise a = depthwise_arguments(node);

    (void) context;
    node->dev->kernels->depthwise_bwd(
        node->dev, &(struct dev_depthwise_bwd_args){.of = a,
                                                    .dy = node->outputs[0]->grad,
                                                    .dx = node->inputs[X]->grad,
                                                    .accumulate_x = node->accumulate[X],
                                                    .dw = node->inputs[W]->grad,
                                                    .accumulate_w = node->accumulate[W]});
}

static const struct gr_op depthwise_op = {.name = "depthwise",
                                          .fwd = depthwise_fwd,
                                          .bwd = depthwise_bwd,
                                          .bwd_uses_inputs = 1u << X | 1u << W};

struct gr_tensor *nn_depthwise(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w)
{
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), w};

    T2_ASSERT(x->rank == 3 && w->n == w->dims[0] * x->dims[2] && w->type == DEV_FLOAT32);
    T2_ASSERT(!g->training || (x->needs_grad && w->needs_grad));
    return gr_add_output(g, gr_add_node(g, &depthwise_op, 2, inputs, NULL), 3, x->dims, true);
}
