/*
 * train/models/reversible_layers.c - the reversible layers of Tensor2Tensor's transformer_revnet
 * (Gomez et al. 2017).
 *
 * models/research/transformer_revnet.py of release 1.15.7.  The Transformer (transformer.c) with
 * other layers, of the halves x1, x2 (B,L,D/2) of what is embedded:
 *   y1 = x1 + f(x2),  y2 = x2 + g(y1)
 *   f of the encoder:  post(x, self-attention(pre(x)))
 *   f of the decoder:  post(x, attention(pre(x), encoded))
 *   g:                 post(x, ffn(pre(x)))
 * and the halves side by side at the end.  As in that release the decoder has variables of a
 * self-attention whose result nothing reads: a position sees no earlier one.  f and g read
 * hidden_size as D / 2.  Activations are kept; --remat=layer computes them again, from what goes
 * into a layer in place of what comes out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "train/models/transformer_parts.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"
#include "train/ops/slices.h"

const char mdl_rev_name[] = "transformer_revnet";

bool mdl_is_revnet(const struct mdl_build *b)
{
    return b->model == mdl_rev_name;
}

/* ---- halves ---- */

/* x (B,L,D) -> (B,L,D/2): half 0 or 1 of the channels */
static struct gr_tensor *half_of(const struct mdl_build *b, struct gr_tensor *x, int64_t half)
{
    const int64_t *d = x->dims;
    int64_t pairs[] = {d[0] * d[1], 2, d[2] / 2}, dims[] = {d[0], d[1], d[2] / 2};
    struct gr_tensor *y = nn_slice_positions(b->g, nn_reshape(b->g, x, 3, pairs), half, 1, 1);

    return nn_reshape(b->g, y, 3, dims);
}

static struct gr_tensor *whole_of(const struct mdl_build *b, struct gr_tensor *x1,
                                  struct gr_tensor *x2)
{
    const int64_t *d = x1->dims;
    int64_t image[] = {1, d[0], d[1], d[2]}, dims[] = {d[0], d[1], 2 * d[2]};
    struct gr_tensor *both[] = {nn_reshape(b->g, x1, 4, image), nn_reshape(b->g, x2, 4, image)};

    return nn_reshape(b->g, nn_concat_channels(b->g, both, 2), 3, dims);
}

/* What f and g read, as the original hands it on. */
static struct mdl_hparams *hparams_of_half(const struct mdl_hparams *hp)
{
    struct mdl_hparams *half = mdl_hparams_copy(hp);
    struct t2_err err = T2_ERR_INIT;
    char clauses[128];

    snprintf(clauses, sizeof clauses,
             "hidden_size=%" PRId64 ",attention_dropout_broadcast_dims=none,hard_attention_k=0",
             mdl_hp_int(hp, "hidden_size") / 2);
    if (mdl_hparams_override(half, clauses, &err) != T2_OK)
        T2_ASSERT(!"hparams that check() has seen");
    return half;
}

/* ---- layers ---- */

/* The memory that attention sees: the encoder's output, or NULL: x itself. */
static struct gr_tensor *attention(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *memory, const struct nn_attention *masks,
                                   const char *scope)
{
    struct gr_tensor *y = mdl_tf_before(b, x, scope);

    return mdl_tf_after(b, x, mdl_tf_attention(b, y, memory ? memory : y, masks, scope), NULL,
                        scope);
}

