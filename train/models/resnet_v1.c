/*
 * train/models/resnet_v1.c - the ResNets of tensorflow/tpu, tf-models-official and Model Garden (He
 * et al. 2015).
 *
 * One network in three hands: models/official/resnet/resnet_model.py,
 * official/vision/image_classification/resnet/resnet_model.py and
 * official/vision/modeling/backbones/resnet.py; spec image-pipelines.md §2.3, 2.4, 7.  They differ
 * in padding, initial values, regularisation and names (struct flavour).  Post-activation; pixels
 * come normalised.
 *
 *   stem   relu(BN(conv 7x7, stride 2)), or three 3x3 (ResNet-D); max pool   (B, H/4, W/4, f0)
 *   block  y = BN(conv1x1 4f(relu(BN(conv3x3 f(relu(BN(conv1x1 f x)))))))
 *          x = relu(dropped(excited(y)) + (first of its group: BN(conv1x1 4f x), else x))
 *          of small depths y = BN(conv3x3 f(relu(BN(conv3x3 f x)))), no factor 4
 *   groups f = filter_sizes[1 .. 4], stride 1, 2, 2, 2                       (B, H/32, W/32, 4 f4)
 *   top    mean over pixels, dropout, dense                                  (B, classes)
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "train/models/cnn_parts.h"
#include "train/ops/draw.h"
#include "train/ops/elementwise.h"
#include "train/ops/excite.h"
#include "train/ops/linear.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"

/* ---- what differs ---- */

struct flavour {
    const char *model, *example;
    enum nn_padding padding; /* of convolutions with a stride, but for the stem */
    enum nn_padding stem;    /* of the 7 x 7 */
    bool zero_gamma;         /* of the last normalisation of a block */
    const char *drop;        /* hparam: of the examples a block loses; NULL when there is none */
    bool basic_drops;        /* also blocks of two 3 x 3 */
    bool always_pools;       /* ResNet-D's shortcut, where it has no stride, too */
    bool scaled_stem;        /* the stem may have other filters than the first group */
    bool stage_names;        /* res2a_branch1, bn2a_branch1; else conv2d_1, batch_normalization_1 */
    struct mdl_cnn_init kernel; /* of convolutions */
    struct mdl_cnn_init dense;
    const char *top;
};

static const struct flavour tpu = {.model = "tpu_resnet",
                                   .example = "tpu_resnet_50",
                                   .padding = NN_SYMMETRIC,
                                   .stem = NN_SYMMETRIC,
                                   .zero_gamma = true,
                                   .drop = "drop_connect_rate",
                                   .kernel = {GR_INIT_FAN_IN, 1.0},
                                   .dense = {GR_INIT_NORMAL, 0.01},
                                   .top = "dense"};
/* he_normal: scale 2 */
static const struct flavour keras = {.model = "keras_resnet50",
                                     .example = "keras_resnet50",
                                     .padding = NN_SAME,
                                     .stem = NN_SYMMETRIC,
                                     .stage_names = true,
                                     .kernel = {GR_INIT_FAN_IN, 2.0},
                                     .dense = {GR_INIT_NORMAL, 0.01},
                                     .top = "fc1000"};
/* random_uniform: 0.05 on both sides */
static const struct flavour garden = {.model = "mg_resnet",
                                      .example = "mg_resnet_imagenet",
                                      .padding = NN_SAME,
                                      .stem = NN_SAME,
                                      .drop = "stochastic_depth_drop_rate",
                                      .basic_drops = true,
                                      .always_pools = true,
                                      .scaled_stem = true,
                                      .kernel = {GR_INIT_FAN_IN, 1.0},
                                      .dense = {GR_INIT_UNIFORM, 0.05},
                                      .top = "dense"};

/* Options that a flavour's sets may lack. */
static bool option(const struct mdl_hparams *hp, const char *name)
{
    return mdl_hp_has(hp, name) && mdl_hp_bool(hp, name);
}

static double number(const struct mdl_hparams *hp, const char *name)
{
    return mdl_hp_has(hp, name) ? mdl_hp_float(hp, name) : 0.0;
}

/* Model Garden's name for ResNet-D's stem. */
static bool has_v1_stem(const struct mdl_hparams *hp)
{
    return mdl_hp_has(hp, "stem_type") && strcmp(mdl_hp_string(hp, "stem_type"), "v1") == 0;
}

/* ---- depth ---- */

enum { GROUPS = 4, MAX_BLOCKS = 256 };

struct depth {
    int64_t depth, blocks[GROUPS];
    bool basic; /* two 3 x 3 instead of a bottleneck */
};

