/*
 * train/models/xception.c - Tensor2Tensor's Xception (Chollet 2017): separable convolutions with
 * layer normalisation.
 *
 * models/xception.py, conv_block of layers/common_layers.py; spec t2t-trainer.md §5.4.
 *   unit:    norm([separable] conv([relu] x)), norm over the channels
 *   entry    (images above 200 pixels) two units, three blocks max_pool(unit(unit(x))) + strided
 *            unit(x)
 *   middle   num_hidden_layers times x = dropout(norm(x + unit(unit(unit(x)))))
 *   exit     one block as in the entry with more channels, two units, relu; mean and class logits
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/models/cnn_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/layer_norm.h"
#include "train/ops/pooling.h"
#include "train/ops/residual.h"

enum { NAME_BYTES = 160 };

static struct gr_tensor *norm(struct mdl_cnn *c, struct gr_tensor *x, const char *name)
{
    int64_t n = x->dims[x->rank - 1];
    struct mdl_cnn_init ones = {GR_INIT_ONES, 0.0}, zeros = {GR_INIT_ZEROS, 0.0};
    struct gr_tensor *scale = mdl_cnn_variable(c, name, "layer_norm_scale", 1, &n, ones);
    struct gr_tensor *bias = mdl_cnn_variable(c, name, "layer_norm_bias", 1, &n, zeros);

    return nn_layer_norm(c->b->g, x, scale, bias, 1e-6);
}

struct unit {
    const char *scope; /* under the network's */
    int number;        /* in its block */
    int64_t filters, size, stride;
    bool separable, relu; /* ReLU in front */
};

static struct gr_tensor *kernel(struct mdl_cnn *c, const char *scope, int number, const char *part,
                                int64_t size, int64_t in, int64_t out)
{
    int64_t dims[] = {size, size, in, out};
    char name[MDL_CNN_NAME_BYTES], layer[NAME_BYTES];

    snprintf(layer, sizeof layer, "%s/conv_block_%d_single", scope, number);
    mdl_cnn_name(c, layer, name);
    return mdl_cnn_variable(c, name, part, 4, dims, (struct mdl_cnn_init){GR_INIT_DEFAULT, 0.0});
}

/* [ReLU,] convolution, layer normalisation. */
static struct gr_tensor *unit(struct mdl_cnn *c, struct gr_tensor *x, const struct unit *u)
{
    struct gr_graph *g = c->b->g;
    struct nn_conv2d plain = {.stride = u->stride, .dilation = 1, .padding = NN_SAME};
    struct nn_conv2d pointwise = {.stride = 1, .dilation = 1, .padding = NN_SAME};
    char name[MDL_CNN_NAME_BYTES], layer[NAME_BYTES];
    int64_t in = x->dims[3];

    if (u->relu)
        x = nn_relu(g, x);
    if (u->separable) {
        plain.depthwise = true;
        x = nn_conv2d(g, x, kernel(c, u->scope, u->number, "depthwise_kernel", u->size, in, 1),
                      NULL, &plain);
        x = nn_conv2d(g, x, kernel(c, u->scope, u->number, "pointwise_kernel", 1, in, u->filters),
                      NULL, &pointwise);
    } else {
        x = nn_conv2d(g, x, kernel(c, u->scope, u->number, "kernel", u->size, in, u->filters), NULL,
                      &plain);
    }
    snprintf(layer, sizeof layer, "%s/conv_block_norm_%d", u->scope, u->number);
    mdl_cnn_name(c, layer, name);
    return norm(c, x, name);
}

/* ---- entry, for large images ---- */

static struct gr_tensor *entry_block(struct mdl_cnn *c, struct gr_tensor *x, int number,
                                     int64_t filters)
{
    char separable[NAME_BYTES], shortcut[NAME_BYTES];
    struct unit u = {.scope = separable,
                     .filters = filters,
                     .size = 3,
                     .stride = 1,
                     .separable = true,
                     .relu = true};
    struct unit s = {
        .scope = shortcut, .filters = filters, .size = 1, .stride = 2, .relu = number == 0};
    struct gr_tensor *y;

    snprintf(separable, sizeof separable, "xception_entry/block%d/sep_conv_block", number);
    snprintf(shortcut, sizeof shortcut, "xception_entry/block%d/res_conv0", number);
    mdl_cnn_next_layer(c);
    y = unit(c, x, &u);
    u.number = 1;
    y = nn_max_pool(c->b->g, unit(c, y, &u), 3, 2, NN_SAME);
    return nn_add(c->b->g, y, unit(c, x, &s));
}

static struct gr_tensor *entry(struct mdl_cnn *c, struct gr_tensor *x, int64_t hidden)
{
    struct unit first = {.scope = "xception_entry/conv0", .filters = 32, .size = 3, .stride = 2};
    struct unit second = {
        .scope = "xception_entry/conv1", .filters = 64, .size = 3, .stride = 1, .relu = true};

