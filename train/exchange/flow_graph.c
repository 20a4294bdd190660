/*
 * train/exchange/flow_graph.c - from our graph of a model to a flow, operator by operator.
 *
 * The graph is built for a small batch and never bound or run; of its shapes only those are read
 * that do not depend on batch and length.  A tensor's value in the flow has the same axes.
 */
#include "train/exchange/flow_graph.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/models/kind.h"
#include "train/ops/attention.h"
#include "train/ops/axes.h"
#include "train/ops/batch_norm.h"
#include "train/ops/embed.h"
#include "train/ops/layer_norm.h"

/* No axis of a model is likely to have these. */
enum { BATCH = 2, INPUTS_LENGTH = 3, TARGETS_LENGTH = 5, N_POSITIONS = 8 };
static const double masked = -1e9;

struct lowering {
    const struct xch_model *m;
    const struct gr_graph *g;
    struct xch_flow *f;
    int *values; /* by index of a tensor: its value, -1 where there is none yet */
    struct t2_err *err;
    enum t2_status st; /* of the first failure */
};

static void fail(struct lowering *l, const char *what)
{
    if (l->st == T2_OK)
        l->st = t2_fail(l->err, T2_EUNSUPPORTED,
                        "model '%s' with these hparams cannot be written for other programs: there "
                        "is no form of %s for them",
                        l->m->state->model, what);
}

/* ---- weights ---- */

/* A parameter or state with the dims. */
static int weight(struct lowering *l, const struct gr_tensor *t, int rank, const int64_t *dims)
{
    const struct gr_param *p = &l->m->params->params[t->param];
    const char *name = l->m->params->variables[p->first_variable].name;
    float *values = NULL;
    enum t2_status st;

    if (l->st != T2_OK)
        return 0;
    st = xch_parameter_at(l->m, t->param, &values, l->err);
    if (st != T2_OK)
        l->st = st;
    return xch_flow_weight(l->f, name, rank, dims, values);
}

static bool is_weight(const struct gr_tensor *t)
{
    return t->kind == GR_PARAM || t->kind == GR_STATE;
}

/* The tensor's value; of a weight with its own dims. */
static int value_of(struct lowering *l, const struct gr_tensor *t)
{
    int *v = &l->values[t->index];

    if (*v < 0 && is_weight(t))
        *v = weight(l, t, t->rank, t->dims);
    if (*v < 0) {
        fail(l, "a tensor that comes from outside the graph");
        *v = xch_flow_integer(l->f, 0);
    }
    return *v;
}

static void set(struct lowering *l, const struct gr_node *node, int value)
{
    l->values[node->outputs[0]->index] = value;
}

/* ---- small ones ---- */

static int binary(struct lowering *l, enum xch_op op, int a, int b)
{
    return xch_flow_binary(l->f, op, a, b);
}

static int unary(struct lowering *l, enum xch_op op, int x)
{
    return xch_flow_unary(l->f, op, x);
}

static int reshape(struct lowering *l, int x, int n, const int64_t *dims)
{
    return xch_flow_shaped(l->f, XCH_RESHAPE, x, n, dims, false);
}

static int times(struct lowering *l, int x, double by)
{
    return by == 1.0 ? x : binary(l, XCH_MUL, x, xch_flow_number(l->f, by));
}

static int count(struct lowering *l, int x, int64_t axis)
{
    return xch_flow_shaped(l->f, XCH_COUNT, x, 1, &axis, false);
}

static int mean(struct lowering *l, int x, int n, const int64_t *axes, bool keep)
{
    return xch_flow_shaped(l->f, XCH_MEAN, x, n, axes, keep);
}

/* ids (B, L) -> (B, L, 1): what a row of them counts. */
static int row_factor(struct lowering *l, int ids)
{
    return reshape(l, unary(l, XCH_NONZERO, ids), 3, (const int64_t[]){0, 0, 1});
}

/* ---- embeddings ---- */

