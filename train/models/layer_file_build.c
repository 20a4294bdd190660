/*
 * train/models/layer_file_build.c - the graph of a layer file: the model whose name ends in .yaml.
 *
 * Layers become operators one by one, in the order of the list.  What follows a layer alone and is
 * part of an operator goes into it, as the built-in models do it: a ReLU behind convolutions, dense
 * layers, normalisations; the sum that a normalisation ends a branch of; the dropout behind a ReLU
 * of a dense layer.  So a file that says what a built-in model does has the same bits.
 *
 * Where texts are made the layers read the targets, shifted right by one position, and the last of
 * them, a dense layer to the ids, is part of the loss.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "train/models/cnn_parts.h"
#include "train/models/layer_file.h"
#include "train/models/symbol_loss.h"
#include "train/models/value_loss.h"
#include "train/ops/attention.h"
#include "train/ops/axes.h"
#include "train/ops/batch_norm.h"
#include "train/ops/cast.h"
#include "train/ops/elementwise.h"
#include "train/ops/embed.h"
#include "train/ops/excite.h"
#include "train/ops/image_layout.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/lstm.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

static const char origin[] = "layer file"; /* model.c wraps messages with the file's name */

/* ---- the net of a model's hparams ---- */

static enum t2_status net_of(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                             struct mdl_layer_net **net, struct t2_err *err)
{
    const char *text = mdl_hp_string(hp, "layer_file");

    *net = NULL;
    if (text[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "there is no text of layers: give the path to the file");
    return mdl_layer_net_new(text, origin, hp, problem, net, err);
}

/* ---- building ---- */

struct building {
    const struct mdl_build *b;
    struct mdl_layer_net *net;
    struct mdl_graph *out;
    struct gr_tensor **values; /* what each layer gives; NULL: not built yet */
    int *n_users, *user;       /* how many layers read it; the last of them */
};

static const double cut = 0.87962566103423978; /* as in graph/initial_values.c */

static struct gr_tensor *variable(const struct building *k, const struct mdl_layer *l,
                                  const char *part, int rank, const int64_t *dims,
                                  struct mdl_layer_init_spec how, double l2)
{
    char name[MDL_LAYER_NAME_BYTES + 64];
    double fan_in = (double) dims[0], fan_out = (double) dims[rank - 1];
    struct gr_tensor *t;

    for (int i = 1; i < rank - 1; i++)
        fan_in *= (double) dims[i];
    for (int i = 0; rank > 2 && i < rank - 2; i++)
        fan_out *= (double) dims[i];
    if (how.how == MDL_INIT_UNIFORM_FAN_IN)
        how = (struct mdl_layer_init_spec){.init = GR_INIT_UNIFORM,
                                           .gain = sqrt(3.0 * how.gain / fan_in)};
    else if (how.how == MDL_INIT_NORMAL_FAN_AVG)
        how =
            (struct mdl_layer_init_spec){.init = GR_INIT_TRUNCATED_NORMAL,
                                         .gain = sqrt(how.gain / ((fan_in + fan_out) / 2.0)) / cut};
    snprintf(name, sizeof name, "%s/%s", l->name, part);
    t = gr_param(k->b->g, name, rank, dims, 0, how.init, how.gain);
    if (l2 != 0.0)
        gr_params_set_l2(k->b->g->params, t->param, l2);
    return t;
}

static struct gr_tensor *vector(const struct building *k, const struct mdl_layer *l,
                                const char *part, int64_t n, struct mdl_layer_init_spec how,
                                double l2)
{
    return variable(k, l, part, 1, &n, how, l2);
}

static const struct mdl_layer_init_spec zeros = {.init = GR_INIT_ZEROS};

static struct gr_tensor *input(const struct building *k, const struct mdl_layer *l, int i)
{
    return k->values[l->inputs[i]];
}

/* x as an activation with a gradient: most operators want one, and images have none. */
static struct gr_tensor *active(const struct building *k, struct gr_tensor *x)
{
    return x->kind == GR_FLOATS ? nn_reshape(k->b->g, x, x->rank, x->dims) : x;
}

/* (B,H,W,C) <-> (B,H*W,C), for operators along positions. */
static struct gr_tensor *as_rows(const struct building *k, struct gr_tensor *x)
{
    int64_t dims[] = {x->dims[0], x->rank == 4 ? x->dims[1] * x->dims[2] : 0, x->dims[x->rank - 1]};

