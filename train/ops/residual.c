/*
 * train/ops/residual.c - dropout of a sub-layer's result and the residual connection: x, y (B,L,D)
 * -> x + dropout(y); dropout alone.
 */
#include "train/ops/residual.h"

#include "train/ops/cast.h"

enum { X, Y, ROW_IDS };

static void residual_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct nn_residual *r = node->attributes;
    const struct gr_tensor *x = node->inputs[X];
    struct dev_dropout dropout = gr_dropout_of(&r->drop, r->site, x, context);
    int64_t cols = x->dims[x->rank - 1];

    node->dev->kernels->residual(node->dev,
                                 &(struct dev_residual_args){.type = node->outputs[0]->type,
                                                             .x = x->value,
                                                             .y = node->inputs[Y]->value,
                                                             .row_ids =
                                                                 node->inputs[ROW_IDS]
                                                                     ? node->inputs[ROW_IDS]->ids
                                                                     : NULL,
                                                             .rows = x->n / cols,
                                                             .cols = cols,
                                                             .dropout = dropout,
                                                             .out = node->outputs[0]->value});
}

static void residual_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct nn_residual *r = node->attributes;
    struct gr_tensor *x = node->inputs[X], *y = node->inputs[Y];
    struct dev_dropout dropout = gr_dropout_of(&r->drop, r->site, x, context);
    const void *dout = node->outputs[0]->grad;
    int64_t cols = x->dims[x->rank - 1];

    /* in the order of the inputs: where x is y, the second adds to the first */
    if (x->needs_grad)
        node->dev->kernels->copy(node->dev,
                                 &(struct dev_copy_args){.type = node->outputs[0]->type,
                                                         .x = dout,
                                                         .n = x->n,
                                                         .accumulate = node->accumulate[X],
                                                         .y = x->grad});
    if (y->needs_grad)
        node->dev->kernels->residual_bwd(
            node->dev, &(struct dev_residual_bwd_args){.type = node->outputs[0]->type,
                                                       .dout = dout,
                                                       .row_ids = node->inputs[ROW_IDS]
                                                                      ? node->inputs[ROW_IDS]->ids
                                                                      : NULL,
                                                       .rows = x->n / cols,
                                                       .cols = cols,
                                                       .dropout = dropout,
                                                       .accumulate = node->accumulate[Y],
                                                       .dy = y->grad});
}

static const struct gr_op residual_op = {.name = "residual",
                                         .fwd = residual_fwd,
                                         .bwd = residual_bwd,
                                         .skips_gradients = true,
                                         .bwd_uses_inputs = 1u << ROW_IDS};

const struct nn_residual *nn_residual_of(const struct gr_node *node)
{
    return node->op == &residual_op ? node->attributes : NULL;
}

struct gr_tensor *nn_residual_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *y,
                                   struct gr_tensor *row_ids, struct gr_drop drop)
{
    struct nn_residual *r = gr_alloc(g, sizeof *r);
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), y = nn_convert(g, y, g->type),
                                  row_ids};

    T2_ASSERT(x->n == y->n && x->dims[x->rank - 1] == y->dims[y->rank - 1]);
    T2_ASSERT(!row_ids || row_ids->n == x->n / x->dims[x->rank - 1]);
    r->drop = drop;
    r->site = gr_next_dropout_site(g);
    return gr_add_output(g, gr_add_node(g, &residual_op, 3, inputs, r), x->rank, x->dims, true);
}

struct gr_tensor *nn_residual(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *y,
                              struct gr_tensor *row_ids, double dropout)
{
    return nn_residual_drop(g, x, y, row_ids, (struct gr_drop){.rate = dropout});
}

static void dropout_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct nn_residual *r = node->attributes;
    struct dev_dropout dropout = gr_dropout_of(&r->drop, r->site, node->inputs[X], context);

    node->dev->kernels->dropout(node->dev,
                                &(struct dev_dropout_args){.type = node->outputs[0]->type,
                                                           .x = node->inputs[X]->value,
                                                           .n = node->inputs[X]->n,
                                                           .dropout = dropout,
                                                           .accumulate = false,
                                                           .y = node->outputs[0]->value});
}

static void dropout_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct nn_residual *r = node->attributes;
    struct dev_dropout dropout = gr_dropout_of(&r->drop, r->site, node->inputs[X], context);

    node->dev->kernels->dropout(node->dev,
                                &(struct dev_dropout_args){.type = node->outputs[0]->type,
                                                           .x = node->outputs[0]->grad,
                                                           .n = node->inputs[X]->n,
                                                           .dropout = dropout,
                                                           .accumulate = node->accumulate[X],
                                                           .y = node->inputs[X]->grad});
}

static const struct gr_op dropout_op = {.name = "dropout", .fwd = dropout_fwd, .bwd = dropout_bwd};

struct gr_tensor *nn_dropout_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_drop drop)
{
    struct nn_residual *r = gr_alloc(g, sizeof *r);

    if (drop.rate == 0.0)
        return x;
    x = nn_convert(g, x, g->type);
    T2_ASSERT(!g->training || x->needs_grad);
    r->drop = drop;
    r->site = gr_next_dropout_site(g);
    return gr_add_output(g, gr_add_node(g, &dropout_op, 1, &x, r), x->rank, x->dims, true);
}

struct gr_tensor *nn_dropout(struct gr_graph *g, struct gr_tensor *x, double dropout)
{
    return nn_dropout_drop(g, x, (struct gr_drop){.rate = dropout});
}
