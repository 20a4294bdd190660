/*
 * train/ops/targeted.c - targeted dropout: w (…,filters) -> w * FACTORS, which the kernel finds
 * from the sizes of the weights and keeps for the backward pass (no gradient goes through the
 * choice).
 */
#include "train/ops/targeted.h"

#include <math.h>

enum { Y, FACTORS };

struct targeted {
    int64_t nth;
    bool units;
    double rate; /* of the dropout; 1 in evaluation */
    uint32_t site;
};

static void multiply(struct gr_node *node, const void *x, bool accumulate, void *y)
{
    node->dev->kernels->scale_rows(node->dev,
                                   &(struct dev_scale_rows_args){.type = node->outputs[0]->type,
                                                                 .x = x,
                                                                 .rows = node->inputs[0]->n,
                                                                 .cols = 1,
                                                                 .factors =
                                                                     node->outputs[FACTORS]->value,
                                                                 .accumulate = accumulate,
                                                                 .y = y});
}

static void targeted_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct targeted *t = node->attributes;
    const struct gr_tensor *w = node->inputs[0];
    int64_t cols = w->dims[w->rank - 1];
    struct dev_targeted a = {.rows = w->n / cols,
                             .cols = cols,
                             .nth = t->nth,
                             .columns = t->units,
                             .w = w->value,
                             .dropout = gr_dropout(t->rate, t->site, 0, context),
                             .factors = node->outputs[FACTORS]->value,
                             .scratch = node->scratch};

    node->dev->kernels->targeted(node->dev, &a);
    multiply(node, w->value, false, node->outputs[Y]->value);
}

static void targeted_bwd(struct gr_node *node, const struct gr_context *context)
{
    (void) context;
    multiply(node, node->outputs[Y]->grad, node->accumulate[0], node->inputs[0]->grad);
}

static const struct gr_op targeted_op = {.name = "targeted",
                                         .fwd = targeted_fwd,
                                         .bwd = targeted_bwd,
                                         .bwd_uses_outputs = 1u << FACTORS};

/* How many weights (or filters) are targeted, in the original's arithmetic, as it decides at the
 * boundary: float32, halves to even. */
static int64_t number_of(const struct nn_targeted *how, int64_t n, bool training)
{
    float number = how->units ? (float) (how->rate * (double) n) : (float) how->rate * (float) n;

    if (!training)
        number = nearbyintf(number * (float) (1.0 - how->keep_prob));
    return (int64_t) number < n ? (int64_t) number : n - 1;
}

struct gr_tensor *nn_targeted(struct gr_graph *g, struct gr_tensor *w,
                              const struct nn_targeted *how)
{
    struct targeted *t = gr_alloc(g, sizeof *t);
    int64_t cols = w->dims[w->rank - 1], rows = w->n / cols;
    struct gr_node *node = gr_add_node(g, &targeted_op, 1, &w, t);
    struct gr_tensor *y = gr_add_output_of(g, node, w->type, w->rank, w->dims, true);

    T2_ASSERT(how->rate >= 0.0 && how->rate < 1.0 && how->keep_prob > 0.0 && how->keep_prob < 1.0);
    (void) gr_add_output_of(g, node, DEV_FLOAT32, w->rank, w->dims, false);
    t->units = how->units;
    t->nth = number_of(how, how->units ? cols : rows, g->training);
    t->rate = g->training ? 1.0 - how->keep_prob : 1.0;
    t->site = gr_next_dropout_site(g);
    node->scratch_fwd_floats = rows + 2 * cols;
    return y;
}
