/*
 * train/optim/momentum.c - stochastic gradient descent with momentum (spec §4.3).
 *
 *   a = mu a + g;  x -= rate a;  with Nesterov's form  x -= rate g + rate mu a
 */
#include "train/optim/method.h"

enum { MU, NESTEROV }; /* settings */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    o->settings[MU] = (float) mdl_hp_float(hp, "optimizer_momentum_momentum");
    o->settings[NESTEROV] = mdl_hp_bool(hp, "optimizer_momentum_nesterov") ? 1.0F : 0.0F;
    return opt_add_slots(o, 0, OPT_SIGNED, 0.0F, err);
}

static void plain_update(const float *restrict g, float scale, float rate, float mu, int64_t n,
                         float *restrict a, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        a[i] = a[i] * mu + g[i] * scale;
        x[i] -= a[i] * rate;
    }
}

static void nesterov_update(const float *restrict g, float scale, float rate, float mu, int64_t n,
                            float *restrict a, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        a[i] = a[i] * mu + gi;
        x[i] -= gi * rate + a[i] * mu * rate;
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *settings = u->o->settings;

    (settings[NESTEROV] != 0.0F ? nesterov_update : plain_update)(u->grads + p->offset, u->scale,
                                                                  u->rate, settings[MU], p->n,
                                                                  u->slots[0] + p->offset,
                                                                  u->values + p->offset);
}

const struct opt_method opt_momentum = {.name = "momentum",
                                        .slot = "Momentum",
                                        .prepare = prepare,
                                        .piece = piece};
