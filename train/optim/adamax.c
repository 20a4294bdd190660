/*
 * train/optim/adamax.c - Adam with the largest gradient instead of the root of squares, as Keras
 * has it.
 *
 *   m = b1 m + (1 - b1) g;  u = max(b2 u, |g|)
 *   x -= rate / (1 - b1^k) m / (u + eps),  k = 1, 2, ...
 */
#include <math.h>

#include "train/optim/method.h"

enum { RATE }; /* scalars */
enum { M, U }; /* arenas */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    T2_TRY(opt_add_slots(o, M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, U, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    int64_t k = u->updates + 1 + (int64_t) o->settings[OPT_FIRST];

    (void) err;
    u->scalars[RATE] = u->rate / (1.0F - opt_power(o->settings[OPT_BETA1], k));
    return T2_OK;
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset, *s = u->o->settings;
    float *m = u->slots[M] + p->offset, *largest = u->slots[U] + p->offset;
    float *x = u->values + p->offset;

    for (int64_t i = 0; i < p->n; i++) {
        float gi = g[i] * u->scale, faded = largest[i] * s[OPT_BETA2];

        m[i] += (gi - m[i]) * (1.0F - s[OPT_BETA1]);
        largest[i] = faded > fabsf(gi) ? faded : fabsf(gi);
        x[i] -= u->scalars[RATE] * (m[i] / (largest[i] + s[OPT_EPSILON]));
    }
}

const struct opt_method opt_adamax = {
    .name = "adamax", .slot = "Adamax", .prepare = prepare, .begin = begin, .piece = piece};