    return x->rank == 4 ? nn_reshape(k->b->g, x, 3, dims) : x;
}

/* The ids that the text has, (B, length). */
static struct gr_tensor *text_of(const struct building *k)
{
    return k->out->inputs ? k->out->inputs : k->out->targets;
}

/* The dimensions that l has in this graph. */
static void real_dims(const struct building *k, const struct mdl_layer *l,
                      int64_t dims[GR_MAX_RANK])
{
    for (int i = 0; i < l->rank; i++)
        dims[i] = l->dims[i] == MDL_DIM_BATCH    ? k->out->shape.batch
                  : l->dims[i] == MDL_DIM_LENGTH ? text_of(k)->dims[1]
                                                 : l->dims[i];
}

/* ---- activations ---- */

static struct gr_tensor *activate(const struct building *k, struct gr_tensor *x,
                                  enum mdl_activation activation)
{
    static const double slope = 0.3;
    struct gr_graph *g = k->b->g;

    if (activation == MDL_LINEAR)
        return x;
    x = active(k, x);
    if (activation == MDL_RELU)
        return nn_relu(g, x);
    if (activation == MDL_GELU)
        return nn_gelu(g, x);
    if (activation == MDL_SWISH)
        return nn_swish(g, x);
    if (activation == MDL_HARD_SWISH)
        return nn_hard_swish(g, x);
    if (activation == MDL_RELU6)
        return nn_relu6(g, x);
    if (activation == MDL_TANH)
        return nn_tanh(g, x);
    return nn_add(g, nn_relu(g, x), nn_scale(g, nn_relu(g, nn_scale(g, x, -1.0)), -slope));
}

/* The layer that ends in a ReLU that l, at place i, can do itself: l, or the one behind it; -1:
 * there is none. */
static int relu_end(const struct building *k, int i)
{
    const struct mdl_layer *l = &k->net->layers[i], *next;

    if (l->activation == MDL_RELU)
        return i;
    if (l->activation != MDL_LINEAR || k->n_users[i] != 1)
        return -1;
    next = &k->net->layers[k->user[i]];
    return next->type == MDL_LAYER_ACTIVATION && next->activation == MDL_RELU ? k->user[i] : -1;
}

/* ---- layers ---- */

/* What l at i gives, and the layers up to `end` that went into it. */
static void built(struct building *k, int i, int end, struct gr_tensor *y)
{
    k->values[i] = y;
    if (end > i)
        k->values[end] = y;
}

static void build_conv(struct building *k, int i)
{
    struct mdl_layer *l = &k->net->layers[i];
    struct gr_tensor *x = input(k, l, 0), *kernel, *bias = NULL;
    int64_t dims[] = {l->size[0], l->size[1], x->dims[3], l->units};
    bool depthwise = l->type == MDL_LAYER_DEPTHWISE;
    int end = relu_end(k, i);
    struct nn_conv2d how = {.stride = l->strides[0],
                            .dilation = l->dilation,
                            .padding = l->padding,
                            .depthwise = depthwise,
                            .relu = end >= 0};

    kernel = variable(k, l, depthwise ? "depthwise_kernel" : "kernel", 4, dims, l->kernel_init,
                      l->kernel_l2);
    if (l->bias)
        bias = vector(k, l, "bias", l->dims[3], l->bias_init, l->bias_l2);
    x = nn_conv2d(k->b->g, x, kernel, bias, &how);
    built(k, i, end, how.relu ? x : activate(k, x, l->activation));
}

static void build_dense(struct building *k, int i)
{
    struct mdl_layer *l = &k->net->layers[i], *next;
    struct gr_tensor *x = active(k, as_rows(k, input(k, l, 0)));
    int64_t dims[] = {x->dims[x->rank - 1], l->units}, real[GR_MAX_RANK];
    int relu_at = relu_end(k, i), end = relu_at;
    bool relu = relu_at >= 0;
    double rate = 0.0;

    next = relu && k->n_users[end] == 1 ? &k->net->layers[k->user[end]] : NULL;
    if (next && next->type == MDL_LAYER_DROPOUT && l->rank < 4) {
        end = k->user[end];
        rate = k->b->g->training ? next->rate : 0.0;
    }
    /* written as in cnn_parts.c, so that a compiler puts the two variables in the same order */
    x = nn_linear(k->b->g, x, variable(k, l, "kernel", 2, dims, l->kernel_init, l->kernel_l2),
                  l->bias ? vector(k, l, "bias", l->units, l->bias_init, l->bias_l2) : NULL, relu,
                  rate);
    if (l->rank == 4) {
        real_dims(k, l, real);
        x = nn_reshape(k->b->g, x, 4, real);
    }
    built(k, i, end, relu ? x : activate(k, x, l->activation));
    if (relu)
        k->values[relu_at] = x; /* read by the dropout alone, if it went in, too */
}

/* The sum of two that l, at i, ends the second branch of; -1: none. */
static int sum_end(const struct building *k, int i)
{
    const struct mdl_layer *l = &k->net->layers[i], *sum;
    int other;

    if (l->activation != MDL_LINEAR || k->n_users[i] != 1)
        return -1;
    sum = &k->net->layers[k->user[i]];
    if (sum->type != MDL_LAYER_ADD || sum->n_inputs != 2)
        return -1;
    other = sum->inputs[sum->inputs[0] == i];
    return other < i && other != l->inputs[0] && k->values[other]->kind == GR_ACTIVATION
               ? k->user[i]
               : -1;
}

static void build_batch_norm(struct building *k, int i)
{
    struct mdl_layer *l = &k->net->layers[i];
    struct gr_tensor *x = active(k, input(k, l, 0)), *gamma, *beta;
    struct nn_batch_norm how = {.momentum = l->momentum,
                                .epsilon = l->epsilon,
                                /* what is not fused in TensorFlow */
                                .population_variance = x->rank != 4};
    int64_t n = x->dims[x->rank - 1]; /* of gamma, beta, mean and variance */
    int sum = sum_end(k, i), end = relu_end(k, sum >= 0 ? sum : i);
    char mean[MDL_LAYER_NAME_BYTES + 64], variance[MDL_LAYER_NAME_BYTES + 64];
    struct gr_tensor *residual = NULL;

    gamma = vector(k, l, "gamma", n, l->gamma_init, 0.0);
    beta = vector(k, l, "beta", n, zeros, 0.0);
    snprintf(mean, sizeof mean, "%s/moving_mean", l->name);
    snprintf(variance, sizeof variance, "%s/moving_variance", l->name);
    how.relu = end >= 0;
    if (sum >= 0) {
        const struct mdl_layer *s = &k->net->layers[sum];

        residual = k->values[s->inputs[s->inputs[0] == i]];
    }
    x = nn_batch_norm(k->b->g, x, gamma, beta, gr_state(k->b->g, mean, 1, &n, GR_INIT_ZEROS, 0.0),
                      gr_state(k->b->g, variance, 1, &n, GR_INIT_ONES, 0.0), residual, &how);
    if (sum < 0) {
        built(k, i, end, how.relu ? x : activate(k, x, l->activation));
        return;
    }
    k->values[i] = x;
    built(k, sum, end, how.relu ? x : activate(k, x, k->net->layers[sum].activation));
}

static struct gr_tensor *build_add(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *sum = active(k, input(k, l, 0));

    for (int i = 1; i < l->n_inputs; i++)
        sum = nn_add(k->b->g, sum, active(k, input(k, l, i)));
    return activate(k, sum, l->activation);
}

/* Channels are joined for images: other shapes become images of one pixel. */
static struct gr_tensor *build_concat(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *parts[MDL_LAYER_MOST_INPUTS], *y;
    int64_t real[GR_MAX_RANK];

    for (int i = 0; i < l->n_inputs; i++) {
        struct gr_tensor *x = active(k, input(k, l, i));
        int64_t C = x->dims[x->rank - 1], pixels[] = {x->n / C, 1, 1, C};
        bool again = false;

        for (int earlier = 0; earlier < i; earlier++)
            again = again || l->inputs[earlier] == l->inputs[i];
        parts[i] =
            again || x->rank != 4 ? nn_reshape(k->b->g, x, 4, x->rank == 4 ? x->dims : pixels) : x;
    }
    y = nn_concat_channels(k->b->g, parts, l->n_inputs);
    real_dims(k, l, real);
    return l->rank == 4 ? y : nn_reshape(k->b->g, y, l->rank, real);
}

static struct gr_tensor *project(struct building *k, const struct mdl_layer *l, const char *name,
                                 struct gr_tensor *x, int64_t n)
{
    int64_t dims[] = {x->dims[2], n};
    struct gr_tensor *kernel, *bias = NULL;
    char part[64];

