/*
 * train/ops/windows.c - windows of images, cut out and put back; each is the other's backward pass.
 */
#include "train/ops/windows.h"

#include "train/ops/cast.h"

static void cut(struct gr_node *node, enum dev_type type, const void *x, bool accumulate, void *y)
{
    const struct dev_windows *of = node->attributes;

    node->dev->kernels->cut_windows(node->dev,
                                    &(struct dev_cut_windows_args){.of = *of,
                                                                   .type = type,
                                                                   .x = x,
                                                                   .accumulate = accumulate,
                                                                   .y = y});
}

static void put(struct gr_node *node, enum dev_type type, const void *y, bool accumulate, void *x)
{
    const struct dev_windows *of = node->attributes;

    node->dev->kernels->put_windows(node->dev,
                                    &(struct dev_put_windows_args){.of = *of,
                                                                   .type = type,
                                                                   .y = y,
                                                                   .accumulate = accumulate,
                                                                   .x = x});
}

static void cut_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    cut(node, node->inputs[0]->type, node->inputs[0]->value, false, node->outputs[0]->value);
}

static void cut_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    put(node, node->inputs[0]->type, node->outputs[0]->grad, node->accumulate[0],
        node->inputs[0]->grad);
}

static void put_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    put(node, node->inputs[0]->type, node->inputs[0]->value, false, node->outputs[0]->value);
}

static void put_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    cut(node, node->inputs[0]->type, node->outputs[0]->grad, node->accumulate[0],
        node->inputs[0]->grad);
}

static const struct gr_op cut_op = {.name = "cut_windows", .fwd = cut_fwd, .bwd = cut_bwd};
static const struct gr_op put_op = {.name = "put_windows", .fwd = put_fwd, .bwd = put_bwd};

static struct gr_tensor *add(struct gr_graph *g, const struct gr_op *op, struct gr_tensor *x,
                             const struct nn_windows *w, int64_t B, const int64_t *dims)
{
    struct dev_windows *of = gr_alloc(g, sizeof *of);

    T2_ASSERT(x->rank == 3);
    for (int axis = 0; axis < 2; axis++)
        T2_ASSERT(w->step[axis] > 0 && w->size[axis] > 0);
    *of = (struct dev_windows){.B = B,
                               .H = w->height,
                               .W = w->width,
                               .C = x->dims[2],
                               .rows = w->rows,
                               .columns = w->columns,
                               .step = {w->step[0], w->step[1]},
                               .first = {w->first[0], w->first[1]},
                               .size = {w->size[0], w->size[1]}};
    return gr_add_output_of(g, gr_add_node(g, op, 1, &x, of), x->type, 3, dims, x->needs_grad);
}

struct gr_tensor *nn_cut_windows(struct gr_graph *g, struct gr_tensor *x,
                                 const struct nn_windows *w)
{
    int64_t B = x->dims[0];
    int64_t dims[] = {B * w->rows * w->columns, w->size[0] * w->size[1], x->dims[2]};

    T2_ASSERT(x->dims[1] == w->height * w->width);
    return add(g, &cut_op, x->needs_grad ? nn_convert(g, x, g->type) : x, w, B, dims);
}

struct gr_tensor *nn_put_windows(struct gr_graph *g, struct gr_tensor *y,
                                 const struct nn_windows *w)
{
    int64_t B = y->dims[0] / (w->rows * w->columns);
    int64_t dims[] = {B, w->height * w->width, y->dims[2]};

    T2_ASSERT(y->dims[0] % (w->rows * w->columns) == 0);
    T2_ASSERT(y->dims[1] == w->size[0] * w->size[1]);
    return add(g, &put_op, y->needs_grad ? nn_convert(g, y, g->type) : y, w, B, dims);
}