static const struct depth depths[] = {{10, {1, 1, 1, 1}, true},     {18, {2, 2, 2, 2}, true},
                                      {34, {3, 4, 6, 3}, true},     {50, {3, 4, 6, 3}, false},
                                      {101, {3, 4, 23, 3}, false},  {152, {3, 8, 36, 3}, false},
                                      {200, {3, 24, 36, 3}, false}, {270, {4, 29, 53, 4}, false},
                                      {350, {4, 36, 72, 4}, false}, {420, {4, 44, 87, 4}, false}};
enum { N_DEPTHS = sizeof depths / sizeof *depths };

static const struct depth *find_depth(const struct mdl_hparams *hp)
{
    int64_t depth = mdl_hp_has(hp, "resnet_depth") ? mdl_hp_int(hp, "resnet_depth") : 50;

    for (size_t i = 0; i < N_DEPTHS; i++)
        if (depths[i].depth == depth)
            return &depths[i];
    return NULL;
}

/* ---- layers ---- */

struct net {
    struct mdl_cnn c;
    struct mdl_graph *out;
    const struct flavour *flavour;
    const struct mdl_hparams *hp;
    char block[16];      /* "2a": stage and block */
    int group;           /* of the block, 0 to 3 */
    uint32_t n_drawings; /* of kept examples so far */
};

/* ResNet-RS has swish in place of every ReLU but that of squeeze and excitation. */
static bool has_swish(const struct mdl_hparams *hp)
{
    return mdl_hp_has(hp, "activation") && strcmp(mdl_hp_string(hp, "activation"), "swish") == 0;
}

/* part: "1" the shortcut, "2a", "2b", "2c" the way through. */
static void layer_name(const struct net *n, const char *kind, const char *part, char name[32])
{
    if (!n->flavour->stage_names)
        snprintf(name, 32, "%s", strcmp(kind, "res") == 0 ? "conv2d#" : "batch_normalization#");
    else
        snprintf(name, 32, "%s%s_branch%s", kind, n->block, part);
}

static struct gr_tensor *conv(struct net *n, struct gr_tensor *x, int64_t filters, int64_t size,
                              int64_t stride, const char *part)
{
    char name[32];
    struct mdl_cnn_conv how = {.layer = name, .filters = filters, .size = size, .stride = stride};

    layer_name(n, "res", part, name);
    how.padding = stride > 1 ? n->flavour->padding : NN_SAME;
    return mdl_cnn_conv(&n->c, x, &how);
}

static struct gr_tensor *norm(struct net *n, struct gr_tensor *x, bool relu, const char *part)
{
    char name[32];

    bool swish = relu && has_swish(n->hp);

    layer_name(n, "bn", part, name);
    x = mdl_cnn_norm(&n->c, x, &(struct mdl_cnn_norm){.layer = name, .relu = relu && !swish});
    return swish ? nn_swish(n->c.b->g, x) : x;
}

/* x times a number per channel in (0, 1) that a small network finds from the channels' means. */
static struct gr_tensor *squeeze_excitation(struct net *n, struct gr_tensor *x)
{
    int64_t filters = x->dims[3];
    int64_t reduced = (int64_t) ((double) filters * number(n->hp, "se_ratio"));
    int64_t down[] = {1, 1, filters, reduced < 1 ? 1 : reduced};
    int64_t up[] = {1, 1, down[3], filters};
    struct gr_graph *g = n->c.b->g;
    struct mdl_cnn_init zeros = {GR_INIT_ZEROS, 0.0};
    struct gr_tensor *y = nn_global_mean(g, x); /* (B, C), then (B, reduced), then (B, C) */
    char name[MDL_CNN_NAME_BYTES];

    mdl_cnn_name(&n->c, "conv2d#", name);
    y = nn_linear(g, y, mdl_cnn_variable(&n->c, name, "kernel", 4, down, n->flavour->kernel),
                  mdl_cnn_variable(&n->c, name, "bias", 1, &down[3], zeros), true, 0.0);
    mdl_cnn_name(&n->c, "conv2d#", name);
    y = nn_linear(g, y, mdl_cnn_variable(&n->c, name, "kernel", 4, up, n->flavour->kernel),
                  mdl_cnn_variable(&n->c, name, "bias", 1, &up[3], zeros), false, 0.0);
    return nn_excite(g, x, y);
}

/* ---- blocks ---- */