/* The timing signal of positions 0, 1, … (L, D): a table without an end. */
static int timing(struct lowering *l, int like, int64_t D)
{
    int64_t half = D / 2;
    double increment = log(10000.0) / (double) (half > 1 ? half - 1 : 1);
    float *rates = t2_alloc((size_t) half, sizeof *rates);
    int at, angles;

    if (D % 2 != 0)
        fail(l, "timing signals of odd depth");
    for (int64_t i = 0; i < half; i++)
        rates[i] = (float) exp(-(double) i * increment);
    at = reshape(l, unary(l, XCH_TO_FLOAT, count(l, like, 1)), 2, (const int64_t[]){-1, 1});
    angles = binary(l, XCH_MUL, at, xch_flow_weight(l->f, "timing_rates", 1, &half, rates));
    return binary(l, XCH_CONCAT, unary(l, XCH_SIN, angles), unary(l, XCH_COS, angles));
}

static int learned_positions(struct lowering *l, int like, const struct gr_tensor *table)
{
    return binary(l, XCH_GATHER, value_of(l, table), count(l, like, 1));
}

static void lower_embed(struct lowering *l, const struct gr_node *node)
{
    const struct nn_embed *e = nn_embed_of(node);
    int64_t D = node->outputs[0]->dims[2];
    int ids = value_of(l, e->ids), x = -1;

    if (e->position_ids || e->at_position)
        fail(l, "positions that are given");
    if (e->shift_right)
        ids = unary(l, XCH_SHIFT, ids);
    if (e->scale != 0.0) {
        x = binary(l, XCH_GATHER, value_of(l, e->table), ids);
        x = binary(l, XCH_MUL, times(l, x, e->scale), row_factor(l, ids));
    }
    if (e->extra_table) {
        int row = binary(l, XCH_GATHER, value_of(l, e->extra_table),
                         xch_flow_integer(l->f, e->extra_row)); /* (D) */

        x = x < 0 ? row : binary(l, XCH_ADD, x, row);
    }
    if (e->positions) {
        int signal =
            is_weight(e->positions) ? learned_positions(l, ids, e->positions) : timing(l, ids, D);

        x = x < 0 ? signal : binary(l, XCH_ADD, x, signal);
    }
    if (x < 0)
        fail(l, "an embedding of nothing");
    set(l, node, x);
}

/* Ids of which only the number of rows is looked at. */
static void lower_mark_rows(struct lowering *l, const struct gr_node *node)
{
    l->values[node->inputs[1]->index] = value_of(l, node->inputs[0]);
}

/* ---- attention ---- */

/* x (B, L, H * d) -> with the axes (B, L, H, d) in that order. */
static int heads(struct lowering *l, const struct gr_tensor *t, int64_t n_heads,
                 const int64_t *order)
{
    const int64_t dims[] = {0, 0, n_heads, t->dims[2] / n_heads};

    return xch_flow_shaped(l->f, XCH_TRANSPOSE, reshape(l, value_of(l, t), 4, dims), 4, order,
                           false);
}

/* What is added to logits: 0 where a factor is 1, and nearly minus infinity where it is 0. */
static int mask(struct lowering *l, int factor)
{
    int hidden = binary(l, XCH_SUB, xch_flow_number(l->f, 1.0), factor);

    return times(l, hidden, masked);
}

/* Queries see keys up to their own position: (Lq, Lk). */
static int causal_mask(struct lowering *l, const struct gr_tensor *q, const struct gr_tensor *k)
{
    int rows = reshape(l, count(l, value_of(l, q), 1), 2, (const int64_t[]){-1, 1});
    int columns = reshape(l, count(l, value_of(l, k), 1), 2, (const int64_t[]){1, -1});

    return mask(l, binary(l, XCH_NOT_LESS, rows, columns));
}

static void check_attention(struct lowering *l, const struct nn_attention *a)
{
    if (a->q_segments || a->q_levels)
        fail(l, "attention within segments or levels");
    if (a->proximity)
        fail(l, "proximity_bias");
    if (a->hard_k > 0)
        fail(l, "hard attention");
    if (a->relative != DEV_RELATIVE_NONE)
        fail(l, "attention with relative positions");
    if (a->cached || a->q_per_key > 1)
        fail(l, "attention to a cache");
}

