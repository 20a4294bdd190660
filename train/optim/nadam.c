/*
 * train/optim/nadam.c - Adam with Nesterov's momentum, as Keras has it (Dozat 2016).
 *
 *   mu_k = b1 (1 - 0.5 * 0.96^(decay k));  P_k = mu_1 ... mu_k,  k = 1, 2, ...
 *   (k begins, and P_k with it, at 2 in Keras' fit: schedule.h)
 *   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *   n = (1 - mu_k) g / (1 - P_k) + mu_(k+1) m / (1 - P_k mu_(k+1))
 *   x -= rate n / (sqrt(v / (1 - b2^k)) + eps)
 */
#include <math.h>

#include "train/optim/method.h"

enum { DECAY = OPT_N_ADAM }; /* setting behind Adam's */
enum { OF_GRADIENT, OF_MEAN, BELOW };
enum { M, V }; /* arenas */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    o->settings[DECAY] = (float) mdl_hp_float(hp, "optimizer_nadam_schedule_decay");
    T2_TRY(opt_add_slots(o, M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, V, OPT_UNSIGNED, 0.0F, err);
}

static float momentum_at(const float *s, int64_t k)
{
    return s[OPT_BETA1] * (1.0F - 0.5F * powf(0.96F, s[DECAY] * (float) k));
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    const float *s = o->settings;
    int64_t first = (int64_t) s[OPT_FIRST] + 1, k = u->updates + first;
    float mu = momentum_at(s, k), next = momentum_at(s, k + 1), product = 1.0F;

    (void) err;
    for (int64_t i = first; i <= k && product > 1e-9F; i++) /* below that, 1 - product is 1 */
        product *= momentum_at(s, i);
    u->scalars[OF_GRADIENT] = (1.0F - mu) / (1.0F - product);
    u->scalars[OF_MEAN] = next / (1.0F - product * next);
    u->scalars[BELOW] = 1.0F - opt_power(s[OPT_BETA2], k);
    return T2_OK;
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset, *s = u->o->settings, *c = u->scalars;
    float *m = u->slots[M] + p->offset, *v = u->slots[V] + p->offset, *x = u->values + p->offset;

    for (int64_t i = 0; i < p->n; i++) {
        float gi = g[i] * u->scale;

        m[i] = s[OPT_BETA1] * m[i] + (1.0F - s[OPT_BETA1]) * gi;
        v[i] = s[OPT_BETA2] * v[i] + (1.0F - s[OPT_BETA2]) * (gi * gi);
        x[i] -= u->rate * (c[OF_GRADIENT] * gi + c[OF_MEAN] * m[i]) /
                (sqrtf(v[i] / c[BELOW]) + s[OPT_EPSILON]);
    }
}

const struct opt_method opt_nadam = {
    .name = "nadam", .slot = "Nadam", .prepare = prepare, .begin = begin, .piece = piece};
