/*
 * train/ops/excite.c - every channel of an image times a number of its own.
 */
#include "train/ops/excite.h"

#include "train/ops/cast.h"
#include "train/ops/elementwise.h"

enum { X, GATE };

static struct dev_excite arguments(const struct gr_node *node)
{
    const struct gr_tensor *x = node->inputs[X];

    return (struct dev_excite){.B = x->dims[0],
                               .P = x->dims[1] * x->dims[2],
                               .C = x->dims[3],
                               .slope = *(const float *) node->attributes,
                               .type = node->outputs[0]->type,
                               .x = x->value,
                               .gate = node->inputs[GATE]->value};
}

static void excite_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_excite a = arguments(node);

    (void) context;
    a.y = node->outputs[0]->value;
    node->dev->kernels->excite(node->dev, &a);
}

static void excite_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_excite a = arguments(node);

    (void) context;
    a.dy = node->outputs[0]->grad;
    a.dx = node->inputs[X]->grad;
    a.accumulate_dx = node->accumulate[X];
    a.dgate = node->inputs[GATE]->grad;
    a.accumulate_dgate = node->accumulate[GATE];
    node->dev->kernels->excite_bwd(node->dev, &a);
}

static const struct gr_op excite_op = {.name = "excite",
                                       .fwd = excite_fwd,
                                       .bwd = excite_bwd,
                                       .bwd_uses_inputs = 1u << X | 1u << GATE};

static struct gr_tensor *excite(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate,
                                double slope)
{
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type),
                                  gate = nn_convert(g, gate, g->type)};
    float *attribute = gr_alloc(g, sizeof *attribute);

    T2_ASSERT(x->rank == 4 && gate->n == x->dims[0] * x->dims[3]);
    T2_ASSERT(!g->training || (x->needs_grad && gate->needs_grad));
    *attribute = (float) slope;
    return gr_add_output(g, gr_add_node(g, &excite_op, 2, inputs, attribute), 4, x->dims, true);
}

struct gr_tensor *nn_excite(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate)
{
    return excite(g, x, gate, 0.0);
}

struct gr_tensor *nn_excite_hard(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gate,
                                 double slope)
{
    return excite(g, x, gate, slope);
}

/* Every value is an image of one pixel. */
static struct gr_tensor *by_itself(struct gr_graph *g, struct gr_tensor *x, double slope)
{
    int64_t C = x->dims[x->rank - 1], pixels[] = {x->n / C, 1, 1, C}, rows[] = {x->n / C, C};
    struct gr_tensor *y = excite(g, nn_reshape(g, x, 4, pixels), nn_reshape(g, x, 2, rows), slope);

    return nn_reshape(g, y, x->rank, x->dims);
}

struct gr_tensor *nn_swish(struct gr_graph *g, struct gr_tensor *x)
{
    return by_itself(g, x, 0.0);
}

struct gr_tensor *nn_hard_swish(struct gr_graph *g, struct gr_tensor *x)
{
    return by_itself(g, x, 1.0 / 6.0);
}
