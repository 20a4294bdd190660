/*
 * train/optim/nadam.c - Adam with Nesterov's momentum, as Keras has it (Dozat 2016;
 * device/rules/nadam_rule.h).
 *
 *   mu_k = b1 (1 - 0.5 * 0.96^(decay k));  P_k = mu_1 ... mu_k,  k = 1, 2, ...
 *   (k begins, and P_k with it, at 2 in Keras' fit: schedule.h)
 *   cg = (1 - mu_k) / (1 - P_k);  cm = mu_(k+1) / (1 - P_k mu_(k+1))
 */
#include <math.h>

#include "train/device/rules/nadam_rule.h"
#include "train/optim/method.h"

enum { DECAY = DEV_ADAM_EPSILON + 1 }; /* setting behind Adam's, for `begin` */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    o->settings[DECAY] = (float) mdl_hp_float(hp, "optimizer_nadam_schedule_decay");
    T2_TRY(opt_add_slots(o, DEV_NADAM_M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, DEV_NADAM_V, OPT_UNSIGNED, 0.0F, err);
}

static float momentum_at(const float *s, int64_t k)
{
    return s[DEV_ADAM_BETA1] * (1.0F - 0.5F * powf(0.96F, s[DECAY] * (float) k));
}

static enum t2_status begin(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err)
{
    int64_t first = o->first_count + 1, k = s->updates + first;
    float mu = momentum_at(o->settings, k), next = momentum_at(o->settings, k + 1), product = 1.0F;

    (void) global_step;
    (void) err;
    for (int64_t i = first; i <= k && product > 1e-9F; i++) /* below that, 1 - product is 1 */
        product *= momentum_at(o->settings, i);
    s->numbers[DEV_NADAM_OF_GRADIENT] = (1.0F - mu) / (1.0F - product);
    s->numbers[DEV_NADAM_OF_MEAN] = next / (1.0F - product * next);
    s->numbers[DEV_NADAM_BELOW] = 1.0F - opt_power(o->settings[DEV_ADAM_BETA2], k);
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    (void) o;
    d->kernels->update_nadam(d, u);
}

const struct opt_method opt_nadam = {
    .name = "nadam", .slot = "Nadam", .prepare = prepare, .begin = begin, .update = update};
