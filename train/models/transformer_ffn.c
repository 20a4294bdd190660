/*
 * train/models/transformer_ffn.c - the feed-forward layers of the Transformer, by hparam ffn_layer.
 *
 * layers/transformer_layers.py, transformer_ffn_layer; spec t2t-trainer.md §3.6.  Each maps x
 * (B,L,D) to (B,L,D), D = hidden_size, F = filter_size:
 *   dense_relu_dense                w2 dropout(relu(w1 x + b1)) + b2, w1 (D,F), w2 (F,D)
 *   conv_relu_conv                  the same with w1 (taps*D,F): a convolution over positions
 *   conv_hidden_relu_with_sepconv   both separable: depthwise (taps,C), then pointwise (C,N)
 *   parameter_attention             softmax(q K^T) V with learned K, V of F rows per head
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/attention_kinds.h"
#include "train/models/transformer_parts.h"
#include "train/ops/axes.h"
#include "train/ops/conv.h"
#include "train/ops/linear.h"

/* ---- conv_hidden_relu_with_sepconv ---- */

/* common_layers.separable_conv of x (B,L,C): depthwise kernel (taps,1,C,1), pointwise (1,1,C,n). */
static struct gr_tensor *separable(const struct mdl_build *b, struct gr_tensor *x, int64_t taps,
                                   int64_t n, bool relu, const char *scope)
{
    int64_t in = x->dims[2], depthwise[] = {taps, 1, in, 1}, pointwise[] = {1, 1, in, n};
    struct gr_drop drop = {.rate = relu ? mdl_hp_float(b->hp, "relu_dropout") : 0.0};

    x = nn_depthwise(b->g, x,
                     mdl_tf_variable(b, scope, "depthwise_kernel", 4, depthwise, GR_INIT_DEFAULT,
                                     0.0));
    return nn_linear_drop(b->g, x,
                          mdl_tf_variable(b, scope, "pointwise_kernel", 4, pointwise,
                                          GR_INIT_DEFAULT, 0.0),
                          mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS), relu, drop);
}

static struct gr_tensor *sepconv_relu_sepconv(const struct mdl_build *b, struct gr_tensor *x,
                                              const char *sublayer)
{
    enum { FIRST_TAPS = 3, SECOND_TAPS = 31 };
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/conv_hidden_relu/conv1_single", sublayer);
    x = separable(b, x, FIRST_TAPS, mdl_hp_int(b->hp, "filter_size"), true, scope);
    snprintf(scope, sizeof scope, "%s/conv_hidden_relu/conv2_single", sublayer);
    return separable(b, x, SECOND_TAPS, mdl_hp_int(b->hp, "hidden_size"), false, scope);
}

/* ---- dense_relu_dense ---- */

/* common_layers.conv_hidden_relu, which only attention_lm and attention_lm_moe still have: the same
 * as dense_relu_dense, its kernels those of convolutions of one position, (1,1,D,F) and (1,1,F,D).
 */
static struct gr_tensor *conv_hidden_relu(const struct mdl_build *b, struct gr_tensor *x,
                                          const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    int64_t up[] = {1, 1, hidden, filter}, down[] = {1, 1, filter, hidden};
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *h; /* (B, L, F) */

    snprintf(scope, sizeof scope, "%s/conv_hidden_relu", sublayer);
    h = nn_linear_drop(b->g, x,
                       mdl_tf_variable(b, scope, "conv1_single/kernel", 4, up, GR_INIT_DEFAULT,
                                       0.0),
                       mdl_tf_vector(b, scope, "conv1_single/bias", filter, GR_INIT_ZEROS), true,
                       mdl_tf_drop(b->hp, "relu_dropout"));
    return nn_linear(
        b->g, h, mdl_tf_variable(b, scope, "conv2_single/kernel", 4, down, GR_INIT_DEFAULT, 0.0),
        mdl_tf_vector(b, scope, "conv2_single/bias", hidden, GR_INIT_ZEROS), false, 0.0);
}

/* In training all positions of a sequence share a mask of relu_dropout where its broadcast dims say
 * "1".  The original's pad remover makes one sequence of the encoder's whole batch before, so that
 * there the batch shares one mask; here it does not. */
static struct gr_tensor *dense_relu_dense(const struct mdl_build *b, struct gr_tensor *x,
                                          const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    struct gr_tensor *h; /* (B, L, F) */

    if (mdl_is_moe(b) && mdl_hp_bool(b->hp, "use_sepconv"))
        return sepconv_relu_sepconv(b, x, sublayer);
    if (mdl_is_moe(b) || strcmp(b->model, "attention_lm") == 0)
        return conv_hidden_relu(b, x, sublayer);
    h = nn_linear_drop(b->g, x, mdl_tf_kernel(b, sublayer, "conv1/kernel", hidden, filter),
                       mdl_tf_vector(b, sublayer, "conv1/bias", filter, GR_INIT_ZEROS), true,
                       mdl_tf_drop(b->hp, "relu_dropout"));
    return nn_linear(b->g, h, mdl_tf_kernel(b, sublayer, "conv2/kernel", filter, hidden),
                     mdl_tf_vector(b, sublayer, "conv2/bias", hidden, GR_INIT_ZEROS), false, 0.0);
}

/* ---- conv_relu_conv ---- */

/* common_layers.conv_relu_conv, whose first convolution is tpu_conv1d: one kernel (D,F) per tap,
 * which lie one behind the other in one parameter.  The encoder's taps are centred, the decoder's
 * end at the position.  The original multiplies the sum by taps^-0.5; here the unfolded x is
 * (unfold's scale) and the bias, before the ReLU. */
