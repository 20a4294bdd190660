/*
 * train/ops/linear.c - dense layer with bias, ReLU and dropout in one operator; logits.
 */
#include "train/ops/linear.h"

#include "train/graph/packs.h"
#include "train/ops/cast.h"

enum { X, W, BIAS };

struct linear {
    int64_t rows, K, N;
    bool relu;
    struct gr_drop drop;
    uint32_t site;
    const struct gr_pack *pack; /* of w; NULL: w is multiplied with as it is */
    enum dev_type pack_type;
};

/* y = x w by the pack. */
static struct dev_packed_gemm packed_gemm(const struct gr_node *node)
{
    const struct linear *l = node->attributes;
    const struct gr_tensor *bias = node->n_inputs > BIAS ? node->inputs[BIAS] : NULL;

    return (struct dev_packed_gemm){.type = l->pack_type,
                                    .M = l->rows,
                                    .N = l->N,
                                    .K = l->K,
                                    .A = node->inputs[X]->value,
                                    .packed = l->pack->packed,
                                    .C = node->outputs[0]->value,
                                    .bias = bias ? bias->value : NULL,
                                    .activation = l->relu ? DEV_RELU : DEV_LINEAR,
                                    .scratch = node->scratch};
}

static void packed_fwd(const struct gr_node *node, const struct gr_context *context)
{
    struct dev_packed_gemm a = packed_gemm(node);

    T2_ASSERT(a.packed);
    a.live = context->live && context->live->of == a.M ? context->live : NULL;
    node->dev->kernels->packed_gemm(node->dev, &a);
}

/* Asks for the pack, where the graph has packs and multiplies floats. */
static bool take_pack(struct gr_graph *g, struct gr_node *node, bool trans)
{
    struct linear *l = node->attributes;
    struct dev_packed_gemm a;

    if (!g->packs || g->training || g->type != DEV_FLOAT32 || node->outputs[0]->type != DEV_FLOAT32)
        return false;
    l->pack = gr_pack_of(g, node->inputs[W], trans, l->K, l->N);
    if (!l->pack)
        return false;
    l->pack_type = g->packs->type;
    node->by_pack = 1u << W;
    a = packed_gemm(node);
    node->scratch_fwd_floats = g->dev->kernels->packed_gemm_scratch_floats(g->dev, &a);
    return true;
}

/* y = x w, without what follows. */
static struct dev_gemm forward_gemm(const struct gr_node *node)
{
    const struct linear *l = node->attributes;

    return (struct dev_gemm){.M = l->rows,
                             .N = l->N,
                             .K = l->K,
                             .type_a = node->inputs[X]->type,
                             .type_b = gr_factor_type(node->inputs[W]),
                             .type_c = node->outputs[0]->type,
                             .A = node->inputs[X]->value,
                             .lda = l->K,
                             .B = gr_factor(node->inputs[W]),
                             .ldb = l->N,
                             .layout_b = node->inputs[W]->layout,
                             .C = node->outputs[0]->value,
                             .ldc = l->N,
                             .scratch = node->scratch};
}

/* dx = dy w^T */
static struct dev_gemm data_gemm(const struct gr_node *node)
{
    const struct linear *l = node->attributes;

    return (struct dev_gemm){.trans_b = true,
                             .M = l->rows,
                             .N = l->K,
                             .K = l->N,
                             .type_a = node->outputs[0]->type,
                             .type_b = gr_factor_type(node->inputs[W]),
                             .type_c = node->inputs[X]->type,
                             .A = node->outputs[0]->grad,
                             .lda = l->N,
                             .B = gr_factor(node->inputs[W]),
                             .ldb = l->N,
                             .layout_b = node->inputs[W]->layout,
                             .C = node->inputs[X]->grad,
                             .ldc = l->K,
                             .accumulate = node->accumulate[X],
                             .scratch = node->scratch};
}

/* dw = x^T dy */
static struct dev_gemm weights_gemm(const struct gr_node *node)
{
    const struct linear *l = node->attributes;

    return (struct dev_gemm){.trans_a = true,
                             .M = l->K,
                             .N = l->N,
                             .K = l->rows,
                             .type_a = node->inputs[X]->type,
                             .type_b = node->outputs[0]->type,
                             .type_c = node->inputs[W]->type,
                             .A = node->inputs[X]->value,
                             .lda = l->K,
                             .B = node->outputs[0]->grad,
                             .ldb = l->N,
                             .C = node->inputs[W]->grad,
                             .ldc = l->N,
                             .layout_c = node->inputs[W]->layout,
                             .accumulate = node->accumulate[W],
                             .scratch = node->scratch};
}

static void linear_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    struct dev_gemm a;

    if (l->pack) {
        packed_fwd(node, context);
        return;
    }
    a = forward_gemm(node);
    a.bias = node->inputs[BIAS] ? node->inputs[BIAS]->value : NULL;
    a.activation = l->relu ? DEV_RELU : DEV_LINEAR;
    a.dropout = gr_dropout_of(&l->drop, l->site, node->outputs[0], context);
    node->dev->kernels->gemm(node->dev, &a);
}

/* With d = dy, or with a ReLU dy * scale where y > 0, which is the mask of ReLU and dropout in one:
 *   dx (rows,K) = d w^T,  dw (K,N) = x^T d,  dbias (N) = column sums of d
 * d overwrites dy. */