    x = unit(c, unit(c, x, &first), &second);
    x = entry_block(c, x, 0, hidden < 128 ? hidden : 128);
    x = entry_block(c, x, 1, hidden < 256 ? hidden : 256);
    return entry_block(c, x, 2, hidden);
}

/* ---- middle and exit ---- */

static struct gr_tensor *middle(struct mdl_cnn *c, struct gr_tensor *x, int64_t layer)
{
    const struct mdl_hparams *hp = c->b->hp;
    double dropout = mdl_hp_float(hp, "dropout");
    char scope[NAME_BYTES], name[MDL_CNN_NAME_BYTES], lnorm[NAME_BYTES];
    struct unit u = {.scope = scope,
                     .filters = mdl_hp_int(hp, "hidden_size"),
                     .size = mdl_hp_int(hp, "kernel_height"),
                     .stride = 1,
                     .separable = true,
                     .relu = true};
    struct gr_tensor *y = x;

    snprintf(scope, sizeof scope, "layer_%" PRId64 "/residual_block", layer);
    snprintf(lnorm, sizeof lnorm, "layer_%" PRId64 "/lnorm", layer);
    mdl_cnn_next_layer(c);
    for (; u.number < 3; u.number++)
        y = unit(c, y, &u);
    mdl_cnn_name(c, lnorm, name);
    x = norm(c, nn_add(c->b->g, x, y), name);
    return dropout > 0.0 ? nn_dropout(c->b->g, x, dropout) : x;
}

static struct gr_tensor *leave(struct mdl_cnn *c, struct gr_tensor *x)
{
    static const char *const scopes[] = {"xception_exit/conv_block_downsample/conv0",
                                         "xception_exit/conv_block_downsample/conv1",
                                         "xception_exit/conv_block_downsample/conv2",
                                         "xception_exit/conv_block_downsample/conv3"};
    int64_t d = x->dims[3], filters[] = {d, 5 * d / 4, 2 * d, 5 * d / 2};
    struct unit s = {.scope = "xception_exit/conv_block_downsample/res_conv",
                     .filters = filters[1],
                     .size = 3,
                     .stride = 2,
                     .relu = true};
    struct gr_tensor *shortcut; /* (B, H/2, W/2, 5 d/4) */

    mdl_cnn_next_layer(c);
    shortcut = unit(c, x, &s);
    for (int i = 0; i < 4; i++) {
        struct unit u = {.scope = scopes[i],
                         .filters = filters[i],
                         .size = 3,
                         .stride = 1,
                         .separable = true,
                         .relu = i != 2};

        x = unit(c, x, &u);
        if (i == 1)
            x = nn_add(c->b->g, nn_max_pool(c->b->g, x, 3, 2, NN_SAME), shortcut);
    }
    return nn_relu(c->b->g, x);
}

static void build(const struct mdl_build *b, const struct mdl_shape *shape, bool want_logits,
                  struct mdl_graph *out)
{
    struct mdl_cnn c = {.b = b, .scope = "xception/body/xception/"};
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size");
    struct unit small = {.scope = "small_image_conv", .filters = hidden, .size = 3, .stride = 1};
    struct gr_tensor *x;

    mdl_cnn_inputs(b, shape, out);
    x = shape->height > 200 ? entry(&c, out->images, hidden) : unit(&c, out->images, &small);
    for (int64_t i = 0; i < mdl_hp_int(b->hp, "num_hidden_layers"); i++)
        x = middle(&c, x, i);
    x = leave(&c, x);
    mdl_cnn_class_top(b, x, want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    static const char *const none[] = {NULL};

    T2_TRY(mdl_cnn_check("xception", hp, problem, none, "xception_base", err));
    if (mdl_hp_int(hp, "hidden_size") < 1 || mdl_hp_int(hp, "num_hidden_layers") < 0)
        return t2_fail(err, T2_EUSAGE,
                       "xception: hidden_size must be positive and num_hidden_layers not negative");
    if (mdl_hp_int(hp, "kernel_height") != mdl_hp_int(hp, "kernel_width") ||
        mdl_hp_int(hp, "kernel_height") < 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "xception: kernels must be square, not %" PRId64 " x %" PRId64,
                       mdl_hp_int(hp, "kernel_height"), mdl_hp_int(hp, "kernel_width"));
    if (problem->image.height != problem->image.width)
        return t2_fail(err, T2_EUNSUPPORTED, "xception needs square images, not %d x %d",
                       problem->image.height, problem->image.width);
    return T2_OK;
}

const struct mdl_kind mdl_xception = {.name = "xception",
                                      .own_set = "xception_base",
                                      .check = check,
                                      .build = build};
