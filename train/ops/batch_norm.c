/*
 * train/ops/batch_norm.c - batch normalisation with what follows it (residual sum, ReLU) in one
 * operator, as each would be one more pass over memory.
 *
 * Inputs x (…,C), gamma, beta, moving mean and variance (C), residual (…,C) or none.  Outputs y
 * (…,C) and in training STATS (2,C), which the backward pass reads.  y is kept for it only with
 * residual and ReLU; otherwise the kernel finds again from x what the ReLU let through, and y's
 * memory is free as soon as the next layer has read it.
 */
#include "train/ops/batch_norm.h"

#include "train/ops/cast.h"

enum { X, GAMMA, BETA, MOVING_MEAN, MOVING_VARIANCE, RESIDUAL, N_INPUTS };
enum { Y, STATS }; /* STATS (2, C): mean and variance of the batch, in training */

struct norm {
    int64_t rows, C;
    int64_t own_scratch; /* floats of the kernels; behind it dgamma (C) where gamma is a state */
    float momentum, epsilon, unbiased; /* n / (n - 1), or 1: factor of the moving variance */
    bool relu, training;
};

/* The call with the moving statistics, or with the batch's. */
static struct dev_batch_norm call_of(const struct gr_node *node)
{
    const struct norm *n = node->attributes;
    const struct gr_tensor *residual = node->inputs[RESIDUAL];
    struct dev_batch_norm a = {.rows = n->rows,
                               .C = n->C,
                               .type = node->outputs[Y]->type,
                               .x = node->inputs[X]->value,
                               .gamma = node->inputs[GAMMA]->value,
                               .beta = node->inputs[BETA]->value,
                               .mean = node->inputs[MOVING_MEAN]->value,
                               .variance = node->inputs[MOVING_VARIANCE]->value,
                               .epsilon = n->epsilon,
                               .residual = residual ? residual->value : NULL,
                               .relu = n->relu};

    if (n->training) {
        a.mean = node->outputs[STATS]->value;
        a.variance = a.mean + n->C;
    }
    return a;
}

/* A second run of the layer (remat) computes the same statistics and does not move the averages
 * again. */
static void norm_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct norm *n = node->attributes;
    const struct dev_kernels *k = node->dev->kernels;
    struct dev_batch_norm a = call_of(node);

    (void) context;
    if (n->training) {
        float *mean = node->outputs[STATS]->value;

        k->batch_moments(node->dev, &(struct dev_batch_moments_args){.type = node->outputs[0]->type,
                                                                     .x = a.x,
                                                                     .rows = n->rows,
                                                                     .C = n->C,
                                                                     .mean = mean,
                                                                     .variance = mean + n->C,
                                                                     .scratch = node->scratch});
    }
    if (node->update_states) {
        float take = 1.0f - n->momentum;

        k->blend(node->dev, &(struct dev_blend_args){.x = a.mean,
                                                     .n = n->C,
                                                     .keep = n->momentum,
                                                     .take = take,
                                                     .y = node->inputs[MOVING_MEAN]->value});
        k->blend(node->dev, &(struct dev_blend_args){.x = a.variance,
                                                     .n = n->C,
                                                     .keep = n->momentum,
                                                     .take = take * n->unbiased,
                                                     .y = node->inputs[MOVING_VARIANCE]->value});
    }
    k->batch_norm(node->dev, &(struct dev_batch_norm_args){.of = a, .y = node->outputs[Y]->value});
}

