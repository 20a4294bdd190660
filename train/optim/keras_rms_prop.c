/*
 * train/optim/keras_rms_prop.c - RMSProp as Keras has it (device/rules/rms_prop_rule.h): starts at
 * 0, eps outside the root unless there is momentum.
 */
#include "train/device/rules/rms_prop_rule.h"
#include "train/optim/method.h"

enum { SQUARES, ACCUMULATED }; /* arenas; the second only with momentum */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    double rho = mdl_hp_float(hp, "optimizer_rms_prop_rho");
    double mu = mdl_hp_float(hp, "optimizer_rms_prop_momentum");

    if (!(rho >= 0.0 && rho <= 1.0) || !(mu >= 0.0 && mu <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparams 'optimizer_rms_prop_rho' (%g) and 'optimizer_rms_prop_momentum' "
                       "(%g) must be in 0 .. 1",
                       rho, mu);
    o->settings[DEV_RMS_PROP_RHO] = (float) rho;
    o->settings[DEV_RMS_PROP_MU] = (float) mu;
    o->settings[DEV_RMS_PROP_EPSILON] = (float) mdl_hp_float(hp, "optimizer_rms_prop_epsilon");
    T2_TRY(opt_add_slots(o, SQUARES, OPT_UNSIGNED, 0.0F, err));
    return mu > 0.0 ? opt_add_slots(o, ACCUMULATED, OPT_SIGNED, 0.0F, err) : T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    if (u->slots[ACCUMULATED])
        d->kernels->update_keras_rms_prop_momentum(d, u);
    else
        d->kernels->update_keras_rms_prop(d, u);
}

const struct opt_method opt_keras_rms_prop = {.name = "keras_rms_prop",
                                              .slot = "RMSprop",
                                              .prepare = prepare,
                                              .update = update};
