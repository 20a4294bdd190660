/*
 * train/models/resnet.c - Tensor2Tensor's ResNet, for ImageNet and for CIFAR.
 *
 * models/resnet.py; spec t2t-trainer.md §5.1.  Variables have the original's names.
 *   x = relu(BN(conv 7x7 f0)), stride 2, then max pool 3x3 stride 2 (CIFAR: stride 1, no pool)
 *   residual block (pre-activation, He et al. 2016):
 *     a = relu(BN(x));  y = conv3x3(relu(BN(conv3x3 a)));  x = y + (first of its group: BN(conv1x1
 *                       a), else x)
 *   bottleneck block (post-activation):
 *     y = BN(conv1x1 4f(relu(BN(conv3x3 f(relu(BN(conv1x1 f x)))))))
 *     x = relu(y + (first of its group: BN(conv1x1 x), else x))
 *   4 groups (CIFAR: 3), the first block of each but the first with stride 2; mean over pixels;
 *     dense
 */
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/pooling.h"

static const char model[] = "resnet";

static bool is_residual(const struct mdl_hparams *hp)
{
    return strcmp(mdl_hp_string(hp, "block_fn"), "residual") == 0;
}

/* The kind of targeted dropout, "weight" or "unit", or NULL; sets that have one keep their kernels
 * under other names. */
static const char *targeting(const struct mdl_hparams *hp)
{
    const char *how =
        mdl_hp_type_of(hp, "use_td") == MDL_HP_STRING ? mdl_hp_string(hp, "use_td") : "";

    return how[0] ? how : NULL;
}

/* conv2d_fixed_padding; the first convolution of the network has no targeted dropout. */
static struct gr_tensor *conv(struct mdl_cnn *c, struct gr_tensor *x, int64_t filters, int64_t size,
                              int64_t stride, bool stem)
{
    const struct mdl_hparams *hp = c->b->hp;
    bool targeted = !stem && targeting(hp);
    struct nn_targeted dropout = {0};
    struct mdl_cnn_conv how = {.layer = targeted ? "td_conv#" : "conv2d#",
                               .kernel = targeted ? "DW" : NULL,
                               .filters = filters,
                               .size = size,
                               .stride = stride,
                               .padding = NN_SYMMETRIC};

    if (targeted && mdl_hp_float(hp, "keep_prob") < 1.0) {
        dropout.units = strcmp(targeting(hp), "unit") == 0;
        dropout.rate = mdl_hp_float(hp, "targeting_rate");
        dropout.keep_prob = mdl_hp_float(hp, "keep_prob");
        how.targeted = &dropout;
    }
    return mdl_cnn_conv(c, x, &how);
}

static struct gr_tensor *norm(struct mdl_cnn *c, struct gr_tensor *x, bool relu)
{
    return mdl_cnn_norm(c, x,
                        &(struct mdl_cnn_norm){.layer = "batch_normalization#", .relu = relu});
}

/* ---- blocks ---- */

struct block {
    int64_t filters, ratio, stride;
    bool first, last; /* of its group */
};

/* The projection reads what the first normalisation made, a in the formula above. */
static struct gr_tensor *residual_block(struct mdl_cnn *c, struct gr_tensor *x,
                                        const struct block *k)
{
    struct gr_tensor *shortcut = x, *y = norm(c, x, true); /* (B, H, W, C) */

    if (k->first)
        shortcut = norm(c, conv(c, y, k->filters, 1, k->stride, false), false);
    y = norm(c, conv(c, y, k->filters, 3, k->stride, false), true);
    return nn_add(c->b->g, conv(c, y, k->filters, 3, 1, false), shortcut);
}

static struct gr_tensor *bottleneck_block(struct mdl_cnn *c, struct gr_tensor *x,
                                          const struct block *k)
{
    int64_t filters = k->ratio * k->filters;
    struct mdl_cnn_norm end = {.layer = "batch_normalization#",
                               .residual = x,
                               .relu = true,
                               .zero_gamma = k->last && !k->first};
    struct gr_tensor *y;

    if (k->first)
        end.residual = norm(c, conv(c, x, filters, 1, k->stride, false), false);
    y = norm(c, conv(c, x, k->filters, 1, 1, false), true);
    y = norm(c, conv(c, y, k->filters, 3, k->stride, false), true);
    return mdl_cnn_norm(c, conv(c, y, filters, 1, 1, false), &end);
}

static struct gr_tensor *groups(struct mdl_cnn *c, struct gr_tensor *x, int n_groups)
{
    const struct mdl_hparams *hp = c->b->hp;
    size_t n;
    const int64_t *blocks = mdl_hp_ints(hp, "layer_sizes", &n);
    const int64_t *filters = mdl_hp_ints(hp, "filter_sizes", &n);
    const int64_t *ratios = mdl_hp_ints(hp, "bottleneck_ratios", &n);