    snprintf(part, sizeof part, "%s/kernel", name);
    kernel = variable(k, l, part, 2, dims, l->kernel_init, 0.0);
    snprintf(part, sizeof part, "%s/bias", name);
    if (l->bias)
        bias = vector(k, l, part, n, zeros, 0.0);
    return nn_linear(k->b->g, x, kernel, bias, false, 0.0);
}

/* Self-attention, as Keras's MultiHeadAttention has its kernels, with heads side by side; padding
 * of a text is not seen. */
static struct gr_tensor *build_attention(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *x = input(k, l, 0), *q, *keys, *v;
    int64_t inner = l->heads * l->key_dim;
    struct nn_attention how = {.heads = l->heads,
                               .key_ids = l->dims[1] == MDL_DIM_LENGTH ? k->out->inputs : NULL,
                               .causal = l->causal,
                               .scale = 1.0 / sqrt((double) l->key_dim),
                               .dropout = k->b->g->training ? l->rate : 0.0,
                               .q_per_key = 1};

    q = project(k, l, "query", x, inner);
    keys = project(k, l, "key", x, inner);
    v = project(k, l, "value", x, inner);
    return project(k, l, "attention_output", nn_attention(k->b->g, q, keys, v, &how), x->dims[2]);
}

/* The h of every position, or of the last step of each row; its length is that of the text. */
static struct gr_tensor *build_lstm(struct building *k, const struct mdl_layer *l)
{
    struct gr_graph *g = k->b->g;
    struct gr_tensor *x = active(k, input(k, l, 0)), *ids = text_of(k), *state, *y;
    int64_t first = ids == k->out->targets; /* shifted right, it has one more */
    int64_t B = x->dims[0], H = l->units, kernel[] = {x->dims[2] + H, 4 * H};
    int64_t rows[] = {1, 2 * B, H}, last[] = {B, H};
    struct nn_lstm how = {.w = variable(k, l, "kernel", 2, kernel, l->kernel_init, l->kernel_l2),
                          .bias = vector(k, l, "bias", 4 * H, zeros, 0.0),
                          .lengths = nn_lengths(g, ids, ids->dims[1] - first, first),
                          .reverse = l->backwards};

