/*
 * train/optim/sgd.c - plain gradient descent: x -= rate g (spec §4.3).
 */
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) o;
    (void) hp;
    (void) err;
    return T2_OK;
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset;
    float *x = u->values + p->offset;

    for (int64_t i = 0; i < p->n; i++)
        x[i] -= u->rate * (g[i] * u->scale);
}

const struct opt_method opt_sgd = {.name = "sgd",
                                   .slot = "GradientDescent",
                                   .prepare = prepare,
                                   .piece = piece};