static void lower_attention(struct lowering *l, const struct gr_node *node)
{
    static const int64_t rows[] = {0, 2, 1, 3}, turned[] = {0, 2, 3, 1};
    const struct nn_attention *a = nn_attention_of(node);
    const struct gr_tensor *q = node->inputs[0], *k = node->inputs[1], *v = node->inputs[2];
    const int64_t joined[] = {0, 0, v->dims[2]};
    int x; /* (B, H, Lq, Lk), then (B, H, Lq, Dv) */

    check_attention(l, a);
    x = xch_flow_matmul(l->f, heads(l, q, a->heads, rows), heads(l, k, a->heads, turned), false);
    x = times(l, x, a->scale);
    if (a->key_ids) {
        int seen = unary(l, XCH_NONZERO, value_of(l, a->key_ids));

        x = binary(l, XCH_ADD, x, mask(l, reshape(l, seen, 4, (const int64_t[]){0, 1, 1, -1})));
    }
    if (a->causal)
        x = binary(l, XCH_ADD, x, causal_mask(l, q, k));
    x = unary(l, XCH_SOFTMAX, x);
    x = xch_flow_matmul(l->f, x, heads(l, v, a->heads, rows), false);
    x = xch_flow_shaped(l->f, XCH_TRANSPOSE, x, 4, rows, false);
    set(l, node, reshape(l, x, 3, joined));
}

/* ---- layers ---- */

static void lower_linear(struct lowering *l, const struct gr_node *node)
{
    const struct gr_tensor *x = node->inputs[0], *w = node->inputs[1], *bias = node->inputs[2];
    int64_t K = x->dims[x->rank - 1], dims[] = {K, w->n / K};
    int kernel = is_weight(w) && w->rank != 2 ? weight(l, w, 2, dims) : value_of(l, w);
    int y = xch_flow_matmul(l->f, value_of(l, x), kernel, false);

    if (bias)
        y = binary(l, XCH_ADD, y, value_of(l, bias));
    set(l, node, strcmp(node->op->name, "linear_relu") == 0 ? unary(l, XCH_RELU, y) : y);
}

static void lower_logits(struct lowering *l, const struct gr_node *node)
{
    set(l, node,
        xch_flow_matmul(l->f, value_of(l, node->inputs[0]), value_of(l, node->inputs[1]), true));
}

static void lower_layer_norm(struct lowering *l, const struct gr_node *node)
{
    int64_t axis = node->inputs[0]->rank - 1;
    int x = value_of(l, node->inputs[0]), variance;

    x = binary(l, XCH_SUB, x, mean(l, x, 1, &axis, true));
    variance = mean(l, binary(l, XCH_MUL, x, x), 1, &axis, true);
    variance = binary(l, XCH_ADD, variance, xch_flow_number(l->f, nn_layer_norm_epsilon(node)));
    x = binary(l, XCH_DIV, x, unary(l, XCH_SQRT, variance));
    x = binary(l, XCH_MUL, x, value_of(l, node->inputs[1]));
    set(l, node, binary(l, XCH_ADD, x, value_of(l, node->inputs[2])));
}

/* x + y, of y only rows whose id is not 0 */
static void lower_residual(struct lowering *l, const struct gr_node *node)
{
    int y = value_of(l, node->inputs[1]);

    if (node->inputs[2])
        y = binary(l, XCH_MUL, y, row_factor(l, value_of(l, node->inputs[2])));
    set(l, node, binary(l, XCH_ADD, value_of(l, node->inputs[0]), y));
}

static void lower_relu(struct lowering *l, const struct gr_node *node)
{
    set(l, node, unary(l, XCH_RELU, value_of(l, node->inputs[0])));
}

static void lower_scale(struct lowering *l, const struct gr_node *node)
{
    set(l, node, times(l, value_of(l, node->inputs[0]), nn_scale_of(node)));
}

static void lower_same(struct lowering *l, const struct gr_node *node)
{
    set(l, node, value_of(l, node->inputs[0]));
}

