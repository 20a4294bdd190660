/*
 * train/models/garden_mobilenet.c - Model Garden's MobileNets (Howard et al. 2017, Sandler et al.
 * 2018, Howard et al. 2019).
 *
 * official/vision/modeling/backbones/mobilenet.py with ClassificationModel: convolutions with
 * normalisation, separable ones, inverted bottlenecks; a table for each network.  Filters are
 * scaled by hparam filter_size_scale and rounded to multiples of 8 (V1: not), but those of the last
 * row, which stay large below 1.
 *
 *   bottleneck  e = act(BN(conv1x1 expand x)), left out where expand is 1
 *               d = act(BN(depthwise e)), squeezed and excited by a hard sigmoid where the row says
 *               y = BN(conv1x1 d), plus x where the shape is the same
 *   top         mean over pixels, for V3 before the last convolution; dropout; dense
 *
 * Layers are counted by kind over the whole network; squeeze and excitation comes behind the other
 * convolutions of its block, as the original makes it last.
 */
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/excite.h"
#include "train/ops/linear.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"

static const char name[] = "mg_mobilenet";

/* ---- the networks ---- */

enum kind { CONV, PLAIN_CONV, SEPARABLE, BOTTLENECK, POOL }; /* PLAIN_CONV: a bias, no norm */
enum curve { RELU, RELU6, HARD_SWISH };

struct block {
    enum kind kind;
    int size, stride, filters;
    enum curve curve;
    double expand;
    bool excited;
};

/* clang-format off */
#define C6(size, stride, filters) {CONV, size, stride, filters, RELU6, 0, false}
#define CH(size, stride, filters) {CONV, size, stride, filters, HARD_SWISH, 0, false}
#define S6(stride, filters) {SEPARABLE, 3, stride, filters, RELU6, 0, false}
#define B6(stride, filters, expand) {BOTTLENECK, 3, stride, filters, RELU6, expand, false}
#define BR(size, stride, filters, expand, excited) {BOTTLENECK, size, stride, filters, RELU, expand, excited}
#define BH(size, stride, filters, expand, excited) {BOTTLENECK, size, stride, filters, HARD_SWISH, expand, excited}
#define LAST(filters) {POOL, 0, 1, 0, RELU, 0, false}, {PLAIN_CONV, 1, 1, filters, HARD_SWISH, 0, false}

static const struct block v1[] = {
    C6(3, 2, 32), S6(1, 64), S6(2, 128), S6(1, 128), S6(2, 256), S6(1, 256), S6(2, 512), S6(1, 512),
    S6(1, 512), S6(1, 512), S6(1, 512), S6(1, 512), S6(2, 1024), S6(1, 1024),
};

static const struct block v2[] = {
    C6(3, 2, 32), B6(1, 16, 1),
    B6(2, 24, 6), B6(1, 24, 6),
    B6(2, 32, 6), B6(1, 32, 6), B6(1, 32, 6),
    B6(2, 64, 6), B6(1, 64, 6), B6(1, 64, 6), B6(1, 64, 6),
    B6(1, 96, 6), B6(1, 96, 6), B6(1, 96, 6),
    B6(2, 160, 6), B6(1, 160, 6), B6(1, 160, 6),
    B6(1, 320, 6), C6(1, 1, 1280),
};

static const struct block v3_large[] = {
    CH(3, 2, 16), BR(3, 1, 16, 1, false),
    BR(3, 2, 24, 4, false), BR(3, 1, 24, 3, false),
    BR(5, 2, 40, 3, true), BR(5, 1, 40, 3, true), BR(5, 1, 40, 3, true),
    BH(3, 2, 80, 6, false), BH(3, 1, 80, 2.5, false), BH(3, 1, 80, 2.3, false), BH(3, 1, 80, 2.3, false),
    BH(3, 1, 112, 6, true), BH(3, 1, 112, 6, true),
    BH(5, 2, 160, 6, true), BH(5, 1, 160, 6, true), BH(5, 1, 160, 6, true),
    CH(1, 1, 960), LAST(1280),
};

static const struct block v3_small[] = {
    CH(3, 2, 16), BR(3, 2, 16, 1, true),
    BR(3, 2, 24, 72.0 / 16, false), BR(3, 1, 24, 88.0 / 24, false),
    BH(5, 2, 40, 4, true), BH(5, 1, 40, 6, true), BH(5, 1, 40, 6, true),
    BH(5, 1, 48, 3, true), BH(5, 1, 48, 3, true),
    BH(5, 2, 96, 6, true), BH(5, 1, 96, 6, true), BH(5, 1, 96, 6, true),
    CH(1, 1, 576), LAST(1024),
};

#define NET(id, blocks, divisor) {id, blocks, sizeof blocks / sizeof *blocks, divisor}
static const struct net {
    const char *id;
    const struct block *blocks;
    size_t n;
    int64_t divisor;
} nets[] = {NET("MobileNetV1", v1, 1), NET("MobileNetV2", v2, 8),
            NET("MobileNetV3Large", v3_large, 8), NET("MobileNetV3Small", v3_small, 8)};
