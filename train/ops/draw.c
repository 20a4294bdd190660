/*
 * train/ops/draw.c - random numbers as tensors.  Layers that run again draw the same ones.
 */
#include "train/ops/draw.h"

#include "train/ops/cast.h"

struct draw {
    uint32_t number; /* of the stream, or the set */
    uint32_t branches, branch;
    double rate;
};

static struct gr_node *add_draw(struct gr_graph *g, const struct gr_op *op, struct gr_tensor *input,
                                struct draw draw)
{
    struct draw *own = gr_alloc(g, sizeof *own);

    *own = draw;
    return gr_add_node(g, op, 1, &input, own);
}

static void keep_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct draw *draw = node->attributes;
    struct gr_tensor *out = node->outputs[0];

    node->dev->kernels->draw_keep(node->dev,
                                  &(struct dev_draw_keep_args){.step = context->on_device,
                                                               .number = draw->number,
                                                               .rate = draw->rate,
                                                               .rows = out->n,
                                                               .out = out->value});
}

static const struct gr_op keep_op = {.name = "draw_keep", .fwd = keep_fwd};

struct gr_tensor *nn_draw_keep(struct gr_graph *g, int64_t B, double rate, uint32_t number)
{
    struct draw draw = {.number = number, .rate = rate};

    return gr_add_output_of(g, add_draw(g, &keep_op, NULL, draw), DEV_FLOAT32, 1, &B, false);
}

static void share_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *given = node->inputs[0];
    const struct draw *draw = node->attributes;
    struct gr_tensor *out = node->outputs[0];

    node->dev->kernels->draw_share(node->dev,
                                   &(struct dev_draw_share_args){.step = context->on_device,
                                                                 .set = draw->number,
                                                                 .branches = draw->branches,
                                                                 .branch = draw->branch,
                                                                 .given =
                                                                     given ? given->value : NULL,
                                                                 .rows = out->n,
                                                                 .out = out->value});
}

static const struct gr_op share_op = {.name = "draw_share", .fwd = share_fwd};

struct gr_tensor *nn_draw_share(struct gr_graph *g, int64_t B, uint32_t set, uint32_t branches,
                                uint32_t branch, struct gr_tensor *given)
{
    struct draw draw = {.number = set, .branches = branches, .branch = branch};

    T2_ASSERT(branch < branches && (!given || given->n == B * branches));
    return gr_add_output_of(g, add_draw(g, &share_op, given, draw), DEV_FLOAT32, 1, &B, false);
}

static void add_normal(struct gr_node *node, const struct gr_context *context, const void *x,
                       const void *s, bool accumulate, void *y)
{
    const struct draw *draw = node->attributes;
    const struct gr_tensor *out = node->outputs[0];

    node->dev->kernels->add_normal(node->dev,
                                   &(struct dev_add_normal_args){.type = out->type,
                                                                 .step = context->on_device,
                                                                 .number = draw->number,
                                                                 .x = x,
                                                                 .s = s,
                                                                 .rows = out->dims[0],
                                                                 .cols = out->n / out->dims[0],
                                                                 .accumulate = accumulate,
                                                                 .y = y});
}

static void normal_fwd(struct gr_node *node, const struct gr_context *context)
{
    add_normal(node, context, node->inputs[0]->value, node->inputs[1]->value, false,
               node->outputs[0]->value);
}

static void normal_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0], *s = node->inputs[1];
    const void *dy = node->outputs[0]->grad;

    if (x->needs_grad)
        node->dev->kernels->copy(node->dev,
                                 &(struct dev_copy_args){.type = node->outputs[0]->type,
                                                         .x = dy,
                                                         .n = x->n,
                                                         .accumulate = node->accumulate[0],
                                                         .y = x->grad});
    if (s->needs_grad)
        add_normal(node, context, NULL, dy, node->accumulate[1], s->grad);
}

static const struct gr_op normal_op = {.name = "add_normal",
                                       .fwd = normal_fwd,
                                       .bwd = normal_bwd,
                                       .skips_gradients = true};

struct gr_tensor *nn_add_normal(struct gr_graph *g, struct gr_tensor *x,
                                struct gr_tensor *deviation, uint32_t number)
{
    struct gr_tensor *inputs[] = {nn_convert(g, x, g->type), nn_convert(g, deviation, g->type)};
    struct draw *own = gr_alloc(g, sizeof *own);

    T2_ASSERT(x->n == deviation->n && x->dims[0] == deviation->dims[0]);
    *own = (struct draw){.number = number};
    return gr_add_output(g, gr_add_node(g, &normal_op, 2, inputs, own), x->rank, x->dims, true);
}

static void ids_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *ids = node->inputs[0];
    const struct draw *draw = node->attributes;

    node->dev->kernels->drop_ids(node->dev,
                                 &(struct dev_drop_ids_args){.step = context->on_device,
                                                             .number = draw->number,
                                                             .rate = draw->rate,
                                                             .rows = ids->dims[0],
                                                             .cols = ids->n / ids->dims[0],
                                                             .ids = ids->ids});
}

static const struct gr_op ids_op = {.name = "drop_ids", .fwd = ids_fwd};

void nn_drop_ids(struct gr_graph *g, struct gr_tensor *ids, double rate, uint32_t side)
{
    T2_ASSERT(ids->kind == GR_IDS);
    (void) add_draw(g, &ids_op, ids, (struct draw){.number = side, .rate = rate});
}
