/*
 * train/optim/momentum.c - stochastic gradient descent with momentum (device/rules/sgd_rule.h; spec
 * §4.3).
 */
#include "train/device/rules/sgd_rule.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    o->settings[DEV_MOMENTUM_MU] = (float) mdl_hp_float(hp, "optimizer_momentum_momentum");
    o->settings[DEV_MOMENTUM_NESTEROV] =
        mdl_hp_bool(hp, "optimizer_momentum_nesterov") ? 1.0F : 0.0F;
    return opt_add_slots(o, 0, OPT_SIGNED, 0.0F, err);
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_momentum(d, u);
}

const struct opt_method opt_momentum = {.name = "momentum",
                                        .slot = "Momentum",
                                        .prepare = prepare,
                                        .update = update};
