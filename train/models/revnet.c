/*
 * train/models/revnet.c - Tensor2Tensor's RevNet (Gomez et al. 2017): reversible bottlenecks.
 *
 * models/revnet.py of release 1.15.7.  Of halves x1, x2 of the channels:
 *   init          relu(BN(conv k x k x)), then max pool 3x3
 *   f(x)          conv1x1 4d(relu(BN(conv3x3 d(relu(BN(conv1x1 d(relu(BN x))))))))
 *   downsampling  y1 = conv1x1(x1) + f(x2),  y2 = conv1x1(x2) + f(y1)
 *                 the stride is in the two conv1x1 and in the first f, which may leave out relu(BN)
 *   layer         y1 = x1 + f(x2),  y2 = x2 + g(y1), g as f
 *   unit          downsampling and num_layers_per_block layers
 * then relu(BN) of both halves, the mean over pixels, a dense layer.  Activations are kept;
 * --remat=layer computes them again, from what goes into a layer in place of what comes out.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/cnn_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/pooling.h"
#include "train/ops/slices.h"

enum { SCOPE_BYTES = 128, RATIO = 4 }; /* channels of a bottleneck's end, in those of its middle */

/* ---- halves ---- */

/* x (B,H,W,C) -> (B,H,W,C/2): half 0 or 1 of the channels */
static struct gr_tensor *half_of(struct gr_graph *g, struct gr_tensor *x, int64_t half)
{
    const int64_t *d = x->dims;
    int64_t pixels[] = {d[0] * d[1] * d[2], 2, d[3] / 2}, dims[] = {d[0], d[1], d[2], d[3] / 2};

    x = nn_slice_positions(g, nn_reshape(g, x, 3, pixels), half, 1, 1);
    return nn_reshape(g, x, 4, dims);
}

struct halves {
    struct gr_tensor *x1, *x2; /* (B,H,W,C) each */
};

/* ---- layers ---- */

/* The same network below `scope`, whose layers are counted from 0. */
static struct mdl_cnn below(const struct mdl_cnn *c, const char *scope)
{
    return (struct mdl_cnn){.b = c->b, .scope = scope, .norm = c->norm};
}

/* variance_scaling(scale=2, mode='fan_out'), which redraws what is beyond two deviations. */
static struct gr_tensor *conv(struct mdl_cnn *c, struct gr_tensor *x, int64_t filters, int64_t size,
                              int64_t stride)
{
    const double kept_deviation = 0.87962566103423978;
    double fan_out = (double) (size * size * filters);
    struct mdl_cnn_conv how = {.layer = "conv2d#",
                               .filters = filters,
                               .size = size,
                               .stride = stride,
                               .padding = NN_SAME,
                               .bias = true};

    c->kernel =
        (struct mdl_cnn_init){GR_INIT_TRUNCATED_NORMAL, sqrt(2.0 / fan_out) / kept_deviation};
    return mdl_cnn_conv(c, x, &how);
}

static struct gr_tensor *norm_relu(struct mdl_cnn *c, struct gr_tensor *x)
{
    return mdl_cnn_norm(c, x,
                        &(struct mdl_cnn_norm){.layer = "batch_normalization#", .relu = true});
}

struct residual {
    int64_t depth, stride;
    bool plain; /* without the first relu(BN) */
};

/* f in `scope`: (B,H,W,C) -> (B, H/stride, W/stride, 4 depth) */
static struct gr_tensor *residual(const struct mdl_cnn *c, struct gr_tensor *x, const char *scope,
                                  const struct residual *r)
{
    char name[SCOPE_BYTES];
    struct mdl_cnn f = below(c, name);

    snprintf(name, sizeof name, "%s/f/", scope);
    if (!r->plain)
        x = norm_relu(&f, x);
    x = norm_relu(&f, conv(&f, x, r->depth, 1, r->stride));
    x = norm_relu(&f, conv(&f, x, r->depth, 3, 1));
    return conv(&f, x, RATIO * r->depth, 1, 1);
}

static struct gr_tensor *shortcut(const struct mdl_cnn *c, struct gr_tensor *x, const char *scope,
                                  const struct residual *r)
{
    char name[SCOPE_BYTES];
    struct mdl_cnn h = below(c, name);

    snprintf(name, sizeof name, "%s/h/", scope);
    return conv(&h, x, RATIO * r->depth, 1, r->stride);
}

/* ---- units ---- */

static struct halves downsample(struct mdl_cnn *c, struct halves x, int unit,
                                const struct residual *first)
{
    const struct residual second = {.depth = first->depth, .stride = 1};
    char scope[SCOPE_BYTES / 2];
    struct gr_graph *g = c->b->g;
    struct halves y;

    mdl_cnn_next_layer(c);
    snprintf(scope, sizeof scope, "revnet/body/RevNet/unit_%d/downsampling/x1", unit);
    y.x1 = nn_add(g, shortcut(c, x.x1, scope, first), residual(c, x.x2, scope, first));
    snprintf(scope, sizeof scope, "revnet/body/RevNet/unit_%d/downsampling/x2", unit);
    y.x2 = nn_add(g, shortcut(c, x.x2, scope, first), residual(c, y.x1, scope, &second));
    return y;
}