    y = nn_lstm(g, x, &how, &state);
    if (l->sequences)
        return nn_convert(g, y, g->type);
    /* state (2,B,H) is h, then c */
    return nn_reshape(g, nn_slice_positions(g, nn_reshape(g, state, 3, rows), 0, B, 1), 2, last);
}

static struct gr_tensor *build_embedding(struct building *k, const struct mdl_layer *l)
{
    bool made = !k->out->inputs;
    int64_t dims[] = {made ? k->b->problem->targets_vocab : k->b->problem->inputs_vocab, l->units};
    struct nn_embed e = {.ids = text_of(k),
                         .shift_right = made,
                         .table =
                             variable(k, l, "embeddings", 2, dims, l->kernel_init, l->kernel_l2),
                         .scale = 1.0};
    int64_t positions[] = {k->b->tables->n_positions, l->units};

    if (l->timing)
        e.positions = gr_table(k->b->g, 2, positions, &k->b->tables->timing);
    return nn_embed(k->b->g, &e);
}

static struct gr_tensor *build_excite(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *x = active(k, input(k, l, 0));
    int64_t C = x->dims[3], down[] = {1, 1, C, l->units}, up[] = {1, 1, l->units, C};
    struct gr_graph *g = k->b->g;
    struct gr_tensor *y = nn_global_mean(g, x); /* (B, C), then (B, units), then (B, C) */

    y = nn_linear(g, y, variable(k, l, "reduce/kernel", 4, down, l->kernel_init, l->kernel_l2),
                  vector(k, l, "reduce/bias", l->units, zeros, 0.0), true, 0.0);
    y = nn_linear(g, y, variable(k, l, "expand/kernel", 4, up, l->kernel_init, l->kernel_l2),
                  vector(k, l, "expand/bias", C, zeros, 0.0), false, 0.0);
    return nn_excite(g, x, y);
}

static struct gr_tensor *build_layer_norm(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *x = active(k, input(k, l, 0));
    int64_t n = x->dims[x->rank - 1];

    return nn_layer_norm(k->b->g, x, vector(k, l, "gamma", n, l->gamma_init, 0.0),
                         vector(k, l, "beta", n, zeros, 0.0), l->epsilon);
}

static struct gr_tensor *build_mean(struct building *k, const struct mdl_layer *l)
{
    struct gr_tensor *x = active(k, input(k, l, 0));
    int64_t dims[] = {x->dims[0], x->dims[x->rank - 1]};