static struct gr_tensor *shortcut(struct net *n, struct gr_tensor *x, int64_t filters,
                                  int64_t stride, bool basic)
{
    bool pools = stride == 2 || n->flavour->always_pools;

    if (pools && !basic && option(n->hp, "resnetd_shortcut")) {
        x = nn_avg_pool(n->c.b->g, x, 2, stride, NN_SAME);
        stride = 1;
    }
    return norm(n, conv(n, x, filters, 1, stride, "1"), false, "1");
}

/* Share of examples dropped in group 0 to 3: get_drop_connect_rate, get_stochastic_depth_rate. */
static double drop_rate(const struct flavour *f, const struct mdl_hparams *hp, int group,
                        bool basic)
{
    return f->drop && (!basic || f->basic_drops) ? number(hp, f->drop) * (group + 2) / 5.0 : 0.0;
}

/* In training some examples lose what the block adds, and the others have more of it. */
static struct gr_tensor *drop_examples(struct net *n, struct gr_tensor *y, bool basic)
{
    struct gr_graph *g = n->c.b->g;
    double rate = drop_rate(n->flavour, n->hp, n->group, basic);
    struct gr_tensor *by = nn_draw_keep(g, y->dims[0], rate, n->n_drawings++); /* (B) */

    return nn_scale_rows(g, y, by, by);
}

/* The end of a block: normalisation, the shortcut added, ReLU. */
static struct gr_tensor *join(struct net *n, struct gr_tensor *y, struct gr_tensor *residual,
                              bool basic, const char *part)
{
    struct gr_graph *g = n->c.b->g;
    bool excited = !basic && number(n->hp, "se_ratio") > 0.0;
    bool dropped = g->training && drop_rate(n->flavour, n->hp, 0, basic) > 0.0;
    char name[32];
    struct mdl_cnn_norm how = {.layer = name, .zero_gamma = n->flavour->zero_gamma};

    layer_name(n, "bn", part, name);
    if (!excited && !dropped) {
        how.residual = residual;
        how.relu = !has_swish(n->hp);
        y = mdl_cnn_norm(&n->c, y, &how);
        return how.relu ? y : nn_swish(g, y);
    }
    y = mdl_cnn_norm(&n->c, y, &how);
    y = excited ? squeeze_excitation(n, y) : y;
    y = dropped ? drop_examples(n, y, basic) : y;
    y = nn_add(g, y, residual);
    return has_swish(n->hp) ? nn_swish(g, y) : nn_relu(g, y);
}

/* Names of parts as Keras has them; the stride is at the 3x3 (ResNet "v1.5"), or at the first of
 * two. */
static struct gr_tensor *block(struct net *n, struct gr_tensor *x, int64_t filters, int64_t stride,
                               bool first, bool basic)
{
    int64_t out = basic ? filters : 4 * filters;
    struct gr_tensor *residual = first ? shortcut(n, x, out, stride, basic) : x, *y;

    if (basic) {
        y = norm(n, conv(n, x, filters, 3, stride, "2a"), true, "2a");
        return join(n, conv(n, y, filters, 3, 1, "2b"), residual, true, "2b");
    }
    y = norm(n, conv(n, x, filters, 1, 1, "2a"), true, "2a");
    y = norm(n, conv(n, y, filters, 3, stride, "2b"), true, "2b");
    return join(n, conv(n, y, out, 1, 1, "2c"), residual, false, "2c");
}

/* ---- the network ---- */

static struct gr_tensor *stem_conv(struct net *n, struct gr_tensor *x, int64_t filters,
                                   int64_t size, int64_t stride, enum nn_padding padding)
{
    bool stages = n->flavour->stage_names;
    struct mdl_cnn_conv how = {.layer = stages ? "conv1" : "conv2d#",
                               .filters = filters,
                               .size = size,
                               .stride = stride,
                               .padding = padding};
    struct mdl_cnn_norm bn = {.layer = stages ? "bn_conv1" : "batch_normalization#",
                              .relu = !has_swish(n->hp)};

    x = mdl_cnn_norm(&n->c, mdl_cnn_conv(&n->c, x, &how), &bn);
    return bn.relu ? x : nn_swish(n->c.b->g, x);
}

/* after: filters of the convolution in place of the pooling. */
static struct gr_tensor *stem(struct net *n, struct gr_tensor *x, int64_t filters, int64_t after)
{
    enum nn_padding padding = n->flavour->padding;

