/*
 * train/optim/keras_rms_prop.c - RMSProp as Keras has it: starts at 0, eps outside the root unless
 * there is momentum.
 *
 *   s = rho s + (1 - rho) g^2
 *   without momentum:  x -= rate g / (sqrt(s) + eps)
 *   with momentum:     a = mu a + rate g / sqrt(s + eps);  x -= a
 */
#include <math.h>

#include "train/optim/method.h"

enum { RHO, MU, EPSILON };     /* settings */
enum { SQUARES, ACCUMULATED }; /* arenas; the second only with momentum */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    double rho = mdl_hp_float(hp, "optimizer_rms_prop_rho");
    double mu = mdl_hp_float(hp, "optimizer_rms_prop_momentum");

    if (!(rho >= 0.0 && rho <= 1.0) || !(mu >= 0.0 && mu <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparams 'optimizer_rms_prop_rho' (%g) and 'optimizer_rms_prop_momentum' "
                       "(%g) must be in 0 .. 1",
                       rho, mu);
    o->settings[RHO] = (float) rho;
    o->settings[MU] = (float) mu;
    o->settings[EPSILON] = (float) mdl_hp_float(hp, "optimizer_rms_prop_epsilon");
    T2_TRY(opt_add_slots(o, SQUARES, OPT_UNSIGNED, 0.0F, err));
    return mu > 0.0 ? opt_add_slots(o, ACCUMULATED, OPT_SIGNED, 0.0F, err) : T2_OK;
}

/* Keras writes the two cases with differently rounded averages, and so do these. */
static void plain_update(const float *restrict g, const struct opt_update *u, int64_t n,
                         float *restrict s, float *restrict x)
{
    float rho = u->o->settings[RHO], epsilon = u->o->settings[EPSILON];

    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * u->scale;

        s[i] = rho * s[i] + (1.0F - rho) * (gi * gi);
        x[i] -= u->rate * gi / (sqrtf(s[i]) + epsilon);
    }
}

static void momentum_update(const float *restrict g, const struct opt_update *u, int64_t n,
                            float *restrict s, float *restrict a, float *restrict x)
{
    float rho = u->o->settings[RHO], mu = u->o->settings[MU], epsilon = u->o->settings[EPSILON];

    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * u->scale;

        s[i] += (gi * gi - s[i]) * (1.0F - rho);
        a[i] = a[i] * mu + gi * u->rate / sqrtf(s[i] + epsilon);
        x[i] -= a[i];
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset;
    float *s = u->slots[SQUARES] + p->offset, *x = u->values + p->offset;

    if (u->slots[ACCUMULATED])
        momentum_update(g, u, p->n, s, u->slots[ACCUMULATED] + p->offset, x);
    else
        plain_update(g, u, p->n, s, x);
}

const struct opt_method opt_keras_rms_prop = {.name = "keras_rms_prop",
                                              .slot = "RMSprop",
                                              .prepare = prepare,
                                              .piece = piece};
