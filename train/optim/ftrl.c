/*
 * train/optim/ftrl.c - FTRL-proximal without L1 and L2 terms, as TensorFlow has it
 * (device/rules/ftrl_rule.h; spec §4.3).
 */
#include "train/device/rules/ftrl_rule.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    T2_TRY(opt_add_slots(o, DEV_FTRL_N, OPT_UNSIGNED, 0.1F, err));
    return opt_add_slots(o, DEV_FTRL_Z, OPT_SIGNED, 0.0F, err);
}

static enum t2_status begin(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err)
{
    (void) o;
    (void) global_step;
    if (!(s->rate > 0.0F))
        return t2_fail(
            err, T2_EUSAGE,
            "optimizer 'ftrl' divides by the learning rate, which is %g at this step; use "
            "a schedule without linear_warmup",
            (double) s->rate);
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_ftrl(d, u);
}

const struct opt_method opt_ftrl = {
    .name = "ftrl", .slot = "Ftrl", .prepare = prepare, .begin = begin, .update = update};