    if (option(n->hp, "use_resnetd_stem") || has_v1_stem(n->hp)) {
        int64_t half = filters > 1 ? filters / 2 : 1;

        x = stem_conv(n, x, half, 3, 2, padding);
        x = stem_conv(n, x, half, 3, 1, NN_SAME);
        x = stem_conv(n, x, filters, 3, 1, NN_SAME);
    } else {
        x = stem_conv(n, x, filters, 7, 2, n->flavour->stem);
    }
    if (option(n->hp, "skip_stem_max_pool"))
        return x;
    if (option(n->hp, "replace_stem_max_pool"))
        return stem_conv(n, x, after, 3, 2, padding);
    return nn_max_pool(n->c.b->g, x, 3, 2, NN_SAME);
}

static void build(const struct flavour *flavour, struct nn_batch_norm bn, const struct mdl_build *b,
                  const struct mdl_shape *shape, bool want_logits, struct mdl_graph *out)
{
    struct net n = {.c = {.b = b, .scope = "", .norm = bn, .kernel = flavour->kernel},
                    .out = out,
                    .flavour = flavour,
                    .hp = b->hp};
    const struct depth *depth = find_depth(b->hp);
    int64_t first_stride = option(b->hp, "skip_stem_max_pool") ? 2 : 1;
    const int64_t *filters;
    struct gr_tensor *x;
    size_t size;

    filters = mdl_hp_ints(b->hp, "filter_sizes", &size);
    mdl_cnn_inputs(b, shape, out);
    x = stem(&n, out->images, filters[0], filters[flavour->scaled_stem ? 1 : 0]);
    for (int g = 0; g < GROUPS; g++)
        for (int64_t i = 0; i < depth->blocks[g]; i++) {
            snprintf(n.block, sizeof n.block, "%d%c", g + 2, (char) ('a' + i % 26));
            n.group = g;
            mdl_cnn_next_layer(&n.c);
            x = block(&n, x, filters[g + 1],
                      i > 0    ? 1
                      : g == 0 ? first_stride
                               : 2,
                      i == 0, depth->basic);
        }
    gr_layer(b->g, 0);
    if (option(b->hp, "add_head_batch_norm"))
        x = mdl_cnn_norm(&n.c, x, &(struct mdl_cnn_norm){.layer = "batch_normalization#"});
    x = nn_global_mean(b->g, x);
    if (mdl_hp_float(b->hp, "dropout") > 0.0)
        x = nn_dropout(b->g, x, mdl_hp_float(b->hp, "dropout"));
    x = mdl_cnn_dense(&n.c, x, flavour->top, b->problem->targets_vocab, flavour->dense);
    mdl_cnn_uniform_loss(b, x, want_logits, out);
}

/* ---- refusals ---- */

static enum t2_status check_depth(const struct flavour *f, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    struct t2_buf known = {0};

    if (find_depth(hp))
        return T2_OK;
    for (size_t i = 0; i < N_DEPTHS; i++)
        t2_buf_printf(&known, "%s%" PRId64, i ? ", " : "", depths[i].depth);
    t2_fail(err, T2_EUSAGE, "%s: there is no ResNet of %" PRId64 " layers; known: %s", f->model,
            mdl_hp_int(hp, "resnet_depth"), t2_buf_cstr(&known));
    t2_buf_release(&known);
    return T2_EUSAGE;
}

static enum t2_status check(const struct flavour *f, const struct mdl_hparams *hp,
                            const struct mdl_problem *problem, const char *const *own,
                            struct t2_err *err)
{
    T2_TRY(mdl_cnn_check(f->model, hp, problem, own, f->example, err));
    T2_TRY(mdl_cnn_check_list(f->model, hp, "filter_sizes", GROUPS + 1, err));
    T2_TRY(check_depth(f, hp, err));
    if (f->drop && !(number(hp, f->drop) >= 0.0 && number(hp, f->drop) < 1.0))
        return t2_fail(err, T2_EUSAGE, "%s: %s=%g is not between 0 and 1", f->model, f->drop,
                       number(hp, f->drop));
    if (!(number(hp, "se_ratio") >= 0.0 && number(hp, "se_ratio") <= 1.0))
        return t2_fail(err, T2_EUSAGE, "%s: se_ratio=%g is not between 0 and 1", f->model,
                       number(hp, "se_ratio"));
    if (option(hp, "pre_activation"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: pre_activation is not supported; use model resnet, whose residual "
                       "blocks are",
                       f->model);
    return T2_OK;
}

/* ---- the three ---- */

static void build_tpu(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                      struct mdl_graph *out)
{
    struct nn_batch_norm bn = {.momentum = mdl_hp_float(b->hp, "bn_momentum"), .epsilon = 1e-5};

    build(&tpu, bn, b, shape, want_logits, out);
}

static enum t2_status check_tpu(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                struct t2_err *err)
{
    static const char *const own[] = {"resnet_depth",     "filter_sizes",
                                      "bn_momentum",      "se_ratio",
                                      "use_resnetd_stem", "dropblock_groups",
                                      "norm_act_layer",   NULL};

