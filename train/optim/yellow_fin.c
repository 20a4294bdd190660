/*
 * train/optim/yellow_fin.c - momentum with rate and momentum tuned from the gradients
 * (device/rules/yellow_fin_rule.h; spec §4.3).
 *
 * tensor2tensor/utils/yellowfin.py; Zhang et al. 2017, "YellowFin and the art of momentum tuning".
 * Each step first moves the variables with the rate and momentum of the step before, then tunes
 * them.  The schedule gives only the rate of the first step.  The tuner's state is a slot, so that
 * checkpoints hold it.
 */
#include "train/device/rules/yellow_fin_rule.h"

#include "base/alloc.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    struct dev_yellow_fin *kernel = o->own = t2_alloc(1, sizeof *kernel);

    o->settings[DEV_YELLOW_FIN_START_MU] = (float) mdl_hp_float(hp, "optimizer_momentum_momentum");
    T2_TRY(opt_add_slots(o, DEV_YELLOW_FIN_MOMENTUM, OPT_SIGNED, 0.0F, err));
    T2_TRY(opt_add_slots(o, DEV_YELLOW_FIN_MEAN, OPT_SIGNED, 0.0F, err));
    kernel->step = o->step;
    kernel->sums = o->sums;
    kernel->state = opt_alloc(o, DEV_YELLOW_FIN_STATE * sizeof *kernel->state, err);
    if (!kernel->state)
        return T2_ENOMEM;
    opt_add_named_slot(o, "training/YellowFin/state", DEV_YELLOW_FIN_STATE,
                       DEV_YELLOW_FIN_SQUARES + 1, kernel->state);
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    struct dev_yellow_fin kernel = *(const struct dev_yellow_fin *) o->own;

    kernel.of = *u;
    d->kernels->update_yellow_fin(d, &kernel);
}

const struct opt_method opt_yellow_fin = {
    .name = "yellow_fin", .slot = "YellowFin", .whole = true, .prepare = prepare, .update = update};
