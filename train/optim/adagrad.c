/*
 * train/optim/adagrad.c - Adagrad as TensorFlow (spec §4.3) and as Keras has it.
 *
 *   a += g^2, a = 0.1 at first;  x -= rate g / sqrt(a)
 *
 * "keras_adagrad": a starts at hparam optimizer_adagrad_initial_accumulator_value, and eps is added
 * to the root.
 */
#include <math.h>

#include "train/optim/method.h"

enum { EPSILON }; /* setting of keras_adagrad */

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) hp;
    return opt_add_slots(o, 0, OPT_UNSIGNED, 0.1F, err);
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
    update(u->grads + p->offset, u->scale, u->rate, p->n, u->slots[0] + p->offset,
           u->values + p->offset);
}

static enum t2_status keras_prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    double initial = mdl_hp_float(hp, "optimizer_adagrad_initial_accumulator_value");

    if (initial < 0.0)
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adagrad_initial_accumulator_value' (%g) must not be "
                       "negative",
                       initial);
    o->settings[EPSILON] = (float) mdl_hp_float(hp, "optimizer_adagrad_epsilon");
    return opt_add_slots(o, 0, OPT_UNSIGNED, (float) initial, err);
}

static void keras_piece(const struct opt_update *u, const struct opt_piece *p)
{
    const float *g = u->grads + p->offset;
    float *a = u->slots[0] + p->offset, *x = u->values + p->offset;
    float epsilon = u->o->settings[EPSILON];

    for (int64_t i = 0; i < p->n; i++) {
        float gi = g[i] * u->scale;

        a[i] += gi * gi;
        x[i] -= gi * u->rate / (sqrtf(a[i]) + epsilon);
    }
}

const struct opt_method opt_keras_adagrad = {.name = "keras_adagrad",
                                             .slot = "Adagrad",
                                             .prepare = keras_prepare,
                                             .piece = keras_piece};
const struct opt_method opt_adagrad = {.name = "adagrad",
                                       .slot = "Adagrad",
                                       .prepare = prepare,
                                       .piece = piece};