    T2_TRY(check(&tpu, hp, problem, own, err));
    if (mdl_hp_string(hp, "dropblock_groups")[0] != '\0' ||
        strcmp(mdl_hp_string(hp, "norm_act_layer"), "bn_relu") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "tpu_resnet: dropblock_groups and another norm_act_layer than bn_relu are "
                       "not supported");
    return T2_OK;
}

/* Half squares of all but normalisations, the bias of the dense layer too. */
static double l2_tpu(const char *variable, const struct mdl_hparams *hp)
{
    if (strstr(variable, "batch_normalization") || strstr(variable, "evonorm"))
        return 0.0;
    return 0.5 * mdl_hp_float(hp, "weight_decay");
}

static void build_keras(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                        struct mdl_graph *out)
{
    build(&keras, (struct nn_batch_norm){.momentum = 0.9, .epsilon = 1e-5}, b, shape, want_logits,
          out);
}

static enum t2_status check_keras(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  struct t2_err *err)
{
    enum { LETTERS = 26 }; /* blocks of a stage are a, b, c ... in the names of variables */
    static const char *const own[] = {"filter_sizes", NULL};
    const struct depth *depth;

    T2_TRY(check(&keras, hp, problem, own, err));
    depth = find_depth(hp);
    for (int g = 0; g < GROUPS; g++)
        if (depth->blocks[g] > LETTERS)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "keras_resnet50: resnet_depth=%" PRId64
                           " has more blocks in a stage than there are letters for their names; "
                           "use --model=tpu_resnet",
                           depth->depth);
    return T2_OK;
}

/* Squares, not half squares. */
static double l2_keras(const char *variable, const struct mdl_hparams *hp)
{
    return strncmp(variable, "bn", 2) == 0 ? 0.0 : mdl_hp_float(hp, "weight_decay");
}

static void build_garden(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                         struct mdl_graph *out)
{
    struct nn_batch_norm bn = {.momentum = mdl_hp_float(b->hp, "norm_momentum"),
                               .epsilon = mdl_hp_float(b->hp, "norm_epsilon")};

    build(&garden, bn, b, shape, want_logits, out);
}

static enum t2_status check_garden(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                   struct t2_err *err)
{
    static const char *const own[] = {"resnet_depth",
                                      "filter_sizes",
                                      "norm_momentum",
                                      "norm_epsilon",
                                      "se_ratio",
                                      "stem_type",
                                      NULL};

    T2_TRY(check(&garden, hp, problem, own, err));
    if (mdl_hp_has(hp, "activation") && !has_swish(hp) &&
        strcmp(mdl_hp_string(hp, "activation"), "relu") != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "mg_resnet: activation=%s is neither relu nor swish",
                       mdl_hp_string(hp, "activation"));
    if (strcmp(mdl_hp_string(hp, "stem_type"), "v0") != 0 && !has_v1_stem(hp))
        return t2_fail(err, T2_EUSAGE, "mg_resnet: stem_type=%s is neither v0 nor v1",
                       mdl_hp_string(hp, "stem_type"));
    return T2_OK;
}

const struct mdl_kind mdl_tpu_resnet = {.name = "tpu_resnet",
                                        .own_set = "tpu_resnet_50",
                                        .check = check_tpu,
                                        .build = build_tpu,
                                        .l2 = l2_tpu,
                                        .smooths_evaluation = mdl_cnn_smooths_unmixed,
                                        .plain_loss = mdl_cnn_plain_loss};
const struct mdl_kind mdl_keras_resnet50 = {.name = "keras_resnet50",
                                            .own_set = "keras_resnet50",
                                            .check = check_keras,
                                            .build = build_keras,
                                            .l2 = l2_keras,
                                            .l2_in_training_only = true,
                                            .smooths_evaluation = mdl_cnn_smooths_unmixed,
                                            .plain_loss = mdl_cnn_plain_loss};
const struct mdl_kind mdl_mg_resnet = {.name = "mg_resnet",
                                       .own_set = "mg_resnet_imagenet",
                                       .check = check_garden,
                                       .build = build_garden,
                                       .l2 = mdl_cnn_kernel_l2,
                                       .smooths_evaluation = mdl_cnn_smooths_unmixed,
                                       .plain_loss = mdl_cnn_plain_loss};