/* The self-attention of x, of which only the variables are there. */
static void unread_attention(const struct mdl_build *b, const struct gr_tensor *x,
                             const char *scope)
{
    int64_t D = x->dims[2], k, v;

    mdl_tf_channels(b->hp, &k, &v);
    mdl_tf_unread(b, scope, "multihead_attention/q/kernel", 2, (int64_t[]){D, k}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, scope, "multihead_attention/k/kernel", 2, (int64_t[]){D, k}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, scope, "multihead_attention/v/kernel", 2, (int64_t[]){D, v}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, scope, "multihead_attention/output_transform/kernel", 2, (int64_t[]){v, D},
                  GR_INIT_DEFAULT);
    if (!strchr(mdl_tf_string(b->hp, "layer_preprocess_sequence"), 'n'))
        return;
    mdl_tf_unread(b, scope, "layer_prepostprocess/layer_norm/layer_norm_scale", 1, &D,
                  GR_INIT_ONES);
    mdl_tf_unread(b, scope, "layer_prepostprocess/layer_norm/layer_norm_bias", 1, &D,
                  GR_INIT_ZEROS);
}

struct stack {
    const char *name;
    int32_t n_layers, first;   /* of the graph's layers (gr_layer) */
    struct gr_tensor *encoded; /* NULL: the encoder's own stack */
    const struct nn_attention *masks;
};

static struct gr_tensor *f_of(const struct mdl_build *b, struct gr_tensor *x, const struct stack *s,
                              const char *layer)
{
    char scope[MDL_TF_NAME_BYTES];

    if (!s->encoded) {
        snprintf(scope, sizeof scope, "%s/f/self_attention", layer);
        return attention(b, x, NULL, s->masks, scope);
    }
    snprintf(scope, sizeof scope, "%s/f/self_attention", layer);
    unread_attention(b, x, scope);
    snprintf(scope, sizeof scope, "%s/f/self_attention/encdec_attention", layer);
    return attention(b, x, s->encoded, s->masks, scope);
}

static struct gr_tensor *g_of(const struct mdl_build *b, struct gr_tensor *x, const char *layer)
{
    struct mdl_tf_place place = {.decoder = true};
    char scope[MDL_TF_NAME_BYTES];
    struct gr_tensor *y;

    snprintf(scope, sizeof scope, "%s/g/ffn", layer);
    y = mdl_tf_before(b, x, scope);
    return mdl_tf_after(b, x, mdl_tf_feed_forward(b, y, &place, scope), NULL, scope);
}

static struct gr_tensor *layers(const struct mdl_build *b, struct gr_tensor *x,
                                const struct stack *s)
{
    struct mdl_hparams *half = hparams_of_half(b->hp);
    struct mdl_build of_half = *b;
    struct gr_tensor *x1 = half_of(b, x, 0), *x2 = half_of(b, x, 1);
    char name[MDL_TF_NAME_BYTES / 2];

    of_half.hp = half;
    for (int32_t layer = 0; layer < s->n_layers; layer++) {
        gr_layer(b->g, s->first + layer);
        snprintf(name, sizeof name, "%s/body/%s/revblock/revlayer_%d", mdl_rev_name, s->name,
                 layer);
        x1 = nn_add(b->g, x1, f_of(&of_half, x2, s, name));
        x2 = nn_add(b->g, x2, g_of(&of_half, x1, name));
    }
    gr_layer(b->g, 0);
    mdl_hparams_free(half);
    return whole_of(b, x1, x2);
}

struct gr_tensor *mdl_rev_encoder(const struct mdl_build *b, struct gr_tensor *x,
                                  const struct nn_attention *masks)
{
    struct stack s = {.name = "encoder",
                      .n_layers = (int32_t) mdl_hp_int(b->hp, "num_hidden_layers"),
                      .first = 1,
                      .masks = masks};

    return layers(b, x, &s);
}

struct gr_tensor *mdl_rev_decoder(const struct mdl_build *b, struct gr_tensor *x,
                                  struct gr_tensor *encoded,
                                  const struct nn_attention *memory_masks)
{
    struct stack s = {.name = "decoder",
                      .n_layers = (int32_t) mdl_hp_int(b->hp, "num_hidden_layers"),
                      .first = 1 + MDL_MAX_LAYERS,
                      .encoded = encoded,
                      .masks = memory_masks};

    return layers(b, x, &s);
}
