/*
 * train/models/evolved_layers.c - the layers of the Evolved Transformer (So et al. 2019).
 *
 * models/evolved_transformer.py of release 1.15.7.  With pre and post for what stands before and
 * after a sub-layer, D hidden_size, and every dropout that of layer_prepostprocess_dropout, a layer
 * of the encoder is x = post(x, (y W) * sigmoid(y U)), y = pre(x) x = post(x, pad(separable
 * 9(pre(drop(relu(y W)) + pad(drop(relu(conv 3(y))))))), y = pre(x) x = post(x, self-attention(y)),
 * y = pre(x) x = post(x, drop(relu(y W)) U),                                                  y =
 * pre(x) with 4 D, D / 2, D / 2 and 4 D channels inside, and one of the decoder x = x +
 * drop(self-attention of up to twice the heads(y)) + drop(attention to the encoder(y)) x = post(x,
 * separable 7(pre(drop(relu(separable 11(y))) + pad(drop(separable 7(y)))))) x = post(x,
 * self-attention(y)) x = post(x, attention to the encoder(y)) x = post(x, pre(drop(swish(y W))) U)
 * with y = pre(x), 2 D, D / 2 and 4 D channels; its convolutions see no later position.  Padding is
 * 0 to convolutions: of the encoder, and of packed targets.
 */
#include <stdio.h>

#include "train/models/evolved_layers.h"
#include "train/ops/conv.h"
#include "train/ops/elementwise.h"
#include "train/ops/excite.h"
#include "train/ops/fill.h"
#include "train/ops/image_layout.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"
#include "train/ops/slices.h"

const char mdl_et_name[] = "evolved_transformer";

/* ---- pieces ---- */

static double dropout_of(const struct mdl_build *b)
{
    return mdl_hp_float(b->hp, "layer_prepostprocess_dropout");
}

/* x W + bias, n columns, of the layer "<sublayer>/<name>" */
static struct gr_tensor *dense(const struct mdl_build *b, struct gr_tensor *x, const char *sublayer,
                               const char *name, int64_t n, bool relu)
{
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/%s", sublayer, name);
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", x->dims[2], n),
                     mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS), relu,
                     relu ? dropout_of(b) : 0.0);
}

/* x (B,L,C) and zeros behind its channels, (B,L,n) */
static struct gr_tensor *widen(const struct mdl_build *b, struct gr_tensor *x, int64_t n)
{
    const int64_t *d = x->dims;
    int64_t image[] = {d[0], d[1], 1, d[2]}, rest[] = {d[0], d[1], 1, n - d[2]};
    int64_t dims[] = {d[0], d[1], n};
    struct gr_tensor *both[] = {nn_reshape(b->g, x, 4, image), nn_zeros(b->g, 4, rest)};

    return nn_reshape(b->g, nn_concat_channels(b->g, both, 2), 3, dims);
}

/* Every value is an image of one pixel: x * sigmoid(gate), both (B,L,C). */
static struct gr_tensor *gated(const struct mdl_build *b, struct gr_tensor *x,
                               struct gr_tensor *gate)
{
    int64_t C = x->dims[2], pixels[] = {x->n / C, 1, 1, C}, rows[] = {x->n / C, C};
    struct gr_tensor *y =
        nn_excite(b->g, nn_reshape(b->g, x, 4, pixels), nn_reshape(b->g, gate, 2, rows));

    return nn_reshape(b->g, y, 3, x->dims);
}

/* A separable convolution of `taps`, "<sublayer>/<name>", to n channels.  ahead: how many of the
 * taps lie behind the position. */
static struct gr_tensor *separable(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *sublayer, const char *name, int64_t taps,
                                   int64_t ahead, int64_t n)
{
    int64_t C = x->dims[2], L = x->dims[1], zeros[] = {x->dims[0], ahead, C};
    int64_t depthwise[] = {taps, C, 1}, pointwise[] = {1, C, n};
    struct gr_tensor *w, *both[] = {x, NULL};
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/%s", sublayer, name);
    w = mdl_tf_variable(b, scope, "depthwise_kernel", 3, depthwise, GR_INIT_DEFAULT, 0.0);
    if (ahead > 0) { /* with zeros behind the rows, position l + ahead has what l should */
        both[1] = nn_zeros(b->g, 3, zeros);
        x = nn_join_positions(b->g, both, 2, x->dims[0]);
    }
    x = nn_depthwise(b->g, x, w);
    if (ahead > 0)
        x = nn_slice_positions(b->g, x, ahead, L, 1);
    w = mdl_tf_variable(b, scope, "pointwise_kernel", 3, pointwise, GR_INIT_DEFAULT, 0.0);
    return nn_linear(b->g, x, w, mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS), false, 0.0);
}