/* Only what leaves the batch alone, or has none. */
static void lower_reshape(struct lowering *l, const struct gr_node *node)
{
    const struct gr_tensor *x = node->inputs[0], *y = node->outputs[0];
    int64_t dims[XCH_FLOW_RANK];

    if (y->rank > XCH_FLOW_RANK || (!is_weight(x) && x->dims[0] != y->dims[0])) {
        fail(l, "a change of shape across the batch");
        return;
    }
    for (int i = 0; i < y->rank; i++)
        dims[i] = i == 0 && !is_weight(x) ? 0 : y->dims[i];
    set(l, node, reshape(l, value_of(l, x), y->rank, dims));
}

static void lower_mean_positions(struct lowering *l, const struct gr_node *node)
{
    set(l, node, mean(l, value_of(l, node->inputs[0]), 1, (const int64_t[]){1}, true));
}

/* ---- images ---- */

/* Padding behind is what the last window reads beyond the image. */
static int64_t padding_behind(int64_t in, int64_t out, int64_t covered, int64_t stride,
                              int64_t before)
{
    int64_t n = (out - 1) * stride + covered - in - before;

    return n > 0 ? n : 0;
}

static void finish_window(struct xch_window *w)
{
    for (int i = 0; i < 2; i++)
        w->after[i] = padding_behind(w->in[i], w->out[i], (w->size[i] - 1) * w->dilation + 1,
                                     w->stride, w->before[i]);
}

static void lower_conv2d(struct lowering *l, const struct gr_node *node)
{
    const struct dev_conv2d *a = node->attributes;
    struct xch_window w = {.size = {a->kh, a->kw},
                           .stride = a->stride,
                           .dilation = a->dilation,
                           .before = {a->top, a->left},
                           .in = {a->H, a->W},
                           .out = {a->Ho, a->Wo}};
    int y;

    if (!is_weight(node->inputs[1]))
        fail(l, "kernels that are computed (targeted dropout)");
    finish_window(&w);
    y = xch_flow_window(l->f, a->depthwise ? XCH_DEPTHWISE : XCH_CONV, value_of(l, node->inputs[0]),
                        value_of(l, node->inputs[1]), &w);
    if (node->inputs[2])
        y = binary(l, XCH_ADD, y, value_of(l, node->inputs[2]));
    set(l, node, a->activation == DEV_RELU ? unary(l, XCH_RELU, y) : y);
}

static void lower_pool(struct lowering *l, const struct gr_node *node)
{
    const struct dev_pool *a = node->attributes;
    struct xch_window w = {.size = {a->size, a->size},
                           .stride = a->stride,
                           .dilation = 1,
                           .before = {a->top, a->left},
                           .in = {a->H, a->W},
                           .out = {a->Ho, a->Wo}};

    finish_window(&w);
    set(l, node,
        xch_flow_window(l->f, strcmp(node->op->name, "max_pool") == 0 ? XCH_MAX_POOL : XCH_AVG_POOL,
                        value_of(l, node->inputs[0]), -1, &w));
}

static void lower_global_mean(struct lowering *l, const struct gr_node *node)
{
    set(l, node, mean(l, value_of(l, node->inputs[0]), 2, (const int64_t[]){1, 2}, false));
}

/* Others have the operator for images only.  gamma (x - mean) / sqrt(variance + epsilon) + beta */
static int norm_vectors(struct lowering *l, const int inputs[5], double epsilon)
{
    int x = binary(l, XCH_SUB, inputs[0], inputs[3]);
    int variance = binary(l, XCH_ADD, inputs[4], xch_flow_number(l->f, epsilon));

    x = binary(l, XCH_DIV, x, unary(l, XCH_SQRT, variance));
    return binary(l, XCH_ADD, binary(l, XCH_MUL, x, inputs[1]), inputs[2]);
}

static void lower_batch_norm(struct lowering *l, const struct gr_node *node)
{
    int inputs[5], y;
    bool relu;
    double epsilon = nn_batch_norm_epsilon(node, &relu);

    for (int i = 0; i < 5; i++)
        inputs[i] = value_of(l, node->inputs[i]);
    y = node->inputs[0]->rank == 4 ? xch_flow_batch_norm(l->f, inputs, epsilon)
                                   : norm_vectors(l, inputs, epsilon);
    if (node->inputs[5])
        y = binary(l, XCH_ADD, y, value_of(l, node->inputs[5]));
    set(l, node, relu ? unary(l, XCH_RELU, y) : y);
}

