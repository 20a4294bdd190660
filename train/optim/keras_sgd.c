/*
 * train/optim/keras_sgd.c - momentum as Keras's SGD has it: the rate is inside the sum.
 *
 *   a = mu a - rate g;  x += a;  with Nesterov's form  x += mu a - rate g
 *
 * Equal to momentum.c while the rate does not change.
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

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset;
    float *a = u->slots[0] + p->offset, *x = u->values + p->offset;
    float mu = u->o->settings[MU];
    bool nesterov = u->o->settings[NESTEROV] != 0.0F;

    for (int64_t i = 0; i < p->n; i++) {
        float step = g[i] * u->scale * u->rate;

        a[i] = a[i] * mu - step;
        x[i] += nesterov ? a[i] * mu - step : a[i];
    }
}

const struct opt_method opt_keras_sgd = {.name = "keras_sgd",
                                         .slot = "SGD",
                                         .prepare = prepare,
                                         .piece = piece};
