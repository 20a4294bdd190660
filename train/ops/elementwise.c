/*
 * train/ops/elementwise.c - values taken over one by one.
 */
#include "train/ops/elementwise.h"

#include "train/ops/cast.h"
#include "train/ops/residual.h"

static void copy_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->copy(node->dev, &(struct dev_copy_args){.type = node->outputs[0]->type,
                                                                .x = x->value,
                                                                .n = x->n,
                                                                .accumulate = false,
                                                                .y = node->outputs[0]->value});
}

static void copy_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0];

    (void) context;
    if (x->needs_grad)
        node->dev->kernels->copy(node->dev,
                                 &(struct dev_copy_args){.type = node->outputs[0]->type,
                                                         .x = node->outputs[0]->grad,
                                                         .n = x->n,
                                                         .accumulate = node->accumulate[0],
                                                         .y = x->grad});
}

/* A copy and not an alias: the plan gives every tensor a place of its own. */
static const struct gr_op reshape_op = {.name = "reshape", .fwd = copy_fwd, .bwd = copy_bwd};

struct gr_tensor *nn_reshape(struct gr_graph *g, struct gr_tensor *x, int rank, const int64_t *dims)
{
    struct gr_tensor *y;

    x = nn_convert(g, x, g->type);
    y = gr_add_output(g, gr_add_node(g, &reshape_op, 1, &x, NULL), rank, dims, true);
    T2_ASSERT(y->n == x->n);
    return y;
}

struct gr_tensor *nn_flatten(struct gr_graph *g, struct gr_tensor *x)
{
    int64_t dims[] = {x->dims[0], x->n / x->dims[0]};

    T2_ASSERT(x->rank >= 1);
    return nn_reshape(g, x, 2, dims);
}

/* Of a ReLU: 0 for none. */
static float most_of(const struct gr_node *node)
{
    return node->attributes ? *(const float *) node->attributes : 0.0f;
}

static void relu_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->relu(node->dev, &(struct dev_relu_args){.type = node->outputs[0]->type,
                                                                .x = x->value,
                                                                .n = x->n,
                                                                .most = most_of(node),
                                                                .y = node->outputs[0]->value});
}

/* The kernel writes and cannot add; to add, the masked gradient is made in place of dy and then
 * added. */
static void relu_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct dev_kernels *k = node->dev->kernels;
    struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];

    (void) context;
    k->relu_bwd(node->dev,
                &(struct dev_relu_bwd_args){.type = node->outputs[0]->type,
                                            .y = y->value,
                                            .dy = y->grad,
                                            .n = x->n,
                                            .scale = 1.0f,
                                            .most = most_of(node),
                                            .dx = node->accumulate[0] ? y->grad : x->grad});
    if (node->accumulate[0])
        k->copy(node->dev, &(struct dev_copy_args){.type = node->outputs[0]->type,
                                                   .x = y->grad,
                                                   .n = x->n,
                                                   .accumulate = true,
                                                   .y = x->grad});
}

static const struct gr_op relu_op = {.name = "relu",
                                     .fwd = relu_fwd,
                                     .bwd = relu_bwd,
                                     .bwd_uses_outputs = 1u};

struct gr_tensor *nn_relu(struct gr_graph *g, struct gr_tensor *x)
{
    x = nn_convert(g, x, g->type);
    T2_ASSERT(!g->training || x->needs_grad);
    return gr_add_output(g, gr_add_node(g, &relu_op, 1, &x, NULL), x->rank, x->dims, true);
}

struct gr_tensor *nn_relu6(struct gr_graph *g, struct gr_tensor *x)
{
    float *most = gr_alloc(g, sizeof *most);

    *most = 6.0f;
    x = nn_convert(g, x, g->type);
    T2_ASSERT(!g->training || x->needs_grad);
    return gr_add_output(g, gr_add_node(g, &relu_op, 1, &x, most), x->rank, x->dims, true);
}

static void gelu_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->gelu(node->dev, &(struct dev_gelu_args){.type = node->outputs[0]->type,
                                                                .x = x->value,
                                                                .n = x->n,
                                                                .y = node->outputs[0]->value});
}