static void lower_excite(struct lowering *l, const struct gr_node *node)
{
    int gate = unary(l, XCH_SIGMOID, value_of(l, node->inputs[1]));

    gate = reshape(l, gate, 4, (const int64_t[]){0, 1, 1, node->inputs[0]->dims[3]});
    set(l, node, binary(l, XCH_MUL, value_of(l, node->inputs[0]), gate));
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*lower)(struct lowering *l, const struct gr_node *node);
} operators[] = {{"attention", lower_attention},
                 {"avg_pool", lower_pool},
                 {"batch_norm", lower_batch_norm},
                 {"batch_norm_residual_relu", lower_batch_norm},
                 {"conv2d", lower_conv2d},
                 {"conv2d_relu", lower_conv2d},
                 {"convert", lower_same},
                 {"embed", lower_embed},
                 {"excite", lower_excite},
                 {"global_mean", lower_global_mean},
                 {"layer_norm", lower_layer_norm},
                 {"linear", lower_linear},
                 {"linear_relu", lower_linear},
                 {"logits", lower_logits},
                 {"mark_rows", lower_mark_rows},
                 {"max_pool", lower_pool},
                 {"mean_positions", lower_mean_positions},
                 {"relu", lower_relu},
                 {"reshape", lower_reshape},
                 {"residual", lower_residual},
                 {"scale", lower_scale}};

static void lower_node(struct lowering *l, const struct gr_node *node)
{
    char *what;

    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].name, node->op->name) == 0) {
            operators[i].lower(l, node);
            return;
        }
    what = t2_asprintf("operator '%s'", node->op->name);
    fail(l, what);
    t2_free(what);
}

static void add_inputs(struct lowering *l, const struct mdl_graph *graph)
{
    const int64_t ids[] = {-1, -1};

    if (graph->images) {
        const int64_t *d = graph->images->dims, dims[] = {-1, d[1], d[2], d[3]};

        l->values[graph->images->index] = xch_flow_input(l->f, "images", XCH_FLOAT, 4, dims);
        return;
    }
    if (graph->inputs)
        l->values[graph->inputs->index] = xch_flow_input(l->f, "inputs", XCH_INT64, 2, ids);
    l->values[graph->targets->index] = xch_flow_input(l->f, "targets", XCH_INT64, 2, ids);
}

enum t2_status xch_flow_of(const struct xch_model *m, struct mdl *mdl, struct xch_flow *f,
                           struct t2_err *err)
{
    const struct mdl_problem *p = m->problem;
    struct mdl_tables tables = {.n_positions = N_POSITIONS};
    struct mdl_build b = {.model = m->state->model,
                          .hp = mdl_hparams_of(mdl),
                          .problem = p,
                          .tables = &tables};
    struct mdl_shape shape = {.batch = BATCH,
                              .targets_length = p->class_labels ? 1 : TARGETS_LENGTH};
    struct lowering l = {.m = m, .f = f, .err = err};
    struct mdl_graph graph = {0};

    *f = (struct xch_flow){0};
    if (p->speech || p->table || p->sentences || (p->class_labels && p->image.height == 0))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "only models that write text, or classify images, become graphs for other "
                       "programs");
    if (p->image.height > 0) {
        shape.height = p->image.height;
        shape.width = p->image.width;
        shape.channels = p->image.channels;
    } else if (p->has_inputs) {
        shape.inputs_length = INPUTS_LENGTH;
    }
    graph.shape = shape;
    b.g = graph.g = gr_new(mdl_params(mdl)->dev, mdl_params(mdl), false);
    mdl_find_kind(m->state->model)->build(&b, &shape, true, &graph);
    l.g = graph.g;
    l.values = t2_alloc((size_t) graph.g->n_tensors, sizeof *l.values);
    for (int i = 0; i < graph.g->n_tensors; i++)
        l.values[i] = -1;
    add_inputs(&l, &graph);
    for (int i = 0; i < graph.g->n_nodes && l.st == T2_OK; i++)
        lower_node(&l, graph.g->nodes[i]);
    if (l.st == T2_OK)
        f->logits = l.values[graph.logits->index];
    t2_free(l.values);
    gr_free(graph.g);
    return l.st;
}
