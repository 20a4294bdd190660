/*
 * train/ops/fill.c - values that depend on no other, or on ids alone.
 */
#include "train/ops/fill.h"

#include "train/ops/elementwise.h"

/* ---- zeros ---- */

static void zeros_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct gr_tensor *y = node->outputs[0];

    (void) context;
    node->dev->zero(node->dev, y->value, gr_bytes(y));
}

static void zeros_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) node;
    (void) context;
}

static const struct gr_op zeros_op = {.name = "zeros", .fwd = zeros_fwd, .bwd = zeros_bwd};

struct gr_tensor *nn_zeros(struct gr_graph *g, int rank, const int64_t *dims)
{
    return gr_add_output(g, gr_add_node(g, &zeros_op, 0, NULL, NULL), rank, dims, true);
}

/* ---- ids that are there ---- */

/* Runs of `counted` ids, `every` apart from the first. */
struct filled {
    int64_t first, rows, every, counted, extra;
};

static void filled_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct filled *f = node->attributes;

    (void) context;
    node->dev->kernels->count_ids(node->dev,
                                  &(struct dev_count_ids_args){.ids =
                                                                   node->inputs[0]->ids + f->first,
                                                               .rows = f->rows,
                                                               .cols = f->every,
                                                               .counted = f->counted,
                                                               .extra = f->extra,
                                                               .lengths = node->outputs[0]->value});
}

static const struct gr_op filled_op = {.name = "filled", .fwd = filled_fwd};

static struct gr_tensor *filled(struct gr_graph *g, struct gr_tensor *ids, struct filled how)
{
    struct filled *f = gr_alloc(g, sizeof *f);

    *f = how;
    return gr_add_output_of(g, gr_add_node(g, &filled_op, 1, &ids, f), DEV_FLOAT32, 1, &f->rows,
                            false);
}

struct gr_tensor *nn_filled(struct gr_graph *g, struct gr_tensor *ids, int64_t position)
{
    bool all = position < 0;

    T2_ASSERT(ids->rank == 2 && position < ids->dims[1]);
    return filled(g, ids,
                  (struct filled){all ? 0 : position, ids->dims[0], ids->dims[1], !all, all});
}

struct gr_tensor *nn_all_filled(struct gr_graph *g, struct gr_tensor *ids)
{
    return filled(g, ids, (struct filled){0, ids->n, 1, 1, 0});
}

struct gr_tensor *nn_mask_rows(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *ids)
{
    int64_t rows[] = {ids->n, x->n / ids->n};
    struct gr_tensor *factors = nn_all_filled(g, ids), *y;

    T2_ASSERT(x->rank == 3 && x->dims[0] * x->dims[1] == ids->n);
    y = nn_scale_rows(g, nn_reshape(g, x, 2, rows), factors, factors);
    return nn_reshape(g, y, 3, x->dims);
}
