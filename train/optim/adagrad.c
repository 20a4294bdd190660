/*
 * train/optim/adagrad.c - Adagrad as TensorFlow (spec §4.3) and as Keras have it
 * (device/rules/adagrad_rule.h).
 *
 * The sum of squares starts at 0.1; with "keras_adagrad" at hparam
 * optimizer_adagrad_initial_accumulator_value, and eps is added to the root.
 */
#include "train/device/rules/adagrad_rule.h"
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    return opt_add_slots(o, 0, OPT_UNSIGNED, 0.1F, err);
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_adagrad(d, u);
}

static enum t2_status keras_prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    double initial = mdl_hp_float(hp, "optimizer_adagrad_initial_accumulator_value");

    if (initial < 0.0)
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adagrad_initial_accumulator_value' (%g) must not be "
                       "negative",
                       initial);
    o->settings[DEV_ADAGRAD_EPSILON] = (float) mdl_hp_float(hp, "optimizer_adagrad_epsilon");
    return opt_add_slots(o, 0, OPT_UNSIGNED, (float) initial, err);
}

static void keras_update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_keras_adagrad(d, u);
}

const struct opt_method opt_keras_adagrad = {.name = "keras_adagrad",
                                             .slot = "Adagrad",
                                             .prepare = keras_prepare,
                                             .update = keras_update};
const struct opt_method opt_adagrad = {.name = "adagrad",
                                       .slot = "Adagrad",
                                       .prepare = prepare,
                                       .update = update};
