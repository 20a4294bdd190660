/*
 * train/models/transformer_layers.c - sizes, variables, normalisation and attention of the
 * Transformer.
 *
 * layers/common_attention.py (multihead_attention) and layers/common_layers.py
 * (layer_prepostprocess); spec t2t-trainer.md §3.4, §3.5.  Attention of x (B,Lq,D) to memory
 * (B,Lk,D), H heads:
 *   q = x Wq, k = memory Wk, v = memory Wv;  out = attention(q, k, v) Wo
 * with Wq, Wk (D, K), Wv (D, V), Wo (V, D), K and V the channels of all heads, scale (K / H)^-0.5.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "train/models/attention_kinds.h"
#include "train/models/transformer_parts.h"
#include "train/ops/layer_norm.h"
#include "train/ops/linear.h"
#include "train/ops/residual.h"

/* ---- sizes ---- */

static int64_t or_else(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

int32_t mdl_tf_encoder_layers(const struct mdl_hparams *hp)
{
    return (int32_t) or_else(mdl_hp_int(hp, "num_encoder_layers"),
                             mdl_hp_int(hp, "num_hidden_layers"));
}

int32_t mdl_tf_decoder_layers(const struct mdl_hparams *hp)
{
    return (int32_t) or_else(mdl_hp_int(hp, "num_decoder_layers"),
                             mdl_hp_int(hp, "num_hidden_layers"));
}

void mdl_tf_channels(const struct mdl_hparams *hp, int64_t *k, int64_t *v)
{
    *k = or_else(mdl_hp_int(hp, "attention_key_channels"), mdl_hp_int(hp, "hidden_size"));
    *v = or_else(mdl_hp_int(hp, "attention_value_channels"), mdl_hp_int(hp, "hidden_size"));
}

/* "none" in a command line and Python's None are both an empty string here. */
const char *mdl_tf_string(const struct mdl_hparams *hp, const char *hparam)
{
    const char *s = mdl_hp_string(hp, hparam);

    return strcmp(s, "none") == 0 || strcmp(s, "None") == 0 ? "" : s;
}

bool mdl_tf_is(const struct mdl_hparams *hp, const char *hparam, const char *value)
{
    return strcmp(mdl_hp_string(hp, hparam), value) == 0;
}

bool mdl_tf_has_dim(const struct mdl_hparams *hp, const char *hparam, char dim)
{
    return strchr(mdl_tf_string(hp, hparam), dim) != NULL;
}

/* A list such as "0, 1" holds no other dimensions than the known ones. */
bool mdl_tf_dims_within(const struct mdl_hparams *hp, const char *hparam, const char *known)
{
    const char *s = mdl_tf_string(hp, hparam);

    for (; *s; s++)
        if (*s != ',' && *s != ' ' && !strchr(known, *s))
            return false;
    return true;
}

struct gr_drop mdl_tf_drop(const struct mdl_hparams *hp, const char *hparam)
{
    char dims[MDL_TF_NAME_BYTES];

    snprintf(dims, sizeof dims, "%s_broadcast_dims", hparam);
    return (struct gr_drop){.rate = mdl_hp_float(hp, hparam),
                            .same_positions = mdl_tf_has_dim(hp, dims, '1')};
}

/* ---- variables ---- */

struct gr_tensor *mdl_tf_variable(const struct mdl_build *b, const char *scope, const char *name,
                                  int rank, const int64_t *dims, enum gr_init init, double gain)
{
    char full[2 * MDL_TF_FULL_NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s", scope, name);
    return gr_param(b->g, full, rank, dims, 0, init, gain);
}

void mdl_tf_unread(const struct mdl_build *b, const char *scope, const char *name, int rank,
                   const int64_t *dims, enum gr_init init)
{
    char full[2 * MDL_TF_FULL_NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s", scope, name);
    (void) gr_state(b->g, full, rank, dims, init, 0.0);
}

struct gr_tensor *mdl_tf_kernel(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t rows, int64_t cols)
{
    int64_t dims[] = {rows, cols};

    return mdl_tf_variable(b, scope, name, 2, dims, GR_INIT_DEFAULT, 0.0);
}

struct gr_tensor *mdl_tf_vector(const struct mdl_build *b, const char *scope, const char *name,
                                int64_t n, enum gr_init init)
{
    return mdl_tf_variable(b, scope, name, 1, &n, init, 0.0);
}

/* ---- what stands before and after a sub-layer (§3.4) ---- */

static struct gr_tensor *normalise(const struct mdl_build *b, struct gr_tensor *x,
                                   const char *scope, const char *where)
{
    int64_t n = x->dims[x->rank - 1];
    char full[MDL_TF_FULL_NAME_BYTES];

    snprintf(full, sizeof full, "%s/%s/layer_norm", scope, where);
    return nn_layer_norm(b->g, x, mdl_tf_vector(b, full, "layer_norm_scale", n, GR_INIT_ONES),
                         mdl_tf_vector(b, full, "layer_norm_bias", n, GR_INIT_ZEROS),
                         mdl_hp_float(b->hp, "norm_epsilon"));
}

/* The letters of layer_preprocess_sequence, n and d. */
static struct gr_tensor *before(const struct mdl_build *b, struct gr_tensor *x, const char *scope,
                                const char *where)
{
    struct gr_drop drop = mdl_tf_drop(b->hp, "layer_prepostprocess_dropout");

    for (const char *c = mdl_tf_string(b->hp, "layer_preprocess_sequence"); *c; c++)
        x = *c == 'n' ? normalise(b, x, scope, where) : nn_dropout_drop(b->g, x, drop);
    return x;
}

struct gr_tensor *mdl_tf_before(const struct mdl_build *b, struct gr_tensor *x, const char *scope)
{
    return before(b, x, scope, "layer_prepostprocess");
}

struct gr_tensor *mdl_tf_before_again(const struct mdl_build *b, struct gr_tensor *x,
                                      const char *scope)
{
    return before(b, x, scope, "layer_prepostprocess_1");
}

/* The letters of layer_postprocess_sequence in their order: n norm, d dropout, a add x.  "da" is
 * one operator, as it is what nearly all sets have. */
struct gr_tensor *mdl_tf_after(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *y,
                               struct gr_tensor *row_ids, const char *scope)
{
    struct gr_drop drop = mdl_tf_drop(b->hp, "layer_prepostprocess_dropout");

    for (const char *c = mdl_tf_string(b->hp, "layer_postprocess_sequence"); *c; c++) {
        if (c[0] == 'd' && c[1] == 'a') {
            y = nn_residual_drop(b->g, x, y, row_ids, drop);
            c++;
        } else if (*c == 'a') {
            y = nn_residual(b->g, x, y, row_ids, 0.0);
        } else if (*c == 'd') {
            y = nn_dropout_drop(b->g, y, drop);
        } else {
            y = normalise(b, y, scope, "layer_postprocess");
        }
    }
    return y;
}

/* ---- attention (§3.5) ---- */

/* The scope of a sub-layer's multi-head attention. */
static void attention_scope(const struct mdl_build *b, char scope[MDL_TF_FULL_NAME_BYTES],
                            const char *sublayer)
{
    snprintf(scope, MDL_TF_FULL_NAME_BYTES, "%s/%s", sublayer,
             mdl_is_moe(b) ? "decoder_self_attention" : "multihead_attention");
}

/*
 * which: 'q', 'k' or 'v'.  With attention_variables_3d the variable is (D, H, n / H), the same
 * memory; then the scale of the logits is in the initial values of q, and mdl_tf_attend has none.
 */
struct gr_tensor *mdl_tf_project(const struct mdl_build *b, struct gr_tensor *x,
                                 const char *sublayer, char which)
{
    int64_t key_channels, value_channels, n, heads = mdl_hp_int(b->hp, "num_heads");
    int64_t in = x->dims[x->rank - 1];
    char scope[MDL_TF_FULL_NAME_BYTES], name[16];
    struct gr_tensor *w;

    mdl_tf_channels(b->hp, &key_channels, &value_channels);
    n = which == 'v' ? value_channels : key_channels;
    attention_scope(b, scope, sublayer);
    if (mdl_hp_bool(b->hp, "attention_variables_3d")) {
        int64_t dims[] = {in, heads, n / heads};
        double deviation = pow((double) in, -0.5), depth = (double) dims[2];

        if (which == 'q')
            deviation *= pow(depth, -0.5);
        snprintf(name, sizeof name, "%c", which);
        w = mdl_tf_variable(b, scope, name, 3, dims, GR_INIT_NORMAL, deviation);
    } else {
        snprintf(name, sizeof name, "%c/kernel", which);
        w = mdl_tf_kernel(b, scope, name, in, n);
    }
    return nn_linear(b->g, x, w, NULL, false, 0.0);
}

static struct gr_tensor *output_transform(const struct mdl_build *b, struct gr_tensor *x,
                                          const char *scope)
{
    int64_t hidden = mdl_hp_int(b->hp, "hidden_size"), heads = mdl_hp_int(b->hp, "num_heads");
    int64_t in = x->dims[x->rank - 1], dims[] = {heads, in / heads, hidden};
    struct gr_tensor *w = mdl_hp_bool(b->hp, "attention_variables_3d")
                              ? mdl_tf_variable(b, scope, "o", 3, dims, GR_INIT_DEFAULT, 0.0)
                              : mdl_tf_kernel(b, scope, "output_transform/kernel", in, hidden);

    return nn_linear(b->g, x, w, NULL, false, 0.0);
}

/* The table `name` of relative positions (version 2), ([H,] max_relative_position, depth): one for
 * each head, or one for all. */
static struct gr_tensor *left_table(const struct mdl_build *b, const char *scope, const char *name,
                                    int64_t depth)
{
    int64_t rows = mdl_hp_int(b->hp, "max_relative_position");
    int64_t dims[] = {mdl_hp_int(b->hp, "num_heads"), rows, depth};
    bool shared = mdl_hp_bool(b->hp, "heads_share_relative_embedding");

    return mdl_tf_variable(b, scope, name, shared ? 2 : 3, shared ? dims + 1 : dims, GR_INIT_NORMAL,
                           pow((double) depth, -0.5));
}

/* dot_product_attention_relative has no dropout_broadcast_dims and version 2 no hard attention,
 * whatever the hparams say. */
static void add_relative(const struct mdl_build *b, const char *scope, int64_t k_depth,
                         int64_t v_depth, struct nn_attention *a)
{
    int64_t R = mdl_hp_int(b->hp, "max_relative_position");

    if (mdl_tf_is(b->hp, "self_attention_type", "dot_product_relative")) {
        static const char keys[] =
            "dot_product_attention_relative/relative_positions_keys/embeddings";
        static const char values[] =
            "dot_product_attention_relative/relative_positions_values/embeddings";

        a->relative = DEV_RELATIVE_CLIPPED;
        a->relative_k = mdl_tf_kernel(b, scope, keys, 2 * R + 1, k_depth);
        a->relative_v = mdl_tf_kernel(b, scope, values, 2 * R + 1, v_depth);
        a->dropout_same_batch = a->dropout_same_heads = false;
    } else if (mdl_tf_is(b->hp, "self_attention_type", "dot_product_relative_v2")) {
        static const char keys[] = "dot_product_self_attention_relative_v2/key_relative_embeddings";
        static const char values[] =
            "dot_product_self_attention_relative_v2/value_relative_embeddings";

        a->relative = DEV_RELATIVE_LEFT;
        a->relative_k = left_table(b, scope, keys, k_depth);
        if (mdl_hp_bool(b->hp, "add_relative_to_values"))
            a->relative_v = left_table(b, scope, values, v_depth);
        a->hard_k = 0;
    }
}

/* Queries from x, keys and values as they are: in training just projected, in decoding caches. */
struct gr_tensor *mdl_tf_attend(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *k,
                                struct gr_tensor *v, struct nn_attention a, bool self,
                                const char *sublayer)
{
    int64_t key_channels, value_channels,
        heads = a.heads ? a.heads : mdl_hp_int(b->hp, "num_heads");
    char scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *out; /* (B, Lq, V), V = value channels */

    mdl_tf_channels(b->hp, &key_channels, &value_channels);
    attention_scope(b, scope, sublayer);
    a.heads = heads;
    a.q_per_key = a.q_per_key ? a.q_per_key : 1;
    a.hard_k = mdl_hp_int(b->hp, "hard_attention_k");
    a.dropout = mdl_hp_float(b->hp, "attention_dropout");
    a.dropout_same_batch = mdl_tf_has_dim(b->hp, "attention_dropout_broadcast_dims", '0');
    a.dropout_same_heads = mdl_tf_has_dim(b->hp, "attention_dropout_broadcast_dims", '1');
    a.scale = mdl_hp_bool(b->hp, "attention_variables_3d")
                  ? 1.0
                  : pow((double) key_channels / (double) heads, -0.5);
    if (self)
        add_relative(b, scope, key_channels / heads, value_channels / heads, &a);
    out = nn_attention(b->g, mdl_tf_project(b, x, sublayer, 'q'), k, v, &a);
    return output_transform(b, out, scope);
}

struct gr_tensor *mdl_tf_attention(const struct mdl_build *b, struct gr_tensor *x,
                                   struct gr_tensor *memory, const struct nn_attention *masks,
                                   const char *sublayer)
{
    struct gr_tensor *k = mdl_tf_project(b, memory, sublayer, 'k'); /* (B, Lk, K) */
    struct gr_tensor *v = mdl_tf_project(b, memory, sublayer, 'v'); /* (B, Lk, V) */

    return mdl_tf_attend(b, x, k, v, *masks, x == memory, sublayer);
}
