/*
 * train/models/transformer_revnet.c - Tensor2Tensor's Transformer of reversible layers: the
 * Transformer (transformer.c) with other layers (reversible_layers.c).
 *
 * It is decoded from the whole prefix at every step (prefix_search.h).
 */
#include <inttypes.h>

#include "train/models/transformer_parts.h"

enum { MULTIPLE = 8 };

static const char own_set[] = "transformer_revnet_base";

static enum t2_status check_numbers(const struct mdl_hparams *hp, struct t2_err *err)
{
    int64_t hidden = mdl_hp_int(hp, "hidden_size"), heads = mdl_hp_int(hp, "num_heads");
    int64_t layers = mdl_hp_int(hp, "num_hidden_layers"), k, v;

    if (mdl_hp_int(hp, "num_encoder_layers") != 0 || mdl_hp_int(hp, "num_decoder_layers") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "%s has no num_encoder_layers and no num_decoder_layers; both stacks have "
                       "num_hidden_layers",
                       mdl_rev_name);
    if (layers < 1 || layers > MDL_MAX_LAYERS)
        return t2_fail(err, T2_EUSAGE, "%s: num_hidden_layers must lie between 1 and %d",
                       mdl_rev_name, MDL_MAX_LAYERS);
    mdl_tf_channels(hp, &k, &v);
    k = mdl_hp_int(hp, "attention_key_channels") ? k : hidden / 2;
    v = mdl_hp_int(hp, "attention_value_channels") ? v : hidden / 2;
    if (hidden % 2 != 0 || k % heads != 0 || v % heads != 0)
        return t2_fail(err, T2_EUSAGE,
                       "%s: hidden_size=%" PRId64 " must be even, and num_heads=%" PRId64
                       " divide the %" PRId64 " key and %" PRId64 " value channels of a half",
                       mdl_rev_name, hidden, heads, k, v);
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    if (!problem->has_inputs || problem->class_labels || problem->speech)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem that makes texts of texts",
                       mdl_rev_name);
    T2_TRY(mdl_tf_check(mdl_rev_name, hp, problem, err));
    if (!mdl_tf_is(hp, "self_attention_type", "dot_product") ||
        mdl_hp_bool(hp, "attention_variables_3d") ||
        !mdl_tf_is(hp, "ffn_layer", "dense_relu_dense"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s is supported with self_attention_type=dot_product, "
                       "attention_variables_3d=false and ffn_layer=dense_relu_dense",
                       mdl_rev_name);
    return check_numbers(hp, err);
}

static enum t2_status check_shape(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                  const struct mdl_shape *shape, struct t2_err *err)
{
    if (shape->packed)
        return t2_fail(err, T2_EUNSUPPORTED, "%s takes one text per row, not packed data",
                       mdl_rev_name);
    return mdl_tf_check_shape(hp, problem, shape, err);
}

const struct mdl_kind mdl_transformer_revnet = {
    .name = mdl_rev_name,
    .own_set = own_set,
    .check = check,
    .check_shape = check_shape,
    .build = mdl_tf_build,
    .prefix_multiple = MULTIPLE,
};
