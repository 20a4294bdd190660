/*
 * train/models/transformer_check.c - the hparams that the Transformer refuses, by name, with what
 * is supported instead.
 */
#include <inttypes.h>
#include <string.h>

#include "train/models/area_attention.h"
#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"

struct string_rule {
    const char *hparam, *allowed[6], *help;
};

static enum t2_status check_strings(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const struct string_rule rules[] = {
        {"self_attention_type",
         {"dot_product", "dot_product_relative", "dot_product_relative_v2"},
         "dot_product, dot_product_relative, dot_product_relative_v2"},
        {"ffn_layer",
         {"dense_relu_dense", "conv_hidden_relu", "conv_relu_conv", "parameter_attention",
          "conv_hidden_relu_with_sepconv", ""},
         "dense_relu_dense, conv_relu_conv, parameter_attention, conv_hidden_relu_with_sepconv, "
         "none"},
        {"norm_type", {"layer"}, "layer"},
        {"prepend_mode",
         {"", "prepend_inputs_masked_attention", "prepend_inputs_full_attention"},
         "none, prepend_inputs_masked_attention, prepend_inputs_full_attention"},
        {"activation_dtype", {"float32", "bfloat16", "float16"}, "float32, bfloat16, float16"},
        {"weight_dtype", {"float32", "bfloat16"}, "float32, bfloat16"},
        {"position_features", {""}, "none: records hold ids, and no positions of their own"},
    };

    const char *pos = mdl_tf_string(hp, "pos");

    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        const char *value = mdl_tf_string(hp, rules[r].hparam);
        bool fine = false;

        for (int i = 0; i < 6 && rules[r].allowed[i]; i++)
            fine |= strcmp(value, rules[r].allowed[i]) == 0;
        if (!fine)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%s is not supported (supported: %s)", rules[r].hparam,
                           value, rules[r].help);
    }
    if (*pos && strcmp(pos, "timing") != 0 && strcmp(pos, "timing_from_features") != 0 &&
        strcmp(pos, "emb") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: pos=%s is not supported (supported: timing, "
                       "timing_from_features, emb, none)",
                       pos);
    return T2_OK;
}

static enum t2_status check_zeros(const char *model, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    static const char *const zeros[] = {"gumbel_noise_weight", "scheduled_sampling_prob",
                                        "split_targets_chunk_length"};
    enum { N_ZEROS_OF_ALL = sizeof zeros / sizeof *zeros - 1 }; /* chunks are for memory */
    static const struct {
        const char *dims, *rate, *known, *help;
    } broadcasts[] = {{"layer_prepostprocess_dropout_broadcast_dims",
                       "layer_prepostprocess_dropout", "1", "1, the positions"},
                      {"attention_dropout_broadcast_dims", "attention_dropout", "01",
                       "0 and 1, batch and heads"},
                      {"relu_dropout_broadcast_dims", "relu_dropout", "1", "1, the positions"}};

    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (mdl_hp_float(hp, zeros[i]) != 0.0 &&
            (strcmp(model, "transformer_memory") != 0 || i < N_ZEROS_OF_ALL))
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%g is not supported (supported: 0)", zeros[i],
                           mdl_hp_float(hp, zeros[i]));
    if (mdl_hp_float(hp, "symbol_dropout") != 0.0 && !mdl_tf_is(hp, "prepend_mode", "none"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: symbol_dropout > 0 is not supported with prepend_mode=%s",
                       mdl_hp_string(hp, "prepend_mode"));
    for (size_t i = 0; i < sizeof broadcasts / sizeof *broadcasts; i++)
        if (!mdl_tf_dims_within(hp, broadcasts[i].dims, broadcasts[i].known) &&
            mdl_hp_float(hp, broadcasts[i].rate) != 0.0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "transformer: %s=%s is not supported with %s > 0 (supported: %s)",
                           broadcasts[i].dims, mdl_hp_string(hp, broadcasts[i].dims),
                           broadcasts[i].rate, broadcasts[i].help);
    return T2_OK;
}

static enum t2_status check_sequences(const struct mdl_hparams *hp, struct t2_err *err)
{
    const char *pre = mdl_tf_string(hp, "layer_preprocess_sequence");
    const char *post = mdl_tf_string(hp, "layer_postprocess_sequence");

    if (strspn(pre, "nd") != strlen(pre))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: layer_preprocess_sequence=%s is not supported (n and d only)",
                       pre);
    if (strspn(post, "nda") != strlen(post))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: layer_postprocess_sequence=%s is not supported (n, d, a only)",
                       post);
    return T2_OK;
}

/* Ranges outside of which a number cannot be meant; both ends belong to them. */
static enum t2_status check_ranges(const struct mdl_hparams *hp, struct t2_err *err)
{
    enum { LARGEST = 1 << 20, MOST_SHARDS = 4096 };
    static const struct {
        const char *hparam;
        int64_t least, most;
    } integers[] = {{"hidden_size", 1, LARGEST},
                    {"filter_size", 1, LARGEST},
                    {"num_heads", 1, LARGEST},
                    {"vocab_divisor", 1, LARGEST},
                    {"attention_key_channels", 0, LARGEST},
                    {"attention_value_channels", 0, LARGEST},
                    {"max_length", 0, INT32_MAX},
                    {"num_hidden_layers", 1, MDL_MAX_LAYERS},
                    {"num_encoder_layers", 0, MDL_MAX_LAYERS},
                    {"num_decoder_layers", 0, MDL_MAX_LAYERS},
                    {"max_relative_position", 0, LARGEST},
                    {"hard_attention_k", 0, LARGEST},
                    {"conv_first_kernel", 1, 64},
                    {"parameter_attention_key_channels", 0, LARGEST},
                    {"parameter_attention_value_channels", 0, LARGEST},
                    {"symbol_modality_num_shards", 1, MOST_SHARDS}};
    static const char *const rates[] = {"layer_prepostprocess_dropout", "attention_dropout",
                                        "relu_dropout", "symbol_dropout", "label_smoothing"};

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t value = mdl_hp_int(hp, integers[i].hparam);

