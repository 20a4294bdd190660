/*
 * train/models/attention_lm_moe.c - Tensor2Tensor's attention_lm_moe: attention_lm with a kind of
 * attention for each layer.
 *
 * models/research/attention_lm_moe.py of release 1.15.7.  The stack, the masks of prepended inputs
 * and decoding are those of transformer.c; variables have no "body" and no "decoder" in their names
 * (transformer_stack.c).  Of the kinds multihead and multihead_full are here, which differ where
 * attention is local only.  No layer is a mixture of experts in that release, whatever moe_layers
 * says: it and the moe_* hparams are read by nothing.
 */
#include <inttypes.h>
#include <string.h>

#include "train/models/attention_kinds.h"
#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"

static const char own_set[] = "attention_lm_moe_base", shared_set[] = "transformer_base";

/* ---- refusals ---- */

static enum t2_status check_layers(const struct mdl_hparams *hp, struct t2_err *err)
{
    int64_t n = mdl_moe_layers(hp);

    if (n < 1 || n > MDL_MAX_LAYERS)
        return t2_fail(err, T2_EUSAGE, "%s: %" PRId64 " layers must lie between 1 and %d",
                       mdl_moe_name, n, MDL_MAX_LAYERS);
    for (int32_t layer = 0; layer < n; layer++) {
        const char *kind = mdl_moe_attention(hp, layer);

        if (!kind)
            return t2_fail(err, T2_EUSAGE,
                           "%s: attention_layers=%s: letter %d is none of h, e, m, s, r, t, f",
                           mdl_moe_name, mdl_hp_string(hp, "attention_layers"), layer + 1);
        if (strcmp(kind, "multihead") != 0 && strcmp(kind, "multihead_full") != 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "%s: layer %d attends by %s, which is not supported (supported: "
                           "multihead, multihead_full; --hparams=attention_type=multihead, or "
                           "attention_layers of h and f)",
                           mdl_moe_name, layer, kind);
        if (mdl_hp_bool(hp, "attention_local") && strcmp(kind, "multihead") == 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "%s: attention_local=true is not supported (supported: false)",
                           mdl_moe_name);
    }
    return T2_OK;
}

static enum t2_status check_switches(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const off[] = {"use_inputs", "memory_efficient_ffn"};

    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (mdl_hp_bool(hp, off[i]))
            return t2_fail(err, T2_EUNSUPPORTED, "%s: %s=true is not supported (supported: false)",
                           mdl_moe_name, off[i]);
    return T2_OK;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    T2_TRY(mdl_check_keys_of(mdl_moe_name, hp, own_set, err));
    T2_TRY(check_layers(hp, err));
    T2_TRY(check_switches(hp, err));
    return mdl_lm_check(mdl_moe_name, "attention_lm_moe_translation", hp, problem, err);
}

static enum t2_status check_decoding(const struct mdl_hparams *hp, struct t2_err *err)
{
    if (mdl_hp_bool(hp, "use_sepconv"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: use_sepconv=true can be trained and evaluated, but not decoded",
                       mdl_moe_name);
    return T2_OK;
}

const struct mdl_kind mdl_attention_lm_moe = {
    .name = mdl_moe_name,
    .own_set = own_set,
    .shared_set = shared_set,
    .targets_alone = true,
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .check_decoding = check_decoding,
    .build_encode = mdl_tf_build_encode,
    .build_step = mdl_tf_build_step,
    .n_decoder_layers = mdl_moe_layers,
    .cache_channels = mdl_tf_cache_channels,
};
