/*
 * train/models/attention_lm.c - Tensor2Tensor's attention_lm: the Transformer's decoder alone, as
 * it was before the Transformer had one.
 *
 * models/research/attention_lm.py of release 1.15.7.  The stack, the masks of prepended inputs and
 * decoding are those of transformer.c; the feed-forward layers have other variables
 * (transformer_ffn.c, conv_hidden_relu), and the hparams that only the Transformer has are as in
 * transformer_base.
 */
#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"

static const char model[] = "attention_lm", own_set[] = "attention_lm_base",
                  shared_set[] = "transformer_base";

/* Without a shared table the original also has an embedding of the inputs that nothing reads. */
static bool takes_inputs(const struct mdl_hparams *hp, const struct mdl_problem *problem)
{
    return mdl_tf_string(hp, "prepend_mode")[0] &&
           problem->inputs_vocab == problem->targets_vocab &&
           mdl_hp_bool(hp, "shared_embedding_and_softmax_weights");
}

/* translating_set: one whose model sees inputs. */
enum t2_status mdl_lm_check(const char *name, const char *translating_set,
                            const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    struct mdl_hparams *whole;
    enum t2_status st;

    if (problem->class_labels || problem->speech)
        return t2_fail(err, T2_EUNSUPPORTED, "%s needs a problem whose targets are texts", name);
    if (problem->has_inputs && !takes_inputs(hp, problem))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s sees inputs only in front of the targets, of one vocabulary: "
                       "take a problem without inputs, or prepend_mode and "
                       "shared_embedding_and_softmax_weights=true as in --hparams_set=%s",
                       name, translating_set);
    whole = mdl_hparams_copy(hp);
    T2_GOTO(st, out, mdl_add_shared_keys(whole, shared_set, err));
    st = mdl_tf_check(name, whole, problem, err);
out:
    mdl_hparams_free(whole);
    return st;
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    T2_TRY(mdl_check_keys_of(model, hp, own_set, err));
    return mdl_lm_check(model, "attention_lm_translation", hp, problem, err);
}

const struct mdl_kind mdl_attention_lm = {
    .name = model,
    .own_set = own_set,
    .shared_set = shared_set,
    .targets_alone = true,
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .check_decoding = mdl_tf_check_decoding,
    .build_encode = mdl_tf_build_encode,
    .build_step = mdl_tf_build_step,
    .n_decoder_layers = mdl_tf_decoder_layers,
    .cache_channels = mdl_tf_cache_channels,
};
