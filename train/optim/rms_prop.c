/*
 * train/optim/rms_prop.c - RMSProp with TensorFlow's defaults (spec §4.3).
 *
 *   s += 0.1 (g^2 - s), s = 1 at first;  mom = rate g / sqrt(s + 1e-10);  x -= mom
 *
 * The momentum is 0, so mom is the last update; it is kept because it is one of the original's
 * slots.
 */
#include <math.h>

#include "train/optim/method.h"

static const float one_less_decay = 1.0F - 0.9F, epsilon = 1e-10F;

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    T2_TRY(opt_add_slots(o, 0, OPT_UNSIGNED, 1.0F, err));
    return opt_add_slots(o, 1, OPT_SIGNED, 0.0F, err);
}

static void update(const float *restrict g, float scale, float rate, int64_t n, float *restrict s,
                   float *restrict mom, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        s[i] += (gi * gi - s[i]) * one_less_decay;
        mom[i] = gi * rate / sqrtf(epsilon + s[i]);
        x[i] -= mom[i];
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    update(u->grads + p->offset, u->scale, u->rate, p->n, u->slots[0] + p->offset,
           u->slots[1] + p->offset, u->values + p->offset);
}

const struct opt_method opt_rms_prop = {.name = "rms_prop",
                                        .slot = "RMSProp",
                                        .prepare = prepare,
                                        .piece = piece};