/* Convolution of the position, the one before and the one behind, with ReLU and dropout: its three
 * taps side by side, (B,L,3C), times a kernel (3,C,n). */
static struct gr_tensor *conv_3(const struct mdl_build *b, struct gr_tensor *x,
                                const char *sublayer, int64_t n)
{
    const int64_t *d = x->dims;
    int64_t row[] = {d[0], 1, d[1], d[2]}, dims[] = {d[0], d[1], 3 * d[2]}, kernel[] = {3, d[2], n};
    struct gr_tensor *image = nn_reshape(b->g, x, 4, row), *taps[3], *w;
    char scope[MDL_TF_FULL_NAME_BYTES];

    for (int64_t i = 0; i < 3; i++)
        taps[i] = i == 1 ? image : nn_shift_pixels(b->g, image, 0, i - 1);
    snprintf(scope, sizeof scope, "%s/standard_conv_3x1", sublayer);
    w = mdl_tf_variable(b, scope, "kernel", 3, kernel, GR_INIT_DEFAULT, 0.0);
    return nn_linear(b->g, nn_reshape(b->g, nn_concat_channels(b->g, taps, 3), 3, dims), w,
                     mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS), true, dropout_of(b));
}

static struct gr_tensor *mask(const struct mdl_build *b, struct gr_tensor *x,
                              struct gr_tensor *row_ids)
{
    return row_ids ? nn_mask_rows(b->g, x, row_ids) : x;
}

static void name_sublayer(const struct mdl_build *b, char name[MDL_TF_NAME_BYTES],
                          const char *stack, int layer, const char *what)
{
    snprintf(name, MDL_TF_NAME_BYTES, "%s/body/%s/layer_%d/%s", b->model, stack, layer, what);
}

/* ---- a layer of the encoder ---- */

static struct gr_tensor *gated_unit(const struct mdl_build *b, struct gr_tensor *x, int layer)
{
    int64_t D = x->dims[2];
    struct gr_tensor *y, *values;
    char name[MDL_TF_NAME_BYTES];

    name_sublayer(b, name, "encoder", layer, "gated_linear_unit");
    y = mdl_tf_before(b, x, name);
    values = dense(b, y, name, "dense", D, false);
    y = gated(b, values, dense(b, y, name, "dense_1", D, false));
    return mdl_tf_after(b, x, y, NULL, name);
}

static struct gr_tensor *encoder_branches(const struct mdl_build *b, struct gr_tensor *x,
                                          struct gr_tensor *row_ids, int layer)
{
    int64_t D = x->dims[2];
    struct gr_tensor *y, *left, *right;
    char name[MDL_TF_NAME_BYTES];

    name_sublayer(b, name, "encoder", layer, "conv_branches");
    y = mask(b, mdl_tf_before(b, x, name), row_ids);
    left = dense(b, y, name, "dense", 4 * D, true);
    right = widen(b, conv_3(b, y, name, D / 2), 4 * D);
    y = mdl_tf_before_again(b, nn_add(b->g, left, right), name);
    y = separable(b, mask(b, y, row_ids), name, "separable_conv_9x1", 9, 4, D / 2);
    return mdl_tf_after(b, x, widen(b, y, D), NULL, name);
}

struct gr_tensor *mdl_et_encoder_layer(const struct mdl_build *b, struct gr_tensor *x,
                                       struct gr_tensor *row_ids, const struct nn_attention *masks,
                                       int layer)
{
    int64_t D = x->dims[2];
    struct gr_tensor *y;
    char name[MDL_TF_NAME_BYTES];

    x = encoder_branches(b, gated_unit(b, x, layer), row_ids, layer);
    name_sublayer(b, name, "encoder", layer, "self_attention");
    y = mdl_tf_before(b, x, name);
    x = mdl_tf_after(b, x, mdl_tf_attention(b, y, y, masks, name), NULL, name);
    name_sublayer(b, name, "encoder", layer, "dense_layers");
    y = dense(b, mdl_tf_before(b, x, name), name, "dense", 4 * D, true);
    return mdl_tf_after(b, x, dense(b, y, name, "dense_1", D, false), NULL, name);
}