static void linear_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    const struct dev_kernels *k = node->dev->kernels;
    const struct gr_tensor *bias = node->inputs[BIAS], *y = node->outputs[0];

    if (l->relu)
        k->relu_bwd(node->dev, &(struct dev_relu_bwd_args){
                                   .type = y->type,
                                   .y = y->value,
                                   .dy = y->grad,
                                   .n = l->rows * l->N,
                                   .scale = gr_dropout(l->drop.rate, l->site, 0, context).scale,
                                   .dx = y->grad});
    if (node->inputs[X]->needs_grad) {
        struct dev_gemm a = data_gemm(node);

        k->gemm(node->dev, &a);
    }
    if (node->inputs[W]->needs_grad) {
        struct dev_gemm a = weights_gemm(node);

        k->gemm(node->dev, &a);
    }
    if (bias && bias->needs_grad)
        k->col_sum(node->dev, &(struct dev_col_sum_args){.type = y->type,
                                                         .x = y->grad,
                                                         .rows = l->rows,
                                                         .cols = l->N,
                                                         .accumulate = node->accumulate[BIAS],
                                                         .out = bias->grad,
                                                         .scratch = node->scratch});
}

static const struct gr_op linear_op = {.name = "linear",
                                       .fwd = linear_fwd,
                                       .bwd = linear_bwd,
                                       .skips_gradients = true,
                                       .bwd_uses_inputs = 1u << X | 1u << W,
                                       .param_use = DEV_USE_DENSE,
                                       .param_input = W};
static const struct gr_op linear_relu_op = {.name = "linear_relu",
                                            .fwd = linear_fwd,
                                            .bwd = linear_bwd,
                                            .skips_gradients = true,
                                            .bwd_uses_inputs = 1u << X | 1u << W,
                                            .param_use = DEV_USE_DENSE,
                                            .param_input = W,
                                            .bwd_uses_outputs = 1u};

/* Adds the output, x's shape with the last dimension replaced. */
static struct gr_tensor *output_like(struct gr_graph *g, struct gr_node *node,
                                     const struct gr_tensor *x, enum dev_type type, int64_t N,
                                     bool needs_grad)
{
    int64_t dims[GR_MAX_RANK];

    for (int i = 0; i < x->rank - 1; i++)
        dims[i] = x->dims[i];
    dims[x->rank - 1] = N;
    return gr_add_output_of(g, node, type, x->rank, dims, needs_grad);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void plan_scratch(const struct gr_graph *g, struct gr_node *node)
{
    const struct dev_kernels *k = g->dev->kernels;
    const struct linear *l = node->attributes;
    struct dev_gemm forward = forward_gemm(node), data = data_gemm(node);
    struct dev_gemm weights = weights_gemm(node);

    node->scratch_fwd_floats = k->gemm_scratch_floats(g->dev, &forward);
    node->scratch_bwd_floats =
        larger(k->gemm_scratch_floats(g->dev, &data), k->gemm_scratch_floats(g->dev, &weights));
    if (node->inputs[BIAS])
        node->scratch_bwd_floats =
            larger(node->scratch_bwd_floats, k->col_sum_scratch_floats(l->rows, l->N));
}

struct gr_tensor *nn_linear_drop(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                                 struct gr_tensor *bias, bool relu, struct gr_drop drop)
{
    struct linear *l = gr_alloc(g, sizeof *l);
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), w, bias}, *y;
    struct gr_node *node;

    l->K = x->dims[x->rank - 1];
    l->N = w->n / l->K;
    T2_ASSERT(l->K * l->N == w->n && (w->rank != 2 || w->dims[0] == l->K));
    T2_ASSERT(w->type == DEV_FLOAT32);
    T2_ASSERT(!bias || (bias->n == l->N && bias->type == DEV_FLOAT32));
    T2_ASSERT(relu || drop.rate == 0.0);
    l->rows = x->n / l->K;
    l->relu = relu;
    l->drop = drop;
    l->site = gr_next_dropout_site(g);
    node = gr_add_node(g, relu ? &linear_relu_op : &linear_op, 3, inputs, l);
    y = output_like(g, node, x, g->type, l->N, true);
    if (!take_pack(g, node, false))
        plan_scratch(g, node);
    return y;
}

struct gr_tensor *nn_linear(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *w,
                            struct gr_tensor *bias, bool relu, double dropout)
{
    return nn_linear_drop(g, x, w, bias, relu, (struct gr_drop){.rate = dropout});
}

/* x table^T */
static struct dev_gemm logits_gemm(const struct gr_node *node)
{
    const struct linear *l = node->attributes;
    struct dev_gemm a = forward_gemm(node);

    a.trans_b = true;
    a.ldb = l->K;
    return a;
}

static void logits_fwd(struct gr_node *node, const struct gr_context *context)
{
    const struct linear *l = node->attributes;
    struct dev_gemm a;

    (void) context;
    if (l->pack) {
        packed_fwd(node, context);
        return;
    }
    a = logits_gemm(node);
    node->dev->kernels->gemm(node->dev, &a);
}

static const struct gr_op logits_op = {.name = "logits", .fwd = logits_fwd};

struct gr_tensor *nn_logits(struct gr_graph *g, struct gr_tensor *x, struct gr_tensor *table)
{
    struct linear *l = gr_alloc(g, sizeof *l);
    struct gr_tensor *inputs[] = {x = nn_convert(g, x, g->type), table}, *y;
    struct gr_node *node;
    struct dev_gemm a;

    T2_ASSERT(!g->training && table->rank == 2 && x->dims[x->rank - 1] == table->dims[1]);
    l->K = table->dims[1];
    l->N = table->dims[0];
    l->rows = x->n / l->K;
    node = gr_add_node(g, &logits_op, 2, inputs, l);
    y = output_like(g, node, x, DEV_FLOAT32, l->N, false);
    if (take_pack(g, node, true))
        return y;
    a = logits_gemm(node);
    node->scratch_fwd_floats = g->dev->kernels->gemm_scratch_floats(g->dev, &a);
    return y;
}