static void gelu_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->gelu_bwd(node->dev,
                                 &(struct dev_gelu_bwd_args){.type = node->outputs[0]->type,
                                                             .x = x->value,
                                                             .dy = node->outputs[0]->grad,
                                                             .n = x->n,
                                                             .accumulate = node->accumulate[0],
                                                             .dx = x->grad});
}

static const struct gr_op gelu_op = {.name = "gelu",
                                     .fwd = gelu_fwd,
                                     .bwd = gelu_bwd,
                                     .bwd_uses_inputs = 1u};

struct gr_tensor *nn_gelu(struct gr_graph *g, struct gr_tensor *x)
{
    x = nn_convert(g, x, g->type);
    T2_ASSERT(!g->training || x->needs_grad);
    return gr_add_output(g, gr_add_node(g, &gelu_op, 1, &x, NULL), x->rank, x->dims, true);
}

static void tanh_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[0];

    (void) context;
    node->dev->kernels->tanh(node->dev, &(struct dev_tanh_args){.x = x->value,
                                                                .n = x->n,
                                                                .y = node->outputs[0]->value});
}

static void tanh_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];

    (void) context;
    node->dev->kernels->tanh_bwd(node->dev,
                                 &(struct dev_tanh_bwd_args){.y = y->value,
                                                             .dy = y->grad,
                                                             .n = x->n,
                                                             .accumulate = node->accumulate[0],
                                                             .dx = x->grad});
}

static const struct gr_op tanh_op = {.name = "tanh",
                                     .fwd = tanh_fwd,
                                     .bwd = tanh_bwd,
                                     .bwd_uses_outputs = 1u};

struct gr_tensor *nn_tanh(struct gr_graph *g, struct gr_tensor *x)
{
    x = nn_convert(g, x, DEV_FLOAT32);
    T2_ASSERT(!g->training || x->needs_grad);
    return gr_add_output_of(g, gr_add_node(g, &tanh_op, 1, &x, NULL), DEV_FLOAT32, x->rank, x->dims,
                            true);
}

struct gr_tensor *nn_add(struct gr_graph *g, struct gr_tensor *a, struct gr_tensor *b)
{
    return nn_residual(g, a, b, NULL, 0.0);
}

enum { X, FORWARD, BACKWARD };

static void scale_rows_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[X];

    (void) context;
    node->dev->kernels->scale_rows(node->dev,
                                   &(struct dev_scale_rows_args){.type = node->outputs[0]->type,
                                                                 .x = x->value,
                                                                 .rows = x->dims[0],
                                                                 .cols = x->n / x->dims[0],
                                                                 .factors =
                                                                     node->inputs[FORWARD]->value,
                                                                 .accumulate = false,
                                                                 .y = node->outputs[0]->value});
}

static void scale_rows_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[X];

    (void) context;
    node->dev->kernels->scale_rows(node->dev,
                                   &(struct dev_scale_rows_args){.type = node->outputs[0]->type,
                                                                 .x = node->outputs[0]->grad,
                                                                 .rows = x->dims[0],
                                                                 .cols = x->n / x->dims[0],
                                                                 .factors =
                                                                     node->inputs[BACKWARD]->value,
                                                                 .accumulate = node->accumulate[X],
                                                                 .y = x->grad});
}

static const struct gr_op scale_rows_op = {.name = "scale_rows",
                                           .fwd = scale_rows_fwd,
                                           .bwd = scale_rows_bwd,
                                           .bwd_uses_inputs = 1u << BACKWARD};

struct gr_tensor *nn_scale_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *forward,
                                struct gr_tensor *backward)
{
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), forward, backward};

    T2_ASSERT(!g->training || (x->needs_grad && !forward->needs_grad && !backward->needs_grad));
    T2_ASSERT(forward->n == x->dims[0] && backward->n == x->dims[0]);
    T2_ASSERT(forward->type == DEV_FLOAT32 && backward->type == DEV_FLOAT32);
    return gr_add_output(g, gr_add_node(g, &scale_rows_op, 3, inputs, NULL), x->rank, x->dims,
                         true);
}
