/*
 * train/optim/lars.c - momentum with a rate for each variable, from the norms of variable and
 * gradient (device/rules/lars_rule.h).
 *
 * LARSOptimizer of tf.contrib.opt, which tensorflow/tpu uses for ResNet-50; You et al. 2017, "Large
 * batch training of convolutional networks".  Variables whose name contains one of hparam
 * optimizer_lars_skip have the whole rate and no decay.  Decay is hparam weight_decay; it is not in
 * the loss as well.
 */
#include "train/device/rules/lars_rule.h"

#include "base/alloc.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    const struct gr_params *params = o->params;
    double mu = mdl_hp_float(hp, "optimizer_momentum_momentum");
    double decay = mdl_hp_float(hp, "weight_decay");
    size_t n = (size_t) params->n_variables;
    struct dev_lars *kernel = o->own = t2_alloc(1, sizeof *kernel);
    bool *skipped;

    if (mu < 0.0 || decay < 0.0)
        return t2_fail(err, T2_EUSAGE,
                       "optimizer 'lars': hparams 'optimizer_momentum_momentum' (%g) and "
                       "'weight_decay' (%g) must not be negative",
                       mu, decay);
    o->settings[DEV_LARS_MU] = (float) mu;
    o->settings[DEV_LARS_DECAY] = (float) decay;
    o->settings[DEV_LARS_NESTEROV] = mdl_hp_bool(hp, "optimizer_momentum_nesterov") ? 1.0F : 0.0F;
    o->settings[DEV_LARS_EETA] = (float) mdl_hp_float(hp, "optimizer_lars_eeta");
    o->settings[DEV_LARS_EPSILON] = (float) mdl_hp_float(hp, "optimizer_lars_epsilon");
    skipped = t2_alloc(n, sizeof *skipped);
    for (size_t i = 0; i < n; i++)
        skipped[i] =
            opt_name_has_part(params->variables[i].name, mdl_hp_string(hp, "optimizer_lars_skip"));
    kernel->n_variables = params->n_variables;
    kernel->skipped = opt_upload(o, skipped, n * sizeof *skipped, err);
    t2_free(skipped);
    kernel->sums = o->sums;
    kernel->rates = opt_alloc(o, n * sizeof *kernel->rates, err);
    if (!kernel->skipped || !kernel->rates)
        return T2_ENOMEM;
    return opt_add_slots(o, 0, OPT_SIGNED, 0.0F, err);
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    struct dev_lars kernel = *(const struct dev_lars *) o->own;

    kernel.of = *u;
    d->kernels->update_lars(d, &kernel);
}

const struct opt_method opt_lars = {.name = "lars",
                                    .slot = "LARSOptimizer",
                                    .decays_itself = true,
                                    .whole = true,
                                    .prepare = prepare,
                                    .update = update};
