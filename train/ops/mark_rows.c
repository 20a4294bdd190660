/*
 * train/ops/mark_rows.c - which positions of a sequence of vectors hold something.
 */
#include "train/ops/mark_rows.h"

enum { X, MARKS };

static void mark_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct gr_tensor *x = node->inputs[X];
    const int64_t *n_marked = node->attributes;

    (void) context;
    node->dev->kernels->mark_rows(node->dev,
                                  &(struct dev_mark_rows_args){.type = x->type,
                                                               .x = x->value,
                                                               .rows = node->inputs[MARKS]->n,
                                                               .D = x->dims[2],
                                                               .length = x->dims[1],
                                                               .n_marked = *n_marked,
                                                               .ids = node->inputs[MARKS]->ids});
}

static const struct gr_op mark_op = {.name = "mark_rows", .fwd = mark_fwd};

struct gr_tensor *nn_mark_rows_but(struct gr_graph *g, struct gr_tensor *x, int64_t n_marked)
{
    struct gr_tensor *inputs[] = {x, gr_ids(g, 2, x->dims)};
    int64_t *attributes = gr_alloc(g, sizeof *attributes);

    T2_ASSERT(x->rank == 3 && n_marked >= 0 && n_marked <= x->dims[1]);
    *attributes = n_marked;
    gr_add_node(g, &mark_op, 2, inputs, attributes);
    return inputs[MARKS];
}

struct gr_tensor *nn_mark_rows(struct gr_graph *g, struct gr_tensor *x)
{
    return nn_mark_rows_but(g, x, 0);
}