static struct gr_tensor *conv_relu_conv(const struct mdl_build *b, struct gr_tensor *x,
                                        const struct mdl_tf_place *place, const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), filter = mdl_hp_int(b->hp, "filter_size");
    int64_t taps = mdl_hp_int(b->hp, "conv_first_kernel"), dims[] = {taps * hidden, filter};
    struct gr_drop drop = {.rate = mdl_hp_float(b->hp, "relu_dropout")};
    char scope[MDL_TF_FULL_NAME_BYTES], name[2 * MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *w, *h, *bias; /* (taps*D, F), (B, L, F), (F) */

    snprintf(scope, sizeof scope, "%s/conv_relu_conv", sublayer);
    if (taps == 1) {
        w = mdl_tf_kernel(b, scope, "conv1/kernel", hidden, filter);
        bias = mdl_tf_vector(b, scope, "conv1/bias", filter, GR_INIT_ZEROS);
    } else {
        struct nn_unfold u = {.taps = taps,
                              .first = place->decoder ? -(taps - 1) : -((taps - 1) / 2),
                              .scale = pow((double) taps, -0.5),
                              .row_ids = place->cache ? NULL : place->row_ids,
                              .cached = place->cache != NULL,
                              .cache_index = place->cache_index};

        if (place->cache)
            x = nn_cache_put(b->g, x, place->cache);
        x = nn_unfold(b->g, x, &u);
        snprintf(name, sizeof name, "%s/conv1#/kernel", scope);
        w = gr_param(b->g, name, 2, dims, (int) taps, GR_INIT_DEFAULT, 0.0);
        bias =
            nn_scale(b->g, mdl_tf_vector(b, scope, "conv1_0/bias", filter, GR_INIT_ZEROS), u.scale);
    }
    h = nn_linear_drop(b->g, x, w, bias, true, drop);
    return nn_linear(b->g, h, mdl_tf_kernel(b, scope, "conv2/kernel", filter, hidden),
                     mdl_tf_vector(b, scope, "conv2/bias", hidden, GR_INIT_ZEROS), false, 0.0);
}

/* ---- parameter_attention ---- */

static int64_t or_hidden(const struct mdl_hparams *hp, const char *hparam)
{
    int64_t n = mdl_hp_int(hp, hparam);

    return n ? n : mdl_hp_int(hp, "hidden_size");
}

/* common_attention.parameter_attention: attention over filter_size rows that are learned, k (heads,
 * F, Dk) and v (heads, F, Dv), without scale.  Its dropout mask is the same for all queries of the
 * batch and each head's own. */
static struct gr_tensor *parameter_attention(const struct mdl_build *b, struct gr_tensor *x,
                                             const char *sublayer)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), heads = mdl_hp_int(b->hp, "num_heads");
    int64_t rows = mdl_hp_int(b->hp, "filter_size");
    int64_t n_k = or_hidden(b->hp, "parameter_attention_key_channels");
    int64_t n_v = or_hidden(b->hp, "parameter_attention_value_channels");
    int64_t k_dims[] = {heads, rows, n_k / heads}, v_dims[] = {heads, rows, n_v / heads};
    struct nn_attention a = {.heads = heads,
                             .scale = 1.0,
                             .q_per_key = 1,
                             .one_memory = true,
                             .dropout = mdl_hp_float(b->hp, "attention_dropout"),
                             .dropout_same_queries = true};
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *k, *v, *q; /* (1, F, n_k), (1, F, n_v), (B, L, n_k) when attended */

    snprintf(scope, sizeof scope, "%s/parameter_attention", sublayer);
    k = mdl_tf_variable(b, scope, "k", 3, k_dims, GR_INIT_NORMAL,
                        sqrt((double) heads / (double) hidden));
    v = mdl_tf_variable(b, scope, "v", 3, v_dims, GR_INIT_NORMAL, 1.0);
    q = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "q_transform/kernel", hidden, n_k), NULL, false,
                  0.0);
    x = nn_attention(b->g, q, nn_heads_to_rows(b->g, k), nn_heads_to_rows(b->g, v), &a);
    return nn_linear(b->g, x, mdl_tf_kernel(b, scope, "output_transform/kernel", n_v, hidden), NULL,
                     false, 0.0);
}

/* ---- by name ---- */

bool mdl_tf_is_dense(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, "ffn_layer", "dense_relu_dense") ||
           mdl_tf_is(hp, "ffn_layer", "conv_hidden_relu");
}

struct gr_tensor *mdl_tf_feed_forward(const struct mdl_build *b, struct gr_tensor *x,
                                      const struct mdl_tf_place *place, const char *sublayer)
{
    if (mdl_tf_is(b->hp, "ffn_layer", "conv_relu_conv"))
        return conv_relu_conv(b, x, place, sublayer);
    if (mdl_tf_is(b->hp, "ffn_layer", "conv_hidden_relu_with_sepconv"))
        return sepconv_relu_sepconv(b, x, sublayer);
    if (mdl_tf_is(b->hp, "ffn_layer", "parameter_attention"))
        return parameter_attention(b, x, sublayer);
    return *mdl_tf_string(b->hp, "ffn_layer") ? dense_relu_dense(b, x, sublayer) : x;
}

int64_t mdl_tf_ffn_cache(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, "ffn_layer", "conv_relu_conv") && mdl_hp_int(hp, "conv_first_kernel") > 1
               ? mdl_hp_int(hp, "hidden_size")
               : 0;
}