/* clang-format on */

static const struct net *find_net(const char *id)
{
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        if (strcmp(nets[i].id, id) == 0)
            return &nets[i];
    return NULL;
}

/* nn_layers.make_divisible: the nearest multiple, but none that is a tenth below. */
static int64_t divisible(double n, int64_t divisor, int64_t least)
{
    int64_t whole = (int64_t) (n + (double) divisor / 2) / divisor * divisor;

    whole = whole < least ? least : whole;
    return (double) whole < 0.9 * n ? whole + divisor : whole;
}

static int64_t scaled(const struct net *net, const struct block *row, double by)
{
    double n = row->filters;

    if (row == &net->blocks[net->n - 1] && net->divisor > 1 && by < 1.0)
        n /= by;
    return divisible(n * by, net->divisor, 8);
}

/* ---- layers ---- */

struct building {
    struct mdl_cnn c;
    uint32_t n_drawings;
    int64_t divisor;
    double drop_rate; /* stochastic depth, of the block */
};

static struct gr_tensor *bend(struct building *k, struct gr_tensor *x, enum curve curve)
{
    return curve == RELU6 ? nn_relu6(k->c.b->g, x) : nn_hard_swish(k->c.b->g, x);
}

/* A normalisation and what bends it; a ReLU is part of the operator. */
static struct gr_tensor *norm(struct building *k, struct gr_tensor *x, const char *layer,
                              enum curve curve)
{
    x = mdl_cnn_norm(&k->c, x, &(struct mdl_cnn_norm){.layer = layer, .relu = curve == RELU});
    return curve == RELU ? x : bend(k, x, curve);
}

static struct gr_tensor *conv(struct building *k, struct gr_tensor *x, const char *layer,
                              int64_t filters, int size, int stride, bool bias)
{
    return mdl_cnn_conv(&k->c, x,
                        &(struct mdl_cnn_conv){.layer = layer,
                                               .filters = filters,
                                               .size = size,
                                               .stride = stride,
                                               .padding = NN_SAME,
                                               .bias = bias});
}

