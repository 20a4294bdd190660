/*
 * train/models/transformer_regressor.c - Tensor2Tensor's transformer_regressor: one number for a
 * text.
 *
 * models/transformer.py of release 1.15.7.  transformer_encoder (transformer.c) with a dense layer
 * of one unit, and variables of its own names (mdl_number_top); the loss is
 * real_l2_loss.
 */
#include "train/models/symbol_loss.h"
#include "train/models/transformer_parts.h"

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    if (!problem->has_inputs || problem->target != MDL_TARGET_REALS || problem->targets_vocab != 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs a problem of texts whose target is one number; "
                       "transformer_encoder takes several numbers and labels",
                       mdl_number_model);
    return mdl_tf_check(mdl_number_model, hp, problem, err);
}

const struct mdl_kind mdl_transformer_regressor = {
    .name = mdl_number_model,
    .own_set = "transformer_base",
    .check = check,
    .check_shape = mdl_tf_check_classifier_shape,
    .build = mdl_tf_build_classifier,
};
