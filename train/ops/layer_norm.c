/*
 * train/ops/layer_norm.c - layer normalisation over the last axis: x (…,D), scale and bias (D) -> y
 * (…,D).
 *
 * STATS (rows,2), mean and 1 / sqrt(variance + eps), is kept for the backward pass, y is not.
 *
 * In training, where x is what the node before has added up, a residual connection, that node
 * becomes one of both: kernels make a row, normalise it while it is in the cache, and hand its
 * gradient on likewise.  The values are those of two nodes.
 */
#include "train/ops/layer_norm.h"

#include "train/ops/cast.h"
#include "train/ops/residual.h"

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

/* ---- of a sum ---- */

enum { SUM_X, SUM_Y, SUM_ROW_IDS, SUM_SCALE, SUM_BIAS };
enum { SUM, SUM_NORM, SUM_STATS };

struct sum_norm {
    struct norm norm;
    struct nn_residual residual;
};

static void sum_norm_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct sum_norm *s = node->attributes;
    const struct gr_tensor *x = node->inputs[SUM_X], *row_ids = node->inputs[SUM_ROW_IDS];
    const struct nn_residual *r = &s->residual;
    enum dev_type type = node->outputs[SUM]->type;

    node->dev->kernels->layer_norm(
        node->dev, &(struct dev_layer_norm_args){.type = type,
                                                 .of_sum = true,
                                                 .sum = {.type = type,
                                                         .x = x->value,
                                                         .y = node->inputs[SUM_Y]->value,
                                                         .row_ids = row_ids ? row_ids->ids : NULL,
                                                         .rows = s->norm.rows,
                                                         .cols = s->norm.D,
                                                         .dropout = gr_dropout_of(&r->drop, r->site,
                                                                                  x, context),
                                                         .out = node->outputs[SUM]->value},
                                                 .x = node->outputs[SUM]->value,
                                                 .scale = node->inputs[SUM_SCALE]->value,
                                                 .bias = node->inputs[SUM_BIAS]->value,
                                                 .rows = s->norm.rows,
                                                 .D = s->norm.D,
                                                 .eps = s->norm.eps,
                                                 .y = node->outputs[SUM_NORM]->value,
                                                 .stats = node->outputs[SUM_STATS]->value});
}

/* The gradient of SUM is there when other nodes read it, too. */
static void sum_norm_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct sum_norm *s = node->attributes;
    struct gr_tensor *x = node->inputs[SUM_X], *y = node->inputs[SUM_Y];
    const struct gr_tensor *row_ids = node->inputs[SUM_ROW_IDS];
    const struct nn_residual *r = &s->residual;
    enum dev_type type = node->outputs[SUM]->type;

    T2_ASSERT(node->outputs[SUM_NORM]->has_grad);
    node->dev->kernels->layer_norm_bwd(
        node->dev,
        &(struct dev_layer_norm_bwd_args){
            .type = type,
            .of_sum = true,
            .sum = {.type = type,
                    .dout = node->outputs[SUM]->has_grad ? node->outputs[SUM]->grad : NULL,
                    .row_ids = row_ids ? row_ids->ids : NULL,
                    .rows = s->norm.rows,
                    .cols = s->norm.D,
                    .dropout = gr_dropout_of(&r->drop, r->site, x, context),
                    .accumulate = node->accumulate[SUM_Y],
                    .dy = y->needs_grad ? y->grad : NULL},
            .x = node->outputs[SUM]->value,
            .scale = node->inputs[SUM_SCALE]->value,
            .stats = node->outputs[SUM_STATS]->value,
            .dy = node->outputs[SUM_NORM]->grad,
            .rows = s->norm.rows,
            .D = s->norm.D,
            .dx = x->needs_grad ? x->grad : NULL,
            .accumulate_x = node->accumulate[SUM_X],
            .dscale = node->inputs[SUM_SCALE]->grad,
            .accumulate_scale = node->accumulate[SUM_SCALE],
            .dbias = node->inputs[SUM_BIAS]->grad,
            .accumulate_bias = node->accumulate[SUM_BIAS],
            .scratch = node->scratch});
}

static const struct gr_op sum_norm_op = {.name = "residual_layer_norm",
                                         .fwd = sum_norm_fwd,
                                         .bwd = sum_norm_bwd,
                                         .bwd_uses_inputs = 1u << SUM_ROW_IDS | 1u << SUM_SCALE,
                                         .bwd_uses_outputs = 1u << SUM | 1u << SUM_STATS};

/* x is what the last node has added up.  Of a layer that is computed again the next layer's share
 * would be kept with it, so these stay apart. */
static bool is_of_sum(const struct gr_graph *g, const struct gr_tensor *x)
{
    const struct gr_node *node = x->producer;

    return g->training && node && node == g->nodes[g->n_nodes - 1] && nn_residual_of(node) &&
           (!g->remat || node->layer == g->layer);
}

static struct gr_node *extend(struct gr_graph *g, struct gr_node *node, struct gr_tensor *scale,
                              struct gr_tensor *bias, const struct norm *norm)
{
    struct sum_norm *s = gr_alloc(g, sizeof *s);
    struct gr_tensor *more[] = {scale, bias};

    s->norm = *norm;
    s->residual = *nn_residual_of(node);
    gr_extend_node(g, node, &sum_norm_op, 2, more, s);
    return node;
}

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
    node = is_of_sum(g, x) ? extend(g, x->producer, scale, bias, n)
                           : gr_add_node(g, &norm_op, 3, inputs, n);
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