    for (int g = 0; g < n_groups; g++)
        for (int64_t i = 0; i < blocks[g]; i++) {
            struct block k = {.filters = filters[g + 1],
                              .ratio = ratios[g],
                              .stride = g > 0 && i == 0 ? 2 : 1,
                              .first = i == 0,
                              .last = i + 1 == blocks[g]};

            mdl_cnn_next_layer(c);
            x = is_residual(hp) ? residual_block(c, x, &k) : bottleneck_block(c, x, &k);
        }
    return x;
}

/* ---- the network ---- */

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b,
                        .scope = "resnet/body/",
                        .norm = {.momentum = 0.9, .epsilon = 1e-5},
                        .kernel = {GR_INIT_FAN_IN, 1.0}};
    bool cifar = mdl_hp_bool(b->hp, "is_cifar");
    int64_t divisor = mdl_hp_int(b->hp, "vocab_divisor"), classes = b->problem->targets_vocab;
    struct gr_tensor *x;
    size_t n;

    mdl_cnn_inputs(b, shape, out);
    x = conv(&c, out->images, mdl_hp_ints(b->hp, "filter_sizes", &n)[0], 7, cifar ? 1 : 2, true);
    x = norm(&c, x, true);
    if (!cifar)
        x = nn_max_pool(b->g, x, 3, 2, NN_SAME);
    x = groups(&c, x, cifar ? 3 : 4);
    if (!cifar) {
        mdl_cnn_class_top(b, x, want_logits, out);
        return;
    }
    gr_layer(b->g, 0);
    x = mdl_cnn_dense(&c, nn_global_mean(b->g, x), "logits",
                      (classes + divisor - 1) / divisor * divisor,
                      (struct mdl_cnn_init){GR_INIT_DEFAULT, 0.0});
    mdl_cnn_loss(b, x, 0.0, want_logits, out);
}

/* For CIFAR the body has its own loss, without label smoothing and loss_multiplier. */
static bool plain_loss(const struct mdl_hparams *hp)
{
    return mdl_hp_bool(hp, "is_cifar");
}

/* use_td is false, "" (both: none), "weight" or "unit". */
static enum t2_status check_targeting(const struct mdl_hparams *hp, struct t2_err *err)
{
    const char *how = targeting(hp);
    double rate, keep;

    if (mdl_hp_type_of(hp, "use_td") == MDL_HP_BOOL && mdl_hp_bool(hp, "use_td"))
        return t2_fail(err, T2_EUSAGE,
                       "resnet: use_td=true does not say what is dropped; take a set with 'td' in "
                       "its name");
    if (!how)
        return T2_OK;
    if (strcmp(how, "weight") != 0 && strcmp(how, "unit") != 0)
        return t2_fail(err, T2_EUSAGE, "resnet: use_td=%s is neither weight nor unit", how);
    rate = mdl_hp_float(hp, "targeting_rate");
    keep = mdl_hp_float(hp, "keep_prob");
    if (!(rate >= 0.0 && rate < 1.0))
        return t2_fail(err, T2_EUSAGE, "resnet: targeting_rate=%g is not in [0, 1)", rate);
    if (!(keep > 0.0 && keep <= 1.0))
        return t2_fail(err, T2_EUSAGE, "resnet: keep_prob=%g is not in (0, 1]", keep);
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"layer_sizes", "bottleneck_ratios", "filter_sizes",
                                      "block_fn",    "is_cifar",          "use_td",
                                      NULL};
    size_t n_groups;

    T2_TRY(mdl_cnn_check(model, hp, problem, own, "resnet_50", err));
    n_groups = mdl_hp_bool(hp, "is_cifar") ? 3 : 4;
    T2_TRY(mdl_cnn_check_list(model, hp, "layer_sizes", n_groups, err));
    T2_TRY(mdl_cnn_check_list(model, hp, "bottleneck_ratios", n_groups, err));
    T2_TRY(mdl_cnn_check_list(model, hp, "filter_sizes", n_groups + 1, err));
    if (!is_residual(hp) && strcmp(mdl_hp_string(hp, "block_fn"), "bottleneck") != 0)
        return t2_fail(err, T2_EUSAGE, "resnet: block_fn=%s is neither residual nor bottleneck",
                       mdl_hp_string(hp, "block_fn"));
    if (mdl_hp_int(hp, "vocab_divisor") < 1)
        return t2_fail(err, T2_EUSAGE, "resnet: vocab_divisor must be 1 or more");
    return check_targeting(hp, err);
}

const struct mdl_kind mdl_resnet = {.name = model,
                                    .own_set = "resnet_50",
                                    .check = check,
                                    .build = build,
                                    .plain_loss = plain_loss};
