/*
 * train/ops/halt.c - adaptive computation time; see the header.
 */
#include "train/ops/halt.h"

#include "train/ops/cast.h"

enum { X, LOGITS, MIXED, STATE }; /* inputs of a step */
enum { Y, NEXT };

static struct dev_halt arguments(const struct gr_node *node)
{
    const struct nn_halt *how = node->attributes;
    const struct gr_tensor *x = node->inputs[X], *mixed = node->inputs[MIXED];

    return (struct dev_halt){.type = x->type,
                             .rows = node->outputs[NEXT]->dims[0],
                             .D = x->dims[2],
                             .threshold = (float) (1.0 - how->epsilon),
                             .accumulated = how->accumulated,
                             .logits = node->inputs[LOGITS]->value,
                             .x = x->value,
                             .mixed = mixed ? mixed->value : NULL,
                             .state = mixed ? node->inputs[STATE]->value : NULL};
}

static void halt_fwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_halt a = arguments(node);

    (void) context;
    a.next = node->outputs[NEXT]->value;
    a.y = node->outputs[Y]->value;
    node->dev->kernels->halt(node->dev, &a);
}

static void halt_bwd(struct gr_node *node, const struct gr_context *context)
{
    struct dev_halt a = arguments(node);
    bool first = !node->inputs[MIXED];

    (void) context;
    a.dy = node->outputs[Y]->grad;
    a.dnext = node->outputs[NEXT]->has_grad ? node->outputs[NEXT]->grad : NULL;
    a.dx = node->inputs[X]->grad;
    a.dlogits = node->inputs[LOGITS]->grad;
    a.dmixed = first ? NULL : node->inputs[MIXED]->grad;
    a.dstate = first ? NULL : node->inputs[STATE]->grad;
    a.accumulate_x = node->accumulate[X];
    a.accumulate_logits = node->accumulate[LOGITS];
    a.accumulate_mixed = node->accumulate[MIXED];
    a.accumulate_state = node->accumulate[STATE];
    node->dev->kernels->halt_bwd(node->dev, &a);
}

static const struct gr_op halt_op = {.name = "halt",
                                     .fwd = halt_fwd,
                                     .bwd = halt_bwd,
                                     .bwd_uses_inputs =
                                         1u << X | 1u << LOGITS | 1u << MIXED | 1u << STATE};

void nn_halt(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *logits,
             const struct nn_halt *how, struct nn_halted *h)
{
    struct nn_halt *attributes = gr_alloc(g, sizeof *attributes);
    struct gr_tensor *inputs[] = {nn_convert(g, x, g->type), nn_convert(g, logits, DEV_FLOAT32),
                                  h->mixed, h->state};
    struct gr_node *node = gr_add_node(g, &halt_op, 4, inputs, attributes);
    int64_t state[] = {x->dims[0] * x->dims[1], 3};

    T2_ASSERT(x->rank == 3 && logits->n == state[0] && !h->mixed == !h->state);
    *attributes = *how;
    h->mixed = gr_add_output(g, node, 3, x->dims, true);
    h->state = gr_add_output_of(g, node, DEV_FLOAT32, 2, state, true);
}

/* ---- the loss ---- */

enum { OF_X, OF_STATE };

struct ponder {
    float weight;
};

static void copy(const struct gr_node *node, const void *from, bool accumulate, void *to)
{
    const struct gr_tensor *y = node->outputs[0];

    node->dev->kernels->copy(node->dev, &(struct dev_copy_args){.type = y->type,
                                                                .x = from,
                                                                .n = y->n,
                                                                .accumulate = accumulate,
                                                                .y = to});
}

static void ponder_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    copy(node, node->inputs[OF_X]->value, false, node->outputs[0]->value);
}

static void ponder_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct ponder *p = node->attributes;
    struct gr_tensor *x = node->inputs[OF_X], *state = node->inputs[OF_STATE];

    copy(node, node->outputs[0]->grad, node->accumulate[OF_X], x->grad);
    node->dev->kernels->ponder_bwd(node->dev,
                                   &(struct dev_ponder_bwd_args){.step = context->on_device,
                                                                 .rows = state->dims[0],
                                                                 .weight = p->weight,
                                                                 .accumulate =
                                                                     node->accumulate[OF_STATE],
                                                                 .dstate = state->grad});
}

static const struct gr_op ponder_op = {.name = "ponder", .fwd = ponder_fwd, .bwd = ponder_bwd};

struct gr_tensor *nn_ponder(struct gr_graph *g, const struct nn_halted *h, double weight)
{
    struct ponder *p = gr_alloc(g, sizeof *p);
    struct gr_tensor *inputs[] = {h->mixed, h->state};

    p->weight = (float) (weight / (double) h->mixed->dims[1]);
    return gr_add_output(g, gr_add_node(g, &ponder_op, 2, inputs, p), 3, h->mixed->dims, true);
}
