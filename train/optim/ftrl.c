/*
 * train/optim/ftrl.c - FTRL-proximal without L1 and L2 terms, as TensorFlow has it (spec §4.3).
 *
 *   n' = n + g^2, n = 0.1 at first;  z += g - (sqrt n' - sqrt n) / rate x;  x = -z rate / sqrt n'
 */
#include <math.h>

#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    T2_TRY(opt_add_slots(o, 0, OPT_UNSIGNED, 0.1F, err));
    return opt_add_slots(o, 1, OPT_SIGNED, 0.0F, err);
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    (void) o;
    if (!(u->rate > 0.0F))
        return t2_fail(
            err, T2_EUSAGE,
            "optimizer 'ftrl' divides by the learning rate, which is %g at this step; use "
            "a schedule without linear_warmup",
            (double) u->rate);
    return T2_OK;
}

static void update(const float *restrict g, float scale, float rate, int64_t n,
                   float *restrict accumulated, float *restrict z, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;
        float grown = accumulated[i] + gi * gi, root = sqrtf(grown);

        z[i] += gi - (root - sqrtf(accumulated[i])) / rate * x[i];
        x[i] = -z[i] / (root / rate);
        accumulated[i] = grown;
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    update(u->grads + p->offset, u->scale, u->rate, p->n, u->slots[0] + p->offset,
           u->slots[1] + p->offset, u->values + p->offset);
}

const struct opt_method opt_ftrl = {
    .name = "ftrl", .slot = "Ftrl", .prepare = prepare, .begin = begin, .piece = piece};