static void norm_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct norm *n = node->attributes;
    struct gr_tensor *x = node->inputs[X], *gamma = node->inputs[GAMMA];
    struct gr_tensor *beta = node->inputs[BETA], *residual = node->inputs[RESIDUAL];
    struct dev_batch_norm a = call_of(node);
    struct dev_batch_norm_grads g = {.y = node->outputs[Y]->value,
                                     .dy = node->outputs[Y]->grad,
                                     .dx = x->needs_grad ? x->grad : NULL,
                                     .dgamma = gamma->needs_grad ? gamma->grad
                                                                 : node->scratch + n->own_scratch,
                                     .dbeta = beta->grad,
                                     .accumulate_x = node->accumulate[X],
                                     .accumulate_gamma = node->accumulate[GAMMA],
                                     .accumulate_beta = node->accumulate[BETA],
                                     .scratch = node->scratch};

    (void) context;
    if (residual && residual->needs_grad) {
        g.dresidual = residual->grad;
        g.accumulate_residual = node->accumulate[RESIDUAL];
    }
    node->dev->kernels->batch_norm_bwd(node->dev,
                                       &(struct dev_batch_norm_bwd_args){.of = a, .g = g});
}

/* Two operators, as they differ in what must be kept for the backward pass. */
static const struct gr_op norm_op = {.name = "batch_norm",
                                     .fwd = norm_fwd,
                                     .bwd = norm_bwd,
                                     .bwd_uses_inputs = 1u << X | 1u << GAMMA | 1u << BETA,
                                     .bwd_uses_outputs = 1u << STATS};
static const struct gr_op residual_relu_op = {.name = "batch_norm_residual_relu",
                                              .fwd = norm_fwd,
                                              .bwd = norm_bwd,
                                              .bwd_uses_inputs = 1u << X | 1u << GAMMA | 1u << BETA,
                                              .bwd_uses_outputs = 1u << Y | 1u << STATS};

struct gr_tensor *nn_batch_norm(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *gamma,
                                struct gr_tensor *beta, struct gr_tensor *moving_mean,
                                struct gr_tensor *moving_variance, struct gr_tensor *residual,
                                const struct nn_batch_norm *how)
{
    struct norm *n = gr_alloc(g, sizeof *n);
    struct gr_tensor *inputs[N_INPUTS] = {
        x = nn_convert(g, x, g->type), gamma, beta, moving_mean, moving_variance, residual};
    struct gr_tensor *y;
    struct gr_node *node;

    n->C = x->dims[x->rank - 1];
    n->rows = x->n / n->C;
    n->momentum = (float) how->momentum;
    gr_state_moves(g, moving_mean, n->momentum);
    gr_state_moves(g, moving_variance, n->momentum);
    n->epsilon = (float) how->epsilon;
    n->relu = how->relu;
    n->training = g->training;
    n->unbiased = how->population_variance || n->rows < 2
                      ? 1.0f
                      : (float) ((double) n->rows / (double) (n->rows - 1));
    T2_ASSERT(gamma->n == n->C && beta->n == n->C);
    T2_ASSERT(gamma->type == DEV_FLOAT32 && beta->type == DEV_FLOAT32);
    T2_ASSERT(moving_mean->n == n->C && moving_variance->n == n->C);
    T2_ASSERT(moving_mean->kind == GR_STATE && moving_variance->kind == GR_STATE);
    T2_ASSERT(!residual || (residual != x && residual->n == x->n));
    T2_ASSERT(!g->training || (beta->needs_grad && gamma != beta));
    node =
        gr_add_node(g, residual && how->relu ? &residual_relu_op : &norm_op, N_INPUTS, inputs, n);
    y = gr_add_output(g, node, x->rank, x->dims, true);
    if (g->training) {
        const int64_t dims[] = {2, n->C};

        gr_add_output_of(g, node, DEV_FLOAT32, 2, dims, false);
        n->own_scratch = g->dev->kernels->batch_norm_scratch_floats(n->rows, n->C);
        node->scratch_fwd_floats = n->own_scratch;
        node->scratch_bwd_floats = n->own_scratch + (gamma->needs_grad ? 0 : n->C);
    }
    return y;
}

double nn_batch_norm_epsilon(const struct gr_node *node, bool *relu)
{
    const struct norm *n = node->attributes;

    *relu = n->relu;
    return (double) n->epsilon;
}
