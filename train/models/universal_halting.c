/*
 * train/models/universal_halting.c - adaptive steps of the Universal Transformer
 * (recurrence_type=act): a position takes a share of each step's result, and its steps are a part
 * of the loss.
 *
 * models/research/universal_transformer_util.py of release 1.15.7, universal_transformer_act;
 * act_type basic and accumulated.  In front of each of act_max_steps steps a dense layer gives the
 * probability that the position halts (ops/halt.h).  The original stops when all positions of the
 * batch have halted; steps after that have weight 0 here.
 */
#include <stdio.h>

#include "train/models/transformer_parts.h"
#include "train/ops/linear.h"

bool mdl_ut_is_adaptive(const struct mdl_hparams *hp)
{
    return mdl_tf_is(hp, "recurrence_type", "act");
}

void mdl_ut_begin_step(const struct mdl_build *b, struct gr_tensor *x, const char *stack,
                       struct mdl_ut_halting *h)
{
    char scope[MDL_TF_FULL_NAME_BYTES];

    snprintf(scope, sizeof scope,
             "%s/body/%s/universal_transformer_act/sigmoid_activation_for_pondering/dense",
             b->model, stack);
    h->logits = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", x->dims[2], 1),
                          mdl_tf_variable(b, scope, "bias", 1, (int64_t[]){1}, GR_INIT_CONSTANT,
                                          mdl_hp_float(b->hp, "act_halting_bias_init")),
                          false, 0.0);
}

void mdl_ut_end_step(const struct mdl_build *b, struct gr_tensor *x, struct mdl_ut_halting *h)
{
    struct nn_halt how = {.epsilon = mdl_hp_float(b->hp, "act_epsilon"),
                          .accumulated = mdl_tf_is(b->hp, "act_type", "accumulated")};

    nn_halt(b->g, x, h->logits, &how, &h->halted);
}

struct gr_tensor *mdl_ut_result(const struct mdl_build *b, const struct mdl_ut_halting *h,
                                struct mdl_graph *out)
{
    double weight = mdl_hp_float(b->hp, "act_loss_weight");

    if (!out || weight == 0.0)
        return h->halted.mixed;
    T2_ASSERT(out->n_ponder < 2);
    out->ponder[out->n_ponder++] = (struct mdl_ponder){h->halted.state, 1, 2, weight};
    return nn_ponder(b->g, &h->halted, weight);
}
