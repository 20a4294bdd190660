/*
 * train/ops/xent.c - softmax cross-entropy with label smoothing over a vocabulary: x (rows,D),
 * table (V,D) -> row_stats (rows,4).
 *
 * In a training graph the forward run does nothing: the kernel makes the logits, the loss and both
 * gradients in one pass over tiles of logits, and running it twice would compute (rows,V) twice.
 * So a training step has its loss after the backward pass.
 */
#include "train/ops/xent.h"

enum { X, TABLE, LABELS, WEIGHTS };

struct xent {
    float smoothing;
    bool training;
};

static struct dev_xent arguments(const struct gr_node *node)
{
    const struct xent *m = node->attributes;
    const struct gr_tensor *x = node->inputs[X], *table = node->inputs[TABLE];
    const struct gr_tensor *weights = node->inputs[WEIGHTS]; /* or NULL */

    return (struct dev_xent){.N = x->n / table->dims[1],
                             .D = table->dims[1],
                             .V = table->dims[0],
                             .type = x->type,
                             .x = x->value,
                             .table = table->value,
                             .rounded_type = table->rounded_type,
                             .rounded_table = table->rounded,
                             .labels = node->inputs[LABELS]->ids,
                             .weights = weights ? weights->value : NULL,
                             .smoothing = m->smoothing,
                             .row_stats = node->outputs[0]->value,
                             .scratch = node->scratch};
}

static void xent_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct xent *m = node->attributes;
    struct dev_xent a = arguments(node);

    (void) context;
    if (!m->training)
        node->dev->kernels->xent(node->dev, &a);
}

static void xent_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_xent a = arguments(node);

    a.step = context->on_device;
    a.dx = node->inputs[X]->grad;
    a.dtable = node->inputs[TABLE]->grad;
    a.accumulate_x = node->accumulate[X];
    a.accumulate_table = node->accumulate[TABLE];
    node->dev->kernels->xent(node->dev, &a);
}

static const struct gr_op xent_op = {.name = "xent",
                                     .fwd = xent_fwd,
                                     .bwd = xent_bwd,
                                     .bwd_uses_inputs =
                                         1u << X | 1u << TABLE | 1u << LABELS | 1u << WEIGHTS,
                                     .bwd_uses_outputs = 1u};

struct gr_node *nn_xent(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table,
                        struct gr_tensor *labels, struct gr_tensor *weights, double smoothing,
                        struct gr_tensor **row_stats)
{
    struct xent *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {x, table, labels, weights};
    struct gr_node *node = gr_add_node(g, &xent_op, 4, inputs, m);
    int64_t rows = labels->n, dims[] = {rows, 4};
    struct dev_xent a;

    T2_ASSERT(table->rank == 2 && x->n == rows * table->dims[1]);
    T2_ASSERT(table->type == DEV_FLOAT32 && (!weights || weights->n == rows));
    T2_ASSERT(!g->training || (x->needs_grad && table->needs_grad));
    m->smoothing = (float) smoothing;
    m->training = g->training;
    *row_stats = gr_add_output_of(g, node, DEV_FLOAT32, 2, dims, false);
    a = arguments(node);
    *(g->training ? &node->scratch_bwd_floats : &node->scratch_fwd_floats) =
        g->dev->kernels->xent_scratch_floats(g->dev, &a);
    return node;
}