        if (value < integers[i].least || value > integers[i].most)
            return t2_fail(err, T2_EUSAGE,
                           "transformer: %s=%" PRId64 " must lie between %" PRId64 " and %" PRId64,
                           integers[i].hparam, value, integers[i].least, integers[i].most);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double value = mdl_hp_float(hp, rates[i]);

        if (!(value >= 0.0 && value < 1.0))
            return t2_fail(err, T2_EUSAGE, "transformer: %s=%g must be at least 0 and below 1",
                           rates[i], value);
    }
    if (!(mdl_hp_float(hp, "norm_epsilon") >= 0.0))
        return t2_fail(err, T2_EUSAGE, "transformer: norm_epsilon=%g must not be negative",
                       mdl_hp_float(hp, "norm_epsilon"));
    if (strcmp(mdl_tf_string(hp, "pos"), "emb") == 0 && mdl_hp_int(hp, "max_length") < 1)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: pos=emb needs max_length, the number of positions");
    return T2_OK;
}

static enum t2_status check_relative(const struct mdl_hparams *hp, struct t2_err *err)
{
    int64_t k, v;

    if (mdl_tf_is(hp, "self_attention_type", "dot_product"))
        return T2_OK;
    if (mdl_hp_int(hp, "max_relative_position") < 1)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: self_attention_type=%s needs max_relative_position > 0",
                       mdl_hp_string(hp, "self_attention_type"));
    mdl_tf_channels(hp, &k, &v);
    if (k != v)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: self_attention_type=%s needs as many key as value channels, "
                       "not %" PRId64 " and %" PRId64,
                       mdl_hp_string(hp, "self_attention_type"), k, v);
    return T2_OK;
}

static enum t2_status check_feed_forward(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const channels[] = {"parameter_attention_key_channels",
                                           "parameter_attention_value_channels", "hidden_size"};
    int64_t heads = mdl_hp_int(hp, "num_heads"), taps = mdl_hp_int(hp, "conv_first_kernel");

    if (mdl_tf_is(hp, "ffn_layer", "conv_relu_conv") && taps % 2 == 0)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: conv_first_kernel=%" PRId64
                       " must be odd: the encoder looks as "
                       "far ahead as back",
                       taps);
    for (int i = 0; i < 3 && mdl_tf_is(hp, "ffn_layer", "parameter_attention"); i++)
        if (mdl_hp_int(hp, channels[i]) % heads)
            return t2_fail(err, T2_EUSAGE,
                           "transformer: %s=%" PRId64 " must be divisible by num_heads=%" PRId64,
                           channels[i], mdl_hp_int(hp, channels[i]), heads);
    return T2_OK;
}

static enum t2_status check_speech(const char *model, const struct mdl_hparams *hp,
                                   const struct mdl_problem *problem, struct t2_err *err)
{
    if (!problem->speech)
        return T2_OK;
    if (strcmp(model, "transformer") != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s' does not hear speech; transformer does",
                       model);
    if (!mdl_tf_is(hp, "pos", "timing"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: pos=%s is not supported with speech (supported: timing)",
                       mdl_hp_string(hp, "pos"));
    if (!mdl_tf_is(hp, "prepend_mode", "none"))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "transformer: prepend_mode=%s is not supported with speech",
                       mdl_hp_string(hp, "prepend_mode"));
    return T2_OK;
}

/* The layers of other models are made elsewhere; the original's take no notice of the hparam. */
static enum t2_status check_areas(const char *model, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    if (strcmp(model, "transformer") == 0 || strcmp(model, "transformer_encoder") == 0 ||
        strcmp(model, "transformer_regressor") == 0)
        return mdl_area_check(model, hp, err);
    if (mdl_hp_int(hp, "num_area_layers") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: num_area_layers=%" PRId64 " is not supported (supported: 0)", model,
                       mdl_hp_int(hp, "num_area_layers"));
    return T2_OK;
}

enum t2_status mdl_tf_check(const char *model, const struct mdl_hparams *hp,
                            const struct mdl_problem *problem, struct t2_err *err)
{
    int64_t k, v, heads;

    T2_TRY(mdl_check_keys_of(model, hp, "transformer_base", err));
    heads = mdl_hp_int(hp, "num_heads");
    T2_TRY(check_ranges(hp, err));
    mdl_tf_channels(hp, &k, &v);
    if (k % heads || v % heads)
        return t2_fail(err, T2_EUSAGE,
                       "transformer: key and value channels (%lld, %lld) must be divisible by "
                       "num_heads=%lld",
                       (long long) k, (long long) v, (long long) heads);
    if (problem->target_space_id < 0 || problem->target_space_id >= MDL_TF_SPACES)
        return t2_fail(err, T2_EUSAGE, "transformer: target space %d is not below %d",
                       problem->target_space_id, MDL_TF_SPACES);
    T2_TRY(check_strings(hp, err));
    T2_TRY(check_relative(hp, err));
    T2_TRY(check_feed_forward(hp, err));
    T2_TRY(check_zeros(model, hp, err));
    T2_TRY(check_areas(model, hp, err));
    T2_TRY(check_speech(model, hp, problem, err));
    return check_sequences(hp, err);
}
