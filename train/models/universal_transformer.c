/*
 * train/models/universal_transformer.c - the Universal Transformer of Tensor2Tensor (Dehghani et
 * al. 2018), with a decoder and, as a classifier, without one.
 *
 * models/research/universal_transformer.py, universal_transformer_util.py.  It is the Transformer
 * (transformer.c) with other layers (transformer_stack.c): recurrence_type=basic, a fixed number of
 * steps, or act, adaptive ones (universal_halting.c).  Step s of layer l has keys and values of its
 * own while decoding, and all steps look at the same projections of the encoder's output.  The
 * original decodes the whole prefix for every id, which gives the same numbers.
 */
#include <inttypes.h>
#include <string.h>

#include "train/models/model_keys.h"
#include "train/models/transformer_parts.h"

static const char own_set[] = "universal_transformer_base";

/* ---- refusals ---- */

static enum t2_status check_strings(const char *model, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    static const struct {
        const char *hparam, *allowed[2], *help;
    } rows[] = {{"recurrence_type", {"basic", "act"}, "basic, act"},
                {"act_type", {"basic", "accumulated"}, "basic, accumulated"},
                {"step_timing_signal_type", {"learned", "sinusoid"}, "learned, sinusoid"},
                {"add_or_concat_timing_signal", {"add"}, "add"},
                {"transformer_ffn_type", {"fc"}, "fc"}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool fine = false;

        for (int i = 0; i < 2 && rows[r].allowed[i]; i++)
            fine |= mdl_tf_is(hp, rows[r].hparam, rows[r].allowed[i]);
        if (!fine)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "%s: %s=%s is not supported (supported: %s; --hparams=%s=%s)", model,
                           rows[r].hparam, mdl_hp_string(hp, rows[r].hparam), rows[r].help,
                           rows[r].hparam, rows[r].allowed[0]);
    }
    if (mdl_hp_type_of(hp, "position_start_index") == MDL_HP_STRING)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: position_start_index=%s is not supported (supported: None, as in "
                       "hparams set %s)",
                       model, mdl_hp_string(hp, "position_start_index"), own_set);
    if (mdl_hp_bool(hp, "add_position_timing_signal") && mdl_tf_string(hp, "pos")[0])
        return t2_fail(err, T2_EUSAGE,
                       "%s: pos=%s has no place beside add_position_timing_signal=true; take "
                       "pos=none, or add_position_timing_signal=false",
                       model, mdl_hp_string(hp, "pos"));
    return T2_OK;
}

/* What the original's model does not hand on, or what is not built. */
static enum t2_status check_switches(const char *model, const struct mdl_hparams *hp,
                                     struct t2_err *err)
{
    static const char *const off[] = {"add_sru", "attention_variables_3d",
                                      "heads_share_relative_embedding", "add_relative_to_values"};
    static const char *const zero[] = {"num_encoder_layers", "num_decoder_layers"};

    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        if (mdl_hp_bool(hp, off[i]))
            return t2_fail(err, T2_EUNSUPPORTED, "%s: %s=true is not supported (supported: false)",
                           model, off[i]);
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        if (mdl_hp_int(hp, zero[i]) != 0)
            return t2_fail(err, T2_EUSAGE,
                           "%s has no %s; num_rec_steps is how often its layers are computed",
                           model, zero[i]);
    return T2_OK;
}

static enum t2_status check_halting(const char *model, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    double epsilon = mdl_hp_float(hp, "act_epsilon"), weight = mdl_hp_float(hp, "act_loss_weight");

    if (!mdl_ut_is_adaptive(hp))
        return T2_OK;
    if (!(epsilon >= 0.0 && epsilon < 1.0) || !(weight >= 0.0 && weight <= 1e6))
        return t2_fail(err, T2_EUSAGE,
                       "%s: act_epsilon=%g must lie between 0 and 1, act_loss_weight=%g between 0 "
                       "and a million",
                       model, epsilon, weight);
    return T2_OK;
}

static enum t2_status check_layers(const char *model, const struct mdl_hparams *hp,
                                   struct t2_err *err)
{
    const struct {
        const char *hparam;
        int64_t least;
    } rows[] = {{mdl_ut_is_adaptive(hp) ? "act_max_steps" : "num_rec_steps", 1},
                {"num_inrecurrence_layers", 1},
                {"num_mixedin_layers", 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t value = mdl_hp_int(hp, rows[i].hparam);

        if (value < rows[i].least || value > MDL_MAX_LAYERS)
            return t2_fail(err, T2_EUSAGE, "%s: %s=%" PRId64 " must lie between %" PRId64 " and %d",
                           model, rows[i].hparam, value, rows[i].least, MDL_MAX_LAYERS);
    }
    if (mdl_ut_layers(hp) > MDL_MAX_LAYERS)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: %d layers are computed (%s times num_inrecurrence_layers, and those of "
                       "mix_with_transformer); the most are %d",
                       model, mdl_ut_layers(hp), rows[0].hparam, MDL_MAX_LAYERS);
    return check_halting(model, hp, err);
}

static enum t2_status check_hparams(const char *model, const struct mdl_hparams *hp,
                                    const struct mdl_problem *problem, struct t2_err *err)
{
    T2_TRY(mdl_check_keys_of(model, hp, own_set, err));
    T2_TRY(check_strings(model, hp, err));
    T2_TRY(check_switches(model, hp, err));
    T2_TRY(check_layers(model, hp, err));
    return mdl_tf_check(model, hp, problem, err);
}

/* ---- the two models ---- */

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    return check_hparams("universal_transformer", hp, problem, err);
}

static enum t2_status check_encoder(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                                    struct t2_err *err)
{
    static const char model[] = "universal_transformer_encoder";

    if (!problem->has_inputs || !problem->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs a problem with inputs whose targets are class labels", model);
    return check_hparams(model, hp, problem, err);
}

const struct mdl_kind mdl_universal_transformer = {
    .name = "universal_transformer",
    .own_set = own_set,
    .check = check,
    .check_shape = mdl_tf_check_shape,
    .build = mdl_tf_build,
    .check_decoding = mdl_tf_check_decoding,
    .build_encode = mdl_tf_build_encode,
    .build_step = mdl_tf_build_step,
    .n_decoder_layers = mdl_ut_layers,
    .cache_channels = mdl_tf_cache_channels,
};

const struct mdl_kind mdl_universal_transformer_encoder = {
    .name = "universal_transformer_encoder",
    .own_set = own_set,
    .check = check_encoder,
    .check_shape = mdl_tf_check_classifier_shape,
    .build = mdl_tf_build_classifier,
};
