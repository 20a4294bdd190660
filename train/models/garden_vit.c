/*
 * train/models/garden_vit.c - Model Garden's Vision Transformer (Dosovitskiy et al. 2020).
 *
 * official/vision/modeling/backbones/vit.py with ClassificationModel.  P = patch_size,
 * N = (side / P)^2 and one for the class token:
 *   x = conv PxP, stride P, as positions (B, N, D); a learned token in front; x + positions;
 * dropout block  x = x + dropped(attention(norm x)),  x = x + dropped(dense D(gelu(dense F(norm
 * x)))) top    norm; the token, or the mean over positions; tanh(dense R) where representation_size
 * is not 0; dropout; dense Kernels of attention are (D, heads K) here; the original's have an axis
 * for the heads.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/ops/attention.h"
#include "train/ops/axes.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

static const char name[] = "mg_vit";
static const double norm_epsilon = 1e-6;

struct building {
    struct mdl_cnn c;
    struct gr_graph *g;
    const struct mdl_hparams *hp;
    char scope[64]; /* of the block */
    bool original;  /* hparam original_init */
    uint32_t n_drawings;
    double drop_rate; /* stochastic depth, of the block */
};

static double rate(const struct building *k, const char *hparam)
{
    return k->g->training ? mdl_hp_float(k->hp, hparam) : 0.0;
}

static struct gr_tensor *vector(struct building *k, const char *layer, const char *part, int64_t n,
                                enum gr_init init)
{
    return mdl_cnn_variable(&k->c, layer, part, 1, &n, (struct mdl_cnn_init){init, 0.0});
}

/* Of a layer of the block. */
static void layer_name(const struct building *k, const char *layer, char full[MDL_CNN_NAME_BYTES])
{
    snprintf(full, MDL_CNN_NAME_BYTES, "%s/%s", k->scope, layer);
}

static struct gr_tensor *norm(struct building *k, struct gr_tensor *x, const char *layer)
{
    int64_t n = x->dims[2];

    return nn_layer_norm(k->g, x, vector(k, layer, "gamma", n, GR_INIT_ONES),
                         vector(k, layer, "beta", n, GR_INIT_ZEROS), norm_epsilon);
}

/* fans: fan in and fan out, as the original's shape has them. */
static struct gr_tensor *dense(struct building *k, struct gr_tensor *x, const char *layer,
                               int64_t n, double fans)
{
    int64_t dims[] = {x->dims[2], n};
    struct mdl_cnn_init init = {GR_INIT_UNIFORM, sqrt(6.0 / fans)};

    if (!k->original)
        init = (struct mdl_cnn_init){GR_INIT_TRUNCATED_NORMAL, 0.02};
    return nn_linear(k->g, x, mdl_cnn_variable(&k->c, layer, "kernel", 2, dims, init),
                     vector(k, layer, "bias", n, GR_INIT_ZEROS), false, 0.0);
}

/* A dense layer of the block. */
static struct gr_tensor *inner(struct building *k, struct gr_tensor *x, const char *layer,
                               int64_t n, double fans)
{
    char full[MDL_CNN_NAME_BYTES];

    layer_name(k, layer, full);
    return dense(k, x, full, n, fans);
}

/* x + dropped(y), in training with examples that lose y. */
static struct gr_tensor *join(struct building *k, struct gr_tensor *x, struct gr_tensor *y,
                              double dropout)
{
    struct gr_tensor *by;

    if (!k->g->training || k->drop_rate == 0.0)
        return nn_residual(k->g, x, y, NULL, dropout);
    by = nn_draw_keep(k->g, y->dims[0], k->drop_rate, k->n_drawings++);
    y = dropout > 0.0 ? nn_dropout(k->g, y, dropout) : y;
    return nn_add(k->g, x, nn_scale_rows(k->g, y, by, by));
}

static struct gr_tensor *block(struct building *k, struct gr_tensor *x)
{
    int64_t D = x->dims[2], heads = mdl_hp_int(k->hp, "num_heads"), K = D / heads;
    int64_t F = mdl_hp_int(k->hp, "filter_size");
    struct nn_attention how = {.heads = heads,
                               .scale = 1.0 / sqrt((double) K),
                               .dropout = rate(k, "attention_dropout"),
                               .q_per_key = 1};
    double in = (double) (D * (heads + K)), out = (double) (heads * (K + D)); /* both fans */
    struct gr_tensor *y, *q, *keys, *v;
    char full[MDL_CNN_NAME_BYTES];

