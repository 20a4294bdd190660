/*
 * train/ops/class_loss.c - softmax cross-entropy of class labels: logits (rows,V) -> row_stats
 * (rows,4).
 *
 * The kernel gives statistics and gradient in one call; it runs in both passes, as (rows,V) numbers
 * are few (struct dev_class_xent).
 */
#include "train/ops/class_loss.h"

#include "train/ops/cast.h"

enum { LOGITS, LABELS, OTHER_LABELS, WEIGHTS };

struct class_loss {
    float smoothing;
    bool uniform;
};

static struct dev_class_xent arguments(const struct gr_node *node)
{
    const struct class_loss *m = node->attributes;
    const struct gr_tensor *logits = node->inputs[LOGITS];
    int64_t V = logits->dims[logits->rank - 1];
    bool mixed = node->inputs[OTHER_LABELS] != NULL;

    return (struct dev_class_xent){.N = logits->n / V,
                                   .V = V,
                                   .logits = logits->value,
                                   .labels = node->inputs[LABELS]->ids,
                                   .other_labels = mixed ? node->inputs[OTHER_LABELS]->ids : NULL,
                                   .weights = mixed ? node->inputs[WEIGHTS]->value : NULL,
                                   .smoothing = m->smoothing,
                                   .uniform = m->uniform,
                                   .row_stats = node->outputs[0]->value};
}

static void loss_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_class_xent a = arguments(node);

    (void) context;
    node->dev->kernels->class_xent(node->dev, &a);
}

static void loss_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_class_xent a = arguments(node);

    a.step = context->on_device;
    a.dlogits = node->inputs[LOGITS]->grad;
    a.accumulate = node->accumulate[LOGITS];
    node->dev->kernels->class_xent(node->dev, &a);
}

static const struct gr_op class_loss_op = {.name = "class_loss",
                                           .fwd = loss_fwd,
                                           .bwd = loss_bwd,
                                           .bwd_uses_inputs = 1u << LOGITS | 1u << LABELS |
                                                              1u << OTHER_LABELS | 1u << WEIGHTS,
                                           .bwd_uses_outputs = 1u};

struct gr_node *nn_class_loss_of(struct gr_graph *g, struct gr_tensor *logits,
                                 const struct nn_class_labels *of, double smoothing, bool uniform,
                                 struct gr_tensor **row_stats)
{
    struct class_loss *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {logits = nn_convert(g, logits, DEV_FLOAT32), of->labels,
                                  of->other_labels, of->weights};
    struct gr_node *node = gr_add_node(g, &class_loss_op, 4, inputs, m);
    int64_t dims[] = {of->labels->n, 4};

    T2_ASSERT(logits->n == of->labels->n * logits->dims[logits->rank - 1]);
    T2_ASSERT(!g->training || logits->needs_grad);
    T2_ASSERT((of->other_labels != NULL) == (of->weights != NULL));
    T2_ASSERT(!of->weights || (of->weights->n == of->labels->n && !of->weights->needs_grad &&
                               of->other_labels->n == of->labels->n));
    m->smoothing = (float) smoothing;
    m->uniform = uniform;
    *row_stats = gr_add_output_of(g, node, DEV_FLOAT32, 2, dims, false);
    return node;
}

struct gr_node *nn_class_loss(struct gr_graph *g, struct gr_tensor *logits,
                              struct gr_tensor *labels, double smoothing,
                              struct gr_tensor **row_stats)
{
    return nn_class_loss_of(g, logits, &(struct nn_class_labels){.labels = labels}, smoothing,
                            false, row_stats);
}

/* ---- beside another loss ---- */

enum { OF_X, OF_LOGITS, OF_LABELS };
enum { Y, STATS };

struct beside {
    float weight;
};

static struct dev_class_xent beside_arguments(const struct gr_node *node)
{
    const struct gr_tensor *logits = node->inputs[OF_LOGITS];
    int64_t V = logits->dims[logits->rank - 1];

    return (struct dev_class_xent){.N = logits->n / V,
                                   .V = V,
                                   .logits = logits->value,
                                   .labels = node->inputs[OF_LABELS]->ids,
                                   .beside = ((const struct beside *) node->attributes)->weight,
                                   .row_stats = node->outputs[STATS]->value};
}

static void copy(const struct gr_node *node, const void *from, bool accumulate, void *to)
{
    const struct gr_tensor *y = node->outputs[Y];

    node->dev->kernels->copy(node->dev, &(struct dev_copy_args){.type = y->type,
                                                                .x = from,
                                                                .n = y->n,
                                                                .accumulate = accumulate,
                                                                .y = to});
}

static void beside_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_class_xent a = beside_arguments(node);

    (void) context;
    copy(node, node->inputs[OF_X]->value, false, node->outputs[Y]->value);
    node->dev->kernels->class_xent(node->dev, &a);
}

static void beside_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_class_xent a = beside_arguments(node);

    copy(node, node->outputs[Y]->grad, node->accumulate[OF_X], node->inputs[OF_X]->grad);
    a.step = context->on_device;
    a.dlogits = node->inputs[OF_LOGITS]->grad;
    a.accumulate = node->accumulate[OF_LOGITS];
    node->dev->kernels->class_xent(node->dev, &a);
}

static const struct gr_op beside_op = {.name = "class_loss_beside",
                                       .fwd = beside_fwd,
                                       .bwd = beside_bwd,
                                       .bwd_uses_inputs = 1u << OF_LOGITS | 1u << OF_LABELS,
                                       .bwd_uses_outputs = 1u << STATS};

struct gr_tensor *nn_class_loss_beside(struct gr_graph *g, struct gr_tensor *x,
                                       struct gr_tensor *logits, struct gr_tensor *labels,
                                       double weight, struct gr_tensor **row_stats)
{
    struct beside *m = gr_alloc(g, sizeof *m);
    struct gr_tensor *inputs[] = {x, logits = nn_convert(g, logits, DEV_FLOAT32), labels}, *y;
    struct gr_node *node = gr_add_node(g, &beside_op, 3, inputs, m);
    int64_t dims[] = {labels->n, 4};

    T2_ASSERT(weight > 0.0 && logits->n == labels->n * logits->dims[logits->rank - 1]);
    m->weight = (float) weight;
    y = gr_add_output_of(g, node, x->type, x->rank, x->dims, true);
    *row_stats = gr_add_output_of(g, node, DEV_FLOAT32, 2, dims, false);
    return y;
}
