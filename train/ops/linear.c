/*
 * train/ops/linear.c - dense layer with bias, ReLU and dropout in one operator; logits.
 */
#include "train/ops/linear.h"

enum { X, W, BIAS };

struct linear {
    int64_t rows, K, N;
    bool relu;
    struct gr_drop drop;
    uint32_t site;
};

static void linear_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    struct dev_gemm a = {.M = l->rows,
                         .N = l->N,
                         .K = l->K,
                         .A = node->inputs[X]->value,
                         .lda = l->K,
                         .B = node->inputs[W]->value,
                         .ldb = l->N,
                         .C = node->outputs[0]->value,
                         .ldc = l->N,
                         .bias = node->inputs[BIAS] ? node->inputs[BIAS]->value : NULL,
                         .activation = l->relu ? DEV_RELU : DEV_LINEAR,
                         .dropout = gr_dropout_of(&l->drop, l->site, node->outputs[0], context),
                         .scratch = node->scratch};

    node->dev->kernels->gemm(node->dev, &a);
}

/* With d = dy, or with a ReLU dy * scale where y > 0, which is the mask of ReLU and dropout in one:
 *   dx (rows,K) = d w^T,  dw (K,N) = x^T d,  dbias (N) = column sums of d
 * d overwrites dy. */
static void linear_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    const struct dev_kernels *k = node->dev->kernels;
    struct gr_tensor *x = node->inputs[X], *w = node->inputs[W], *bias = node->inputs[BIAS];
    float *dy = node->outputs[0]->grad;

    if (l->relu)
        k->relu_bwd(node->dev, &(struct dev_relu_bwd_args){
                                   .y = node->outputs[0]->value,
                                   .dy = dy,
                                   .n = l->rows * l->N,
                                   .scale = gr_dropout(l->drop.rate, l->site, context).scale,
                                   .dx = dy});
    if (x->needs_grad) {
        struct dev_gemm a = {.trans_b = true,
                             .M = l->rows,
                             .N = l->K,
                             .K = l->N,
                             .A = dy,
                             .lda = l->N,
                             .B = w->value,
                             .ldb = l->N,
                             .C = x->grad,
                             .ldc = l->K,
                             .accumulate = node->accumulate[X],
                             .scratch = node->scratch};

        k->gemm(node->dev, &a);
    }
    if (w->needs_grad) {
        struct dev_gemm a = {.trans_a = true,
                             .M = l->K,
                             .N = l->N,
                             .K = l->rows,
                             .A = x->value,
                             .lda = l->K,
                             .B = dy,
                             .ldb = l->N,
                             .C = w->grad,
                             .ldc = l->N,
                             .accumulate = node->accumulate[W],
                             .scratch = node->scratch};

        k->gemm(node->dev, &a);
    }
    if (bias && bias->needs_grad)
        k->col_sum(node->dev, &(struct dev_col_sum_args){.x = dy,
                                                         .rows = l->rows,
                                                         .cols = l->N,
                                                         .accumulate = node->accumulate[BIAS],
                                                         .out = bias->grad,
                                                         .scratch = node->scratch});
}

static const struct gr_op linear_op = {.name = "linear",
                                       .fwd = linear_fwd,
                                       .bwd = linear_bwd,
                                       .bwd_uses_inputs = 1u << X | 1u << W};
static const struct gr_op linear_relu_op = {.name = "linear_relu",
                                            .fwd = linear_fwd,
                                            .bwd = linear_bwd,
                                            .bwd_uses_inputs = 1u << X | 1u << W,
                                            .bwd_uses_outputs = 1u};

/* Adds the output, x's shape with the last dimension replaced. */
static struct gr_tensor *output_like(struct gr_graph *g, struct gr_node *node,
                                     const struct gr_tensor *x, int64_t N, bool needs_grad)
{
    int64_t dims[GR_MAX_RANK];

    for (int i = 0; i < x->rank - 1; i++)
        dims[i] = x->dims[i];
    dims[x->rank - 1] = N;
    return gr_add_output(g, node, x->rank, dims, needs_grad);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void plan_scratch(const struct gr_graph *g, struct gr_node *node, const struct linear *l,
                         bool bias)
{
    const struct dev_kernels *k = g->dev->kernels;

    node->scratch_fwd_floats = k->gemm_scratch_floats(g->dev, l->rows, l->N, l->K);
    node->scratch_bwd_floats = larger(k->gemm_scratch_floats(g->dev, l->rows, l->K, l->N),
                                      k->gemm_scratch_floats(g->dev, l->K, l->N, l->rows));
    if (bias)
        node->scratch_bwd_floats =
            larger(node->scratch_bwd_floats, k->col_sum_scratch_floats(l->rows, l->N));
}

struct gr_tensor *nn_linear_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                                 struct gr_tensor *bias, bool relu, struct gr_drop drop)
{
    struct linear *l = gr_alloc(g, sizeof *l);
    struct gr_tensor *inputs[] = {x, w, bias};
    struct gr_node *node;

    l->K = x->dims[x->rank - 1];
    l->N = w->n / l->K;
    T2_ASSERT(l->K * l->N == w->n && (w->rank != 2 || w->dims[0] == l->K));
    T2_ASSERT(!bias || bias->n == l->N);
    T2_ASSERT(relu || drop.rate == 0.0);
    l->rows = x->n / l->K;
    l->relu = relu;
    l->drop = drop;
    l->site = gr_next_dropout_site(g);
    node = gr_add_node(g, relu ? &linear_relu_op : &linear_op, 3, inputs, l);
    plan_scratch(g, node, l, bias != NULL);
    return output_like(g, node, x, l->N, true);
}

struct gr_tensor *nn_linear(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                            struct gr_tensor *bias, bool relu, double dropout)
{
    return nn_linear_drop(g, x, w, bias, relu, (struct gr_drop){.rate = dropout});
}

static void logits_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    struct dev_gemm a = {.trans_b = true,
                         .M = l->rows,
                         .N = l->N,
                         .K = l->K,
                         .A = node->inputs[X]->value,
                         .lda = l->K,
                         .B = node->inputs[W]->value,
                         .ldb = l->K,
                         .C = node->outputs[0]->value,
                         .ldc = l->N,
                         .scratch = node->scratch};

    (void) context;
    node->dev->kernels->gemm(node->dev, &a);
}

static const struct gr_op logits_op = {.name = "logits", .fwd = logits_fwd};

struct gr_tensor *nn_logits(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table)
{
    struct linear *l = gr_alloc(g, sizeof *l);
    struct gr_tensor *inputs[] = {x, table};
    struct gr_node *node;

    T2_ASSERT(!g->training && table->rank == 2 && x->dims[x->rank - 1] == table->dims[1]);
    l->K = table->dims[1];
    l->N = table->dims[0];
    l->rows = x->n / l->K;
    node = gr_add_node(g, &logits_op, 2, inputs, l);
    plan_scratch(g, node, l, false);
    return output_like(g, node, x, l->N, false);
}