static struct halves reversible(struct mdl_cnn *c, struct halves x, int unit, int64_t layer,
                                int64_t depth)
{
    const struct residual same = {.depth = depth, .stride = 1};
    char scope[SCOPE_BYTES - 8];
    struct gr_graph *g = c->b->g;

    mdl_cnn_next_layer(c);
    for (int i = 0; i < 2; i++) {
        struct gr_tensor **to = i == 0 ? &x.x1 : &x.x2, *from = i == 0 ? x.x2 : x.x1;

        snprintf(scope, sizeof scope,
                 "revnet/body/RevNet/unit_%d/full_block/revblock/revlayer_%" PRId64 "/%c", unit,
                 layer, "fg"[i]);
        *to = nn_add(g, *to, residual(c, from, scope, &same));
    }
    return x;
}

static struct halves begin_of(struct mdl_cnn *c, struct gr_tensor *images)
{
    const struct mdl_hparams *hp = c->b->hp;
    struct mdl_cnn init = below(c, "revnet/body/RevNet/init/");
    int64_t stride = mdl_hp_int(hp, "init_stride");
    struct gr_tensor *x = conv(&init, images, mdl_hp_int(hp, "num_channels_init_block"),
                               mdl_hp_int(hp, "init_kernel_size"), stride);

    x = norm_relu(&init, x);
    if (mdl_hp_bool(hp, "init_maxpool"))
        x = nn_max_pool(c->b->g, x, 3, stride, NN_VALID);
    return (struct halves){half_of(c->b->g, x, 0), half_of(c->b->g, x, 1)};
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b, .norm = {.momentum = 0.99, .epsilon = 1e-3}};
    struct mdl_cnn end = below(&c, "revnet/body/RevNet/final_block/");
    size_t n_units, n;
    const int64_t *layers = mdl_hp_ints(b->hp, "num_layers_per_block", &n_units);
    const int64_t *depths = mdl_hp_ints(b->hp, "num_channels", &n);
    const int64_t *strides = mdl_hp_ints(b->hp, "strides", &n);
    const int64_t *norms = mdl_hp_ints(b->hp, "first_batch_norm", &n);
    struct gr_tensor *both[2];
    struct halves x;

    mdl_cnn_inputs(b, shape, out);
    x = begin_of(&c, out->images);
    for (size_t i = 0; i < n_units; i++) {
        struct residual first = {depths[i], strides[i], norms[i] == 0};

        x = downsample(&c, x, (int) i, &first);
        for (int64_t layer = 0; layer < layers[i]; layer++)
            x = reversible(&c, x, (int) i, layer, depths[i]);
    }
    gr_layer(b->g, 0);
    both[0] = x.x1;
    both[1] = x.x2;
    mdl_cnn_class_top(b, norm_relu(&end, nn_concat_channels(b->g, both, 2)), want_logits, out);
}

/* ---- what it may be ---- */

static enum t2_status check_sizes(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  struct t2_err *err)
{
    int64_t least =
        problem->image.height < problem->image.width ? problem->image.height : problem->image.width;
    int64_t stride = mdl_hp_int(hp, "init_stride");

    if (stride < 1)
        return t2_fail(err, T2_EUSAGE, "revnet: init_stride must be positive");
    if (mdl_hp_int(hp, "num_channels_init_block") % 2 != 0)
        return t2_fail(err, T2_EUSAGE,
                       "revnet: num_channels_init_block must be even, as its halves go two ways");
    if (mdl_hp_bool(hp, "init_maxpool") && (least - 1) / stride + 1 < 3)
        return t2_fail(err, T2_EUSAGE,
                       "revnet: images of %d x %d pixels are too small for the first pool; with "
                       "init_maxpool=false there is none",
                       problem->image.height, problem->image.width);
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const own[] = {"num_channels",
                                      "num_layers_per_block",
                                      "strides",
                                      "first_batch_norm",
                                      "bottleneck",
                                      "init_maxpool",
                                      "init_stride",
                                      "init_kernel_size",
                                      "num_channels_init_block",
                                      "dim",
                                      NULL};
    size_t n_units, n_norms;

    T2_TRY(mdl_cnn_check("revnet", hp, problem, own, "revnet_104", err));
    (void) mdl_hp_ints(hp, "num_layers_per_block", &n_units);
    (void) mdl_hp_ints(hp, "first_batch_norm", &n_norms);
    T2_TRY(mdl_cnn_check_list("revnet", hp, "num_layers_per_block", 1, err));
    T2_TRY(mdl_cnn_check_list("revnet", hp, "num_channels", n_units, err));
    T2_TRY(mdl_cnn_check_list("revnet", hp, "strides", n_units, err));
    if (n_norms < n_units)
        return t2_fail(err, T2_EUSAGE,
                       "revnet: hparam 'first_batch_norm' needs %zu entries, not %zu", n_units,
                       n_norms);
    if (strcmp(mdl_hp_string(hp, "dim"), "2d") != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "revnet: dim=%s is not supported, only 2d",
                       mdl_hp_string(hp, "dim"));
    if (!mdl_hp_bool(hp, "bottleneck"))
        return t2_fail(
            err, T2_EUNSUPPORTED,
            "revnet: bottleneck=false is not supported: the original's does not read its "
            "first convolutions; take revnet_164_cifar or revnet_104");
    return check_sizes(hp, problem, err);
}

const struct mdl_kind mdl_revnet = {.name = "revnet",
                                    .own_set = "revnet_104",
                                    .check = check,
                                    .build = build};