    return x->rank == 4 ? nn_global_mean(k->b->g, x)
                        : nn_reshape(k->b->g, nn_mean_positions(k->b->g, x), 2, dims);
}

static struct gr_tensor *build_reshape(struct building *k, const struct mdl_layer *l)
{
    int64_t real[GR_MAX_RANK];

    real_dims(k, l, real);
    return nn_reshape(k->b->g, input(k, l, 0), l->rank, real);
}

static void build_layer(struct building *k, int i)
{
    struct mdl_layer *l = &k->net->layers[i];
    struct gr_tensor *x = l->n_inputs > 0 ? input(k, l, 0) : NULL;
    struct gr_graph *g = k->b->g;

    switch (l->type) {
    case MDL_LAYER_CONV2D:
    case MDL_LAYER_DEPTHWISE:
        build_conv(k, i);
        return;
    case MDL_LAYER_DENSE:
        build_dense(k, i);
        return;
    case MDL_LAYER_BATCH_NORM:
        build_batch_norm(k, i);
        return;
    case MDL_LAYER_ACTIVATION:
        x = activate(k, x, l->activation);
        break;
    case MDL_LAYER_ADD:
        x = build_add(k, l);
        break;
    case MDL_LAYER_CONCAT:
        x = build_concat(k, l);
        break;
    case MDL_LAYER_ATTENTION:
        x = build_attention(k, l);
        break;
    case MDL_LAYER_LSTM:
        x = build_lstm(k, l);
        break;
    case MDL_LAYER_EMBEDDING:
        x = build_embedding(k, l);
        break;
    case MDL_LAYER_EXCITE:
        x = build_excite(k, l);
        break;
    case MDL_LAYER_LAYER_NORM:
        x = build_layer_norm(k, l);
        break;
    case MDL_LAYER_GLOBAL_AVG:
        x = build_mean(k, l);
        break;
    case MDL_LAYER_FLATTEN:
    case MDL_LAYER_RESHAPE:
        x = build_reshape(k, l);
        break;
    case MDL_LAYER_DROPOUT:
        if (g->training && l->rate > 0.0)
            x = nn_dropout(g, active(k, x), l->rate);
        break;
    case MDL_LAYER_MAX_POOL:
        x = nn_max_pool(g, active(k, x), l->size[0], l->strides[0], l->padding);
        break;
    case MDL_LAYER_AVG_POOL:
        x = nn_avg_pool(g, active(k, x), l->size[0], l->strides[0], l->padding);
        break;
    case MDL_LAYER_INPUT:
    case MDL_LAYER_N_TYPES:
        break;
    }
    k->values[i] = x;
}

/* The last layer, as the table (ids, features) of the loss: it begins as the kernel would that it
 * is the transpose of. */
static void end_of_sequence(struct building *k, bool want_logits)
{
    struct mdl_layer *l = &k->net->layers[k->net->n - 1];
    struct gr_tensor *x = input(k, l, 0);
    int64_t dims[] = {l->units, x->dims[2]};
    struct mdl_layer_init_spec how = l->kernel_init;

    if (how.how == MDL_INIT_UNIFORM_FAN_IN)
        how = (struct mdl_layer_init_spec){.init = GR_INIT_UNIFORM,
                                           .gain = sqrt(3.0 * how.gain / (double) dims[1])};
    else if (how.how == MDL_INIT_GRAPH && how.init == GR_INIT_FAN_IN)
        how = (struct mdl_layer_init_spec){.init = GR_INIT_TRUNCATED_NORMAL,
                                           .gain = sqrt(how.gain / (double) dims[1]) / cut};
    mdl_symbol_loss(k->b, x, variable(k, l, "kernel", 2, dims, how, l->kernel_l2), want_logits,
                    k->out);
}

static void text_inputs(const struct mdl_build *b, const struct mdl_shape *shape,
                        struct mdl_graph *out)
{
    int64_t ids[] = {shape->batch, shape->inputs_length};
    int64_t made[] = {shape->batch, shape->targets_length};

