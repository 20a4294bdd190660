/*
 * train/ops/mark_rows.c - which positions of a sequence of vectors hold something.
 */
#include "train/ops/mark_rows.h"

enum { X, MARKS };

static void mark_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[X];

    (void) context;
    node->dev->kernels->mark_rows(node->dev,
                                  &(struct dev_mark_rows_args){.type = x->type,
                                                               .x = x->value,
                                                               .rows = node->inputs[MARKS]->n,
                                                               .D = x->dims[2],
                                                               .ids = node->inputs[MARKS]->ids});
}

static const struct gr_op mark_op = {.name = "mark_rows", .fwd = mark_fwd};

struct gr_tensor *nn_mark_rows(struct gr_graph *g, struct gr_tensor *x)
{
    struct gr_tensor *inputs[] = {x, gr_ids(g, 2, x->dims)};

    T2_ASSERT(x->rank == 3);
    gr_add_node(g, &mark_op, 2, inputs, NULL);
    return inputs[MARKS];
}
