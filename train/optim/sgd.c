/*
 * train/optim/sgd.c - plain gradient descent (device/rules/sgd_rule.h; spec §4.3).
 */
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) o;
    (void) hp;
    (void) err;
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_sgd(d, u);
}

const struct opt_method opt_sgd = {.name = "sgd",
                                   .slot = "GradientDescent",
                                   .prepare = prepare,
                                   .update = update};