static struct gr_tensor *depthwise(struct building *k, struct gr_tensor *x, int size, int stride)
{
    int64_t dims[] = {size, size, x->dims[3], 1};
    struct nn_conv2d how = {.stride = stride, .dilation = 1, .padding = NN_SAME, .depthwise = true};
    char layer[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(&k->c, "depthwise_conv2d#", layer);
    return nn_conv2d(k->c.b->g, x,
                     mdl_cnn_variable(&k->c, layer, "depthwise_kernel", 4, dims, k->c.kernel), NULL,
                     &how);
}

/* activations.hard_sigmoid multiplies by 0.16667 */
static struct gr_tensor *excite(struct building *k, struct gr_tensor *x)
{
    struct gr_graph *g = k->c.b->g;
    struct mdl_cnn_init zeros = {GR_INIT_ZEROS, 0.0};
    int64_t C = x->dims[3], quarter = (int64_t) ((double) C * 0.25);
    int64_t reduced = divisible((double) (quarter < 1 ? 1 : quarter), k->divisor, k->divisor);
    int64_t down[] = {1, 1, C, reduced}, up[] = {1, 1, reduced, C};
    struct gr_tensor *y = nn_global_mean(g, x); /* (B, C), then (B, reduced), then (B, C) */
    char layer[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(&k->c, "conv2d#", layer);
    y = nn_linear(g, y, mdl_cnn_variable(&k->c, layer, "kernel", 4, down, k->c.kernel),
                  mdl_cnn_variable(&k->c, layer, "bias", 1, &reduced, zeros), true, 0.0);
    mdl_cnn_name(&k->c, "conv2d#", layer);
    y = nn_linear(g, y, mdl_cnn_variable(&k->c, layer, "kernel", 4, up, k->c.kernel),
                  mdl_cnn_variable(&k->c, layer, "bias", 1, &C, zeros), false, 0.0);
    return nn_excite_hard(g, x, y, 0.16667);
}

static struct gr_tensor *bottleneck(struct building *k, struct gr_tensor *x,
                                    const struct block *row, int64_t filters)
{
    struct gr_graph *g = k->c.b->g;
    int64_t expanded = divisible((double) x->dims[3] * row->expand, k->divisor, k->divisor);
    struct mdl_cnn_norm last = {.layer = "batch_normalization#"};
    char project[MDL_CNN_NAME_BYTES];
    struct gr_tensor *y = x;
    bool joined = row->stride == 1 && x->dims[3] == filters;

    if (row->expand > 1)
        y = norm(k, conv(k, y, "conv2d#", expanded, 1, 1, false), "batch_normalization#",
                 row->curve);
    y = norm(k, depthwise(k, y, row->size, row->stride), "batch_normalization#", row->curve);
    mdl_cnn_name(&k->c, "conv2d#", project);
    if (row->excited)
        y = excite(k, y);
    y = conv(k, y, project, filters, 1, 1, false);
    if (joined && g->training && k->drop_rate > 0.0) {
        struct gr_tensor *by = nn_draw_keep(g, y->dims[0], k->drop_rate, k->n_drawings++);

        return nn_add(g, nn_scale_rows(g, mdl_cnn_norm(&k->c, y, &last), by, by), x);
    }
    last.residual = joined ? x : NULL;
    return mdl_cnn_norm(&k->c, y, &last);
}

static struct gr_tensor *build_block(struct building *k, struct gr_tensor *x,
                                     const struct block *row, int64_t filters)
{
    int64_t pixel[] = {x->dims[0], 1, 1, x->dims[3]};

    switch (row->kind) {
    case CONV:
        return norm(k, conv(k, x, "conv2d#", filters, row->size, row->stride, false),
                    "batch_normalization#", row->curve);
    case PLAIN_CONV:
        return bend(k, conv(k, x, "conv2d#", filters, row->size, row->stride, true), row->curve);
    case SEPARABLE:
        x = norm(k, depthwise(k, x, row->size, row->stride), "batch_normalization#", row->curve);
        return norm(k, conv(k, x, "conv2d#", filters, 1, 1, false), "batch_normalization#",
                    row->curve);
    case BOTTLENECK:
        return bottleneck(k, x, row, filters);
    case POOL:
        break;
    }
    return nn_reshape(k->c.b->g, nn_global_mean(k->c.b->g, x), 4, pixel);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    const struct net *net = find_net(mdl_hp_string(b->hp, "model_id"));
    double by = mdl_hp_float(b->hp, "filter_size_scale");
    double drop_rate = mdl_hp_float(b->hp, "stochastic_depth_drop_rate");
    bool flat = mdl_hp_bool(b->hp, "flat_stochastic_depth_drop_rate");
    struct building k = {.c = {.b = b,
                               .scope = "",
                               .norm = {.momentum = mdl_hp_float(b->hp, "norm_momentum"),
                                        .epsilon = mdl_hp_float(b->hp, "norm_epsilon")},
                               .kernel = {GR_INIT_FAN_IN, 1.0}},
                         .divisor = 8};
    struct gr_tensor *x;

    T2_ASSERT(net); /* check() has found it */
    k.divisor = net->divisor;
    mdl_cnn_inputs(b, shape, out);
    x = out->images;
    for (size_t i = 0; i < net->n; i++) {
        mdl_cnn_next_layer(&k.c);
        k.drop_rate = flat ? drop_rate : drop_rate * (double) (i + 1) / (double) net->n;
        x = build_block(&k, x, &net->blocks[i], scaled(net, &net->blocks[i], by));
    }
    gr_layer(b->g, 0);
    x = nn_global_mean(b->g, x);
    if (mdl_hp_float(b->hp, "dropout") > 0.0)
        x = nn_dropout(b->g, x, mdl_hp_float(b->hp, "dropout"));
    x = mdl_cnn_dense(&k.c, x, "dense", b->problem->targets_vocab,
                      (struct mdl_cnn_init){GR_INIT_UNIFORM, 0.05});
    mdl_cnn_uniform_loss(b, x, want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"model_id",
                                      "filter_size_scale",
                                      "norm_momentum",
                                      "norm_epsilon",
                                      "stochastic_depth_drop_rate",
                                      "flat_stochastic_depth_drop_rate",
                                      NULL};
    double scale, rate;

    T2_TRY(mdl_cnn_check(name, hp, problem, own, "mg_mobilenet_imagenet", err));
    if (!find_net(mdl_hp_string(hp, "model_id")))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: there is no model_id=%s; there are MobileNetV1, MobileNetV2, "
                       "MobileNetV3Large, MobileNetV3Small",
                       name, mdl_hp_string(hp, "model_id"));
    scale = mdl_hp_float(hp, "filter_size_scale");
    if (!(scale >= 0.01 && scale <= 100.0))
        return t2_fail(err, T2_EUSAGE, "%s: filter_size_scale=%g is not between 0.01 and 100", name,
                       scale);
    rate = mdl_hp_float(hp, "stochastic_depth_drop_rate");
    if (!(rate >= 0.0 && rate < 1.0))
        return t2_fail(err, T2_EUSAGE, "%s: stochastic_depth_drop_rate=%g is not between 0 and 1",
                       name, rate);
    return T2_OK;
}

const struct mdl_kind mdl_mg_mobilenet = {.name = name,
                                          .own_set = "mg_mobilenet_imagenet",
                                          .check = check,
                                          .build = build,
                                          .l2 = mdl_cnn_kernel_l2,
                                          .smooths_evaluation = mdl_cnn_smooths_unmixed,
                                          .plain_loss = mdl_cnn_plain_loss};