    layer_name(k, "self_attention_layer_norm", full);
    y = norm(k, x, full);
    q = inner(k, y, "self_attention/query", heads * K, in);
    keys = inner(k, y, "self_attention/key", heads * K, in);
    v = inner(k, y, "self_attention/value", heads * K, in);
    y = inner(k, nn_attention(k->g, q, keys, v, &how), "self_attention/attention_output", D, out);
    x = join(k, x, y, how.dropout);
    layer_name(k, "output_layer_norm", full);
    y = nn_gelu(k->g, inner(k, norm(k, x, full), "intermediate", F, (double) (D + F)));
    y = inner(k, y, "output", D, (double) (D + F));
    return join(k, x, y, rate(k, "layer_prepostprocess_dropout"));
}

/* A variable of the model for each example: (n) -> (B, length, n / length). */
static struct gr_tensor *for_each(struct building *k, struct gr_tensor *variable, int64_t B,
                                  int64_t length)
{
    int64_t row[] = {1, variable->n}, dims[] = {B, length, variable->n / length};

    return nn_reshape(k->g, nn_repeat(k->g, nn_reshape(k->g, variable, 2, row), B), 3, dims);
}

/* Patches as positions, the token in front of them, and what says where they are. */
static struct gr_tensor *embed(struct building *k, struct gr_tensor *images)
{
    int64_t P = mdl_hp_int(k->hp, "patch_size"), D = mdl_hp_int(k->hp, "hidden_size");
    struct mdl_cnn_conv how = {
        .layer = "conv2d", .filters = D, .size = P, .stride = P, .padding = NN_VALID, .bias = true};
    double fan_in = (double) (P * P * images->dims[3]);
    int64_t B = images->dims[0], token[] = {1, 1, D}, flat[] = {B, 0, D}, places[] = {1, 0, D};
    struct gr_tensor *x, *parts[2];

    k->c.kernel = k->original ? (struct mdl_cnn_init){GR_INIT_FAN_IN, 1.0}
                              : (struct mdl_cnn_init){GR_INIT_UNIFORM, sqrt(6.0 / fan_in)};
    x = mdl_cnn_conv(&k->c, images, &how);
    flat[1] = x->dims[1] * x->dims[2];
    x = nn_reshape(k->g, x, 3, flat);
    if (strcmp(mdl_hp_string(k->hp, "pooler"), "token") == 0) {
        struct mdl_cnn_init zeros = {GR_INIT_ZEROS, 0.0};

        parts[0] = for_each(k, mdl_cnn_variable(&k->c, "cls", "cls", 3, token, zeros), B, 1);
        parts[1] = x;
        x = nn_join_positions(k->g, parts, 2, B);
    }
    places[1] = x->dims[1];
    x = nn_add(k->g, x,
               for_each(k,
                        mdl_cnn_variable(&k->c, "posembed_input", "pos_embedding", 3, places,
                                         (struct mdl_cnn_init){GR_INIT_NORMAL, 0.02}),
                        B, places[1]));
    return rate(k, "layer_prepostprocess_dropout") > 0.0
               ? nn_dropout(k->g, x, rate(k, "layer_prepostprocess_dropout"))
               : x;
}

/* (B, N, D) -> (B, D or R) */
static struct gr_tensor *pool(struct building *k, struct gr_tensor *x)
{
    int64_t B = x->dims[0], D = x->dims[2], R = mdl_hp_int(k->hp, "representation_size");
    int64_t pooled[] = {B, D}, kernel[] = {D, R};
    struct mdl_cnn_init init = k->original
                                   ? (struct mdl_cnn_init){GR_INIT_FAN_IN, 1.0}
                                   : (struct mdl_cnn_init){GR_INIT_UNIFORM, sqrt(6.0 / (double) D)};

