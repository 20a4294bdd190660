/*
 * train/optim/adagrad.c - Adagrad as TensorFlow has it (spec §4.3).
 *
 *   a += g^2, a = 0.1 at first;  x -= rate g / sqrt(a)
 */
#include <math.h>

#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    return opt_add_like(o, 0, 0.1F, err);
}

static void update(const float *restrict g, float scale, float rate, int64_t n, float *restrict a,
                   float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        a[i] += gi * gi;
        x[i] -= gi * rate / sqrtf(a[i]);
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    update(u->grads + p->offset, u->scale, u->rate, p->n, u->like[0] + p->offset,
           u->values + p->offset);
}

const struct opt_method opt_adagrad = {.name = "adagrad",
                                       .slot = "Adagrad",
                                       .prepare = prepare,
                                       .piece = piece};