/* ---- a layer of the decoder ---- */

int64_t mdl_et_more_heads(int64_t heads)
{
    enum { MOST = 16 };
    int64_t doubled = 2 * heads < MOST ? 2 * heads : MOST;

    return doubled > heads ? doubled : heads;
}

/* Both read the same y; their sum with x has no norm, whatever the hparams say. */
static struct gr_tensor *two_attentions(const struct mdl_build *b, struct gr_tensor *x,
                                        const struct mdl_et_decoder *d, int layer)
{
    struct nn_attention doubled = *d->masks;
    struct gr_tensor *y, *left;
    char name[MDL_TF_NAME_BYTES];

    doubled.heads = mdl_et_more_heads(mdl_hp_int(b->hp, "num_heads"));
    name_sublayer(b, name, "decoder", layer, "16_head_self_attention");
    y = mdl_tf_before(b, x, name);
    left = mdl_tf_attention(b, y, y, &doubled, name);
    if (!d->encoded)
        return mdl_tf_after(b, x, left, NULL, name);
    name_sublayer(b, name, "decoder", layer, "first_attend_to_encoder");
    x = nn_residual(b->g, x, left, NULL, dropout_of(b));
    return nn_residual(b->g, x, mdl_tf_attention(b, y, d->encoded, d->memory_masks, name), NULL,
                       dropout_of(b));
}

static struct gr_tensor *decoder_branches(const struct mdl_build *b, struct gr_tensor *x,
                                          struct gr_tensor *row_ids, int layer)
{
    int64_t D = x->dims[2];
    struct gr_tensor *y, *left, *right;
    char name[MDL_TF_NAME_BYTES];

    name_sublayer(b, name, "decoder", layer, "conv_branches");
    y = mask(b, mdl_tf_before(b, x, name), row_ids);
    left = nn_relu(b->g, separable(b, y, name, "separable_conv11x1", 11, 0, 2 * D));
    left = nn_dropout(b->g, left, dropout_of(b));
    right =
        nn_dropout(b->g, separable(b, y, name, "separable_conv_7x1_1", 7, 0, D / 2), dropout_of(b));
    y = mdl_tf_before_again(b, nn_add(b->g, left, widen(b, right, 2 * D)), name);
    y = separable(b, mask(b, y, row_ids), name, "separable_conv_7x1_2", 7, 0, D);
    return mdl_tf_after(b, x, y, NULL, name);
}

static struct gr_tensor *swish_layers(const struct mdl_build *b, struct gr_tensor *x, int layer)
{
    int64_t D = x->dims[2];
    struct gr_tensor *y;
    char name[MDL_TF_NAME_BYTES];

    name_sublayer(b, name, "decoder", layer, "dense_layers");
    y = dense(b, mdl_tf_before(b, x, name), name, "dense", 4 * D, false);
    y = mdl_tf_before_again(b, nn_dropout(b->g, gated(b, y, y), dropout_of(b)), name);
    return mdl_tf_after(b, x, dense(b, y, name, "dense_1", D, false), NULL, name);
}

struct gr_tensor *mdl_et_decoder_layer(const struct mdl_build *b, struct gr_tensor *x,
                                       const struct mdl_et_decoder *d, int layer)
{
    struct gr_tensor *y;
    char name[MDL_TF_NAME_BYTES];

    x = decoder_branches(b, two_attentions(b, x, d, layer), d->row_ids, layer);
    name_sublayer(b, name, "decoder", layer, "self_attention");
    y = mdl_tf_before(b, x, name);
    x = mdl_tf_after(b, x, mdl_tf_attention(b, y, y, d->masks, name), NULL, name);
    if (d->encoded) {
        name_sublayer(b, name, "decoder", layer, "second_attend_to_encoder");
        y = mdl_tf_before(b, x, name);
        y = mdl_tf_attention(b, y, d->encoded, d->memory_masks, name);
        x = mdl_tf_after(b, x, y, NULL, name);
    }
    return swish_layers(b, x, layer);
}
