/*
 * train/optim/adam.c - Adam in TensorFlow's four forms (spec §4.3) and Keras's three
 * (device/rules/adam_rule.h).
 *
 *   rate_k = rate sqrt(1 - b2^k) / (1 - b1^k),  k = 1, 2, ...
 *
 * eps is added to the root of the uncorrected v.  "adam" is lazy for sparse gradients in the
 * original; Tensor2Tensor's are dense, so it is the same as "true_adam".  "adam_w" first takes
 * weight_decay * x off every variable (not multiplied by the rate); the L2 term of optimizer.c
 * stays active. "multistep_adam" adds up gradients and updates on every n-th step with their mean;
 * k counts the updates.  "keras_adam" is the same as "true_adam"; "amsgrad", Keras's
 * Adam(amsgrad=True), divides by the root of the largest v so far.  "keras_adam_w" is Model
 * Garden's AdamWeightDecay: it first takes rate * optimizer_adam_weight_decay * x off the variables
 * whose name contains none of optimizer_adam_decay_skip.
 */
#include <math.h>
#include <string.h>

#include "train/device/rules/adam_rule.h"
#include "train/optim/method.h"
#include "train/optim/schedule.h"

enum t2_status opt_adam_settings(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                 struct t2_err *err)
{
    double beta1 = mdl_hp_float(hp, "optimizer_adam_beta1");
    double beta2 = mdl_hp_float(hp, "optimizer_adam_beta2");

    if (!(beta1 >= 0.0 && beta1 < 1.0) || !(beta2 >= 0.0 && beta2 < 1.0))
        return t2_fail(
            err, T2_EUSAGE,
            "hparams 'optimizer_adam_beta1' (%g) and 'optimizer_adam_beta2' (%g) must be "
            "at least 0 and below 1",
            beta1, beta2);
    o->settings[DEV_ADAM_BETA1] = (float) beta1;
    o->settings[DEV_ADAM_BETA2] = (float) beta2;
    o->settings[DEV_ADAM_EPSILON] = (float) mdl_hp_float(hp, "optimizer_adam_epsilon");
    o->first_count = opt_first_count(hp);
    return T2_OK;
}

/* Rounding adds up over thousands of products: one more or less is the global step. */
int64_t opt_updates_of_power(const struct opt_optimizer *o, float beta2_power, int64_t global_step)
{
    const char *name = o->method->name;
    bool counts =
        strcmp(name, "adam") == 0 || strcmp(name, "true_adam") == 0 || strcmp(name, "adam_w") == 0;
    double beta2 = counts ? (double) o->settings[DEV_ADAM_BETA2] : 0.0, updates;

    if (!(beta2_power > 1e-30F && beta2_power < 1.0F && beta2 > 0.0))
        return global_step;
    updates = round(log((double) beta2_power) / log(beta2)) - 1.0;
    if (updates < 0.0 || updates > (double) global_step - 1.5)
        return global_step;
    return (int64_t) updates;
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    o->settings[DEV_ADAM_EVERY] = 1.0F;
    T2_TRY(opt_add_slots(o, DEV_ADAM_M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, DEV_ADAM_V, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status prepare_amsgrad(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                      struct t2_err *err)
{
    T2_TRY(prepare(o, hp, err));
    return opt_add_slots(o, DEV_ADAM_LARGEST, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status prepare_w(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                struct t2_err *err)
{
    o->settings[DEV_ADAM_DECAY] = (float) mdl_hp_float(hp, "weight_decay");
    return prepare(o, hp, err);
}

static float shrink(const struct gr_variable *v, const struct mdl_hparams *hp)
{
    return opt_name_has_part(v->name, mdl_hp_string(hp, "optimizer_adam_decay_skip"))
               ? 0.0F
               : (float) mdl_hp_float(hp, "optimizer_adam_weight_decay");
}

static enum t2_status prepare_keras_w(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                      struct t2_err *err)
{
    double decay = mdl_hp_float(hp, "optimizer_adam_weight_decay");

    if (!(decay >= 0.0 && decay <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adam_weight_decay' must be from 0 to 1, not %g", decay);
    return prepare(o, hp, err);
}

static enum t2_status prepare_multistep(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                        struct t2_err *err)
{
    int64_t every = mdl_hp_int(hp, "optimizer_multistep_accumulate_steps");

    if (every < 1)
        return t2_fail(err, T2_EUSAGE,
                       "optimizer 'multistep_adam' needs hparam "
                       "'optimizer_multistep_accumulate_steps' > 0");
    T2_TRY(prepare(o, hp, err));
    o->settings[DEV_ADAM_EVERY] = (float) every;
    return opt_add_slots(o, DEV_ADAM_SUM, OPT_SIGNED, 0.0F, err);
}

/* beta^k by repeated multiplication in float, as the original keeps beta1_power and multiplies it
 * in every step.  Below float's resolution of 1 - beta^k the rest does not count. */
float opt_power(float beta, int64_t k)
{
    float power = 1.0F;

    for (int64_t i = 0; i < k && power > 1e-9F; i++)
        power *= beta;
    return power;
}

static enum t2_status begin(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err)
{
    int64_t every = (int64_t) o->settings[DEV_ADAM_EVERY];
    int64_t k = s->updates / every + 1 + o->first_count;
    float power1 = opt_power(o->settings[DEV_ADAM_BETA1], k);
    float power2 = opt_power(o->settings[DEV_ADAM_BETA2], k);

    (void) global_step;
    (void) err;
    s->numbers[DEV_ADAM_APPLY] = (s->updates + 1) % every == 0 ? 1.0F : 0.0F;
    s->numbers[DEV_ADAM_RATE] = s->rate * sqrtf(1.0F - power2) / (1.0F - power1);
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_adam(d, u);
}

static void update_w(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_adam_w(d, u);
}

static void update_keras_w(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_keras_adam_w(d, u);
}

static void update_amsgrad(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_amsgrad(d, u);
}

static void update_multistep(const struct opt_optimizer *o, struct dev *d,
                             const struct dev_update *u)
{
    (void) o;
    d->kernels->update_multistep_adam(d, u);
}

const struct opt_method opt_adam = {
    .name = "adam", .slot = "Adam", .prepare = prepare, .begin = begin, .update = update};
const struct opt_method opt_true_adam = {
    .name = "true_adam", .slot = "Adam", .prepare = prepare, .begin = begin, .update = update};
const struct opt_method opt_keras_adam = {
    .name = "keras_adam", .slot = "Adam", .prepare = prepare, .begin = begin, .update = update};
const struct opt_method opt_keras_adam_w = {.name = "keras_adam_w",
                                            .slot = "Adam",
                                            .shrink = shrink,
                                            .prepare = prepare_keras_w,
                                            .begin = begin,
                                            .update = update_keras_w};
const struct opt_method opt_amsgrad = {.name = "amsgrad",
                                       .slot = "Adam",
                                       .prepare = prepare_amsgrad,
                                       .begin = begin,
                                       .update = update_amsgrad};
const struct opt_method opt_adam_w = {
    .name = "adam_w", .slot = "AdamW", .prepare = prepare_w, .begin = begin, .update = update_w};
const struct opt_method opt_multistep_adam = {.name = "multistep_adam",
                                              .slot = "Adam",
                                              .prepare = prepare_multistep,
                                              .begin = begin,
                                              .update = update_multistep};