    if (mdl_layer_makes_texts(b->problem)) {
        out->targets = gr_ids(b->g, 2, made);
        return;
    }
    out->inputs = gr_ids(b->g, 2, ids);
    mdl_class_targets(b, shape, out);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct building k = {.b = b, .out = out};
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = net_of(b->hp, b->problem, &k.net, &err);
    bool made;
    size_t n;

    T2_ASSERT(st == T2_OK); /* check() has read it */
    n = (size_t) k.net->n;
    k.values = t2_alloc(n, sizeof(struct gr_tensor *));
    k.n_users = t2_alloc(n, sizeof *k.n_users);
    k.user = t2_alloc(n, sizeof *k.user);
    for (int i = 0; i < k.net->n; i++)
        for (int j = 0; j < k.net->layers[i].n_inputs; j++) {
            k.n_users[k.net->layers[i].inputs[j]]++;
            k.user[k.net->layers[i].inputs[j]] = i;
        }
    out->shape = *shape;
    if (shape->height > 0)
        mdl_cnn_inputs(b, shape, out);
    else
        text_inputs(b, shape, out);
    k.values[0] = out->images ? out->images : text_of(&k);
    if (b->problem->table)
        k.values[0] = nn_flatten(b->g, out->images);
    made = mdl_layer_makes_texts(b->problem);
    for (int i = 1; i < k.net->n - made; i++) {
        gr_layer(b->g, k.net->layers[i].group);
        if (!k.values[i])
            build_layer(&k, i);
    }
    if (made)
        end_of_sequence(&k, want_logits);
    else
        mdl_cnn_uniform_loss(b, active(&k, k.values[n - 1]), want_logits, out);
    t2_free(k.values);
    t2_free(k.n_users);
    t2_free(k.user);
    mdl_layer_net_free(k.net);
}

/* ---- refusals ---- */

/* Evaluation sets dropout and label smoothing to 0: they may be rates, but no sizes. */
static enum t2_status check_alike(const struct mdl_layer_net *a, const struct mdl_layer_net *b,
                                  struct t2_err *err)
{
    bool same = a->n == b->n;