    x = strcmp(mdl_hp_string(k->hp, "pooler"), "token") == 0 ? nn_slice_positions(k->g, x, 0, 1, 1)
                                                             : nn_mean_positions(k->g, x);
    x = nn_reshape(k->g, x, 2, pooled);
    if (R == 0)
        return x;
    x = nn_linear(k->g, x, mdl_cnn_variable(&k->c, "pre_logits", "kernel", 2, kernel, init),
                  vector(k, "pre_logits", "bias", R, GR_INIT_ZEROS), false, 0.0);
    return nn_tanh(k->g, x);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    int64_t n = mdl_hp_int(b->hp, "num_hidden_layers");
    struct mdl_cnn_init top = {GR_INIT_UNIFORM, 0.05};
    struct building k = {.c = {.b = b, .scope = ""},
                         .g = b->g,
                         .hp = b->hp,
                         .original = mdl_hp_bool(b->hp, "original_init")};
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = embed(&k, out->images);
    for (int64_t i = 0; i < n; i++) {
        mdl_cnn_next_layer(&k.c);
        snprintf(k.scope, sizeof k.scope,
                 i > 0 ? "transformer_encoder_block_%d" : "transformer_encoder_block", (int) i);
        k.drop_rate =
            mdl_hp_float(b->hp, "stochastic_depth_drop_rate") * (double) (i + 1) / (double) n;
        x = block(&k, x);
    }
    gr_layer(b->g, 0);
    x = pool(&k, norm(&k, x, "layer_normalization"));
    if (mdl_hp_float(b->hp, "dropout") > 0.0)
        x = nn_dropout(b->g, x, mdl_hp_float(b->hp, "dropout"));
    if (mdl_hp_bool(b->hp, "zero_top"))
        top = (struct mdl_cnn_init){GR_INIT_ZEROS, 0.0};
    x = mdl_cnn_dense(&k.c, x, "dense", b->problem->targets_vocab, top);
    mdl_cnn_uniform_loss(b, x, want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"patch_size",    "num_heads", "representation_size",
                                      "pooler",        "zero_top",  "stochastic_depth_drop_rate",
                                      "original_init", NULL};
    int64_t P, D, heads;
    double drop;

    T2_TRY(mdl_cnn_check(name, hp, problem, own, "mg_vit_b16", err));
    P = mdl_hp_int(hp, "patch_size");
    D = mdl_hp_int(hp, "hidden_size");
    heads = mdl_hp_int(hp, "num_heads");
    if (P < 1 || P > problem->image.height || P > problem->image.width)
        return t2_fail(err, T2_EUSAGE, "%s: patches of %lld x %lld do not fit images of %d x %d",
                       name, (long long) P, (long long) P, problem->image.height,
                       problem->image.width);
    if (heads < 1 || D % heads != 0)
        return t2_fail(err, T2_EUSAGE, "%s: hidden_size=%lld is no multiple of num_heads=%lld",
                       name, (long long) D, (long long) heads);
    if (mdl_hp_int(hp, "representation_size") < 0 ||
        mdl_hp_int(hp, "representation_size") > 1 << 20)
        return t2_fail(err, T2_EUSAGE, "%s: representation_size is not between 0 and %d", name,
                       1 << 20);
    if (strcmp(mdl_hp_string(hp, "pooler"), "token") != 0 &&
        strcmp(mdl_hp_string(hp, "pooler"), "gap") != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "%s: pooler=%s is neither token nor gap", name,
                       mdl_hp_string(hp, "pooler"));
    drop = mdl_hp_float(hp, "stochastic_depth_drop_rate");
    if (!(drop >= 0.0 && drop < 1.0))
        return t2_fail(err, T2_EUSAGE, "%s: stochastic_depth_drop_rate=%g is not between 0 and 1",
                       name, drop);
    return T2_OK;
}

/* The encoder is given a regulariser and has none. */
static double l2(const char *variable, const struct mdl_hparams *hp)
{
    return strncmp(variable, "transformer_", 12) == 0 ? 0.0 : mdl_cnn_kernel_l2(variable, hp);
}

const struct mdl_kind mdl_mg_vit = {.name = name,
                                    .own_set = "mg_vit_b16",
                                    .check = check,
                                    .build = build,
                                    .l2 = l2,
                                    .smooths_evaluation = mdl_cnn_smooths_unmixed,
                                    .plain_loss = mdl_cnn_plain_loss};
