/*
 * train/optim/adamax.c - Adam with the largest gradient instead of the root of squares, as Keras
 * has it (device/rules/adamax_rule.h).
 */
#include "train/device/rules/adamax_rule.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    T2_TRY(opt_add_slots(o, DEV_ADAMAX_M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, DEV_ADAMAX_U, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status begin(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err)
{
    int64_t k = s->updates + 1 + o->first_count;

    (void) global_step;
    (void) err;
    s->numbers[DEV_ADAMAX_RATE] = s->rate / (1.0F - opt_power(o->settings[DEV_ADAM_BETA1], k));
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_adamax(d, u);
}

const struct opt_method opt_adamax = {
    .name = "adamax", .slot = "Adamax", .prepare = prepare, .begin = begin, .update = update};