    for (int i = 0; same && i < a->n; i++)
        same = strcmp(a->layers[i].name, b->layers[i].name) == 0 &&
               a->layers[i].type == b->layers[i].type && a->layers[i].rank == b->layers[i].rank &&
               memcmp(a->layers[i].dims, b->layers[i].dims, sizeof a->layers[i].dims) == 0 &&
               a->layers[i].n_values == b->layers[i].n_values;
    if (same)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "the network is another one in evaluation, where hparams of dropout and "
                   "label_smoothing are 0: no size may depend on them");
}

static enum t2_status check_evaluation(const struct mdl_layer_net *net,
                                       const struct mdl_hparams *hp,
                                       const struct mdl_problem *problem, struct t2_err *err)
{
    struct mdl_hparams *eval = mdl_hparams_copy(hp);
    struct mdl_layer_net *other = NULL;
    enum t2_status st;

    mdl_hparams_for_eval(eval);
    st = net_of(eval, problem, &other, err);
    if (st == T2_OK)
        st = check_alike(net, other, err);
    else
        st = t2_wrap(err, "in evaluation, where hparams of dropout and label_smoothing are 0");
    mdl_layer_net_free(other);
    mdl_hparams_free(eval);
    return st;
}

static enum t2_status check_timing(const struct mdl_layer_net *net, const struct mdl_hparams *hp,
                                   struct t2_err *err)
{
    for (int i = 0; i < net->n; i++)
        if (net->layers[i].timing && net->layers[i].units != mdl_hp_int(hp, "hidden_size"))
            return t2_fail(err, T2_EUNSUPPORTED,
                           "line %zu: timing wants output_dim: $hidden_size (%lld, not %lld)",
                           net->layers[i].line, (long long) mdl_hp_int(hp, "hidden_size"),
                           (long long) net->layers[i].units);
    return T2_OK;
}

static enum t2_status check_trains(const struct mdl_layer_net *net, struct t2_err *err)
{
    for (int i = 0; i < net->n; i++)
        if (net->layers[i].n_values > 0)
            return T2_OK;
    return t2_fail(err, T2_EFORMAT, "no layer has anything to learn: a dense layer, for one, has");
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    struct mdl_layer_net *net;
    enum t2_status st;

    if (problem->speech || (problem->image.height > 0 && !problem->class_labels) ||
        (problem->image.height == 0 && problem->has_inputs != problem->class_labels))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "layer files are for problems with class labels, of images or of texts, and "
                       "for texts that continue (language models), not for texts from others");
    T2_TRY(net_of(hp, problem, &net, err));
    st = check_trains(net, err);
    if (st == T2_OK)
        st = check_timing(net, hp, err);
    if (st == T2_OK)
        st = check_evaluation(net, hp, problem, err);
    mdl_layer_net_free(net);
    return st;
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    (void) hp;
    (void) problem;
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED, "layer files take one text per row, not packed data");
    return T2_OK;
}

static bool plain_loss(const struct mdl_hparams *hp)
{
    (void) hp;
    return true;
}

const struct mdl_kind mdl_layer_file = {.name = "layer file",
                                        .reads_tables = true,
                                        .check = check,
                                        .check_shape = check_shape,
                                        .build = build,
                                        .prefix_multiple = 8,
                                        .plain_loss = plain_loss};
