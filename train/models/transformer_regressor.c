/*
 * train/models/transformer_regressor.c - Tensor2Tensor's transformer_regressor: one number for a
 * text.
 *
 * models/transformer.py of release 1.15.7.  transformer_encoder (transformer.c) with a dense layer
 * of one unit, and variables of its own names, two of which embed the targets and are read by
 * nothing; the loss is real_l2_loss.
 */
#include <stdio.h>

#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/linear.h"

static const char model[] = "transformer_regressor";

bool mdl_is_regressor(const struct mdl_build *b)
{
    return b->model == model;
}

void mdl_regressor_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                       struct mdl_graph *out)
{
    int64_t D = x->dims[2];
    char scope[MDL_TF_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/real_l2_loss_modality/targets_bottom/real/bottom", model);
    mdl_tf_unread(b, scope, "kernel", 2, (int64_t[]){1, D}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, scope, "bias", 1, &D, GR_INIT_ZEROS);
    snprintf(scope, sizeof scope, "%s/reg_top_ffn/model_top", model);
    x = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", D, 1),
                  mdl_tf_vector(b, scope, "bias", 1, GR_INIT_ZEROS), false, 0.0);
    mdl_value_loss(b, MDL_LOSS_SQUARES, x, want_logits, out);
}

static enum t2_status check(const struct mdl_hparams *hp, const struct mdl_problem *problem,
                            struct t2_err *err)
{
    if (!problem->has_inputs || problem->target != MDL_TARGET_REALS || problem->targets_vocab != 1)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s needs a problem of texts whose target is one number; "
                       "transformer_encoder takes several numbers and labels",
                       model);
    return mdl_tf_check(model, hp, problem, err);
}

const struct mdl_kind mdl_transformer_regressor = {
    .name = model,
    .own_set = "transformer_base",
    .check = check,
    .check_shape = mdl_tf_check_classifier_shape,
    .build = mdl_tf_build_classifier,
};
