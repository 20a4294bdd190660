/*
 * train/models/evolved_transformer.c - the Evolved Transformer: the Transformer (transformer.c)
 * with other layers (evolved_layers.h).
 *
 * It is decoded from the whole prefix at every step (prefix_search.h).
 */
#include <inttypes.h>

#include "train/models/evolved_layers.h"

enum { MULTIPLE = 8 };

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    int64_t hidden = mdl_hp_int(hp, "hidden_size"), heads, k, v;

    T2_TRY(mdl_tf_check(mdl_et_name, hp, problem, err));
    if (problem->speech)
        return t2_fail(err, T2_EUNSUPPORTED, "%s does not hear speech; transformer does",
                       mdl_et_name);
    if (hidden % 2 != 0)
        return t2_fail(err, T2_EUSAGE, "%s: hidden_size=%" PRId64 " must be even", mdl_et_name,
                       hidden);
    if (!mdl_tf_is(hp, "self_attention_type", "dot_product"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: self_attention_type=%s is not supported; dot_product is", mdl_et_name,
                       mdl_hp_string(hp, "self_attention_type"));
    if (mdl_hp_bool(hp, "attention_variables_3d"))
        return t2_fail(err, T2_EUNSUPPORTED, "%s: attention_variables_3d=true is not supported",
                       mdl_et_name);
    if (mdl_hp_has(hp, "num_trainable_top_decoder_layers") &&
        mdl_hp_int(hp, "num_trainable_top_decoder_layers") >= 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: num_trainable_top_decoder_layers is not supported; --freeze names the "
                       "variables that stay",
                       mdl_et_name);
    mdl_tf_channels(hp, &k, &v);
    heads = mdl_et_more_heads(mdl_hp_int(hp, "num_heads"));
    if (k % heads != 0 || v % heads != 0)
        return t2_fail(err, T2_EUSAGE,
                       "%s: %" PRId64 " heads (more than num_heads) do not divide the %" PRId64
                       " key and %" PRId64 " value channels",
                       mdl_et_name, heads, k, v);
    return T2_OK;
}

const struct mdl_kind mdl_evolved_transformer = {
    .name = mdl_et_name,
    .own_set = "evolved_transformer_base",
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .prefix_multiple = MULTIPLE,
};
