/*
 * train/optim/rms_prop.c - RMSProp with TensorFlow's defaults (device/rules/rms_prop_rule.h; spec
 * §4.3).
 *
 * The momentum is 0, so the second slot is the last update; it is kept because it is one of the
 * original's slots.
 */
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    T2_TRY(opt_add_slots(o, 0, OPT_UNSIGNED, 1.0F, err));
    return opt_add_slots(o, 1, OPT_SIGNED, 0.0F, err);
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_rms_prop(d, u);
}

const struct opt_method opt_rms_prop = {.name = "rms_prop",
                                        .slot = "RMSProp",
                                        .prepare = prepare,
                                        .update = update};
