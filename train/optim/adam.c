/*
 * train/optim/adam.c - Adam in TensorFlow's four forms (spec §4.3) and Keras's two.
 *
 *   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *   x -= rate_k m / (sqrt(v) + eps),  rate_k = rate sqrt(1 - b2^k) / (1 - b1^k),  k = 1, 2, ...
 *
 * eps is added to the root of the uncorrected v.  "adam" is lazy for sparse gradients in the
 * original; Tensor2Tensor's are dense, so it is the same as "true_adam".  "adam_w" first takes
 * weight_decay * x off every variable (not multiplied by the rate); the L2 term of optimizer.c
 * stays active. "multistep_adam" adds up gradients and updates on every n-th step with their mean;
 * k counts the updates.  "keras_adam" is the same as "true_adam"; "amsgrad", Keras's
 * Adam(amsgrad=True), divides by the root of the largest v so far.
 */
#include <math.h>

#include "train/optim/method.h"
#include "train/optim/schedule.h"

enum { BETA1 = OPT_BETA1, BETA2 = OPT_BETA2, EPSILON = OPT_EPSILON, DECAY = OPT_N_ADAM, EVERY };
enum { RATE, APPLY };                              /* scalars */
enum { M, V, ACCUMULATED, LARGEST = ACCUMULATED }; /* arenas */

enum t2_status opt_adam_settings(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                 struct t2_err *err)
{
    double beta1 = mdl_hp_float(hp, "optimizer_adam_beta1");
    double beta2 = mdl_hp_float(hp, "optimizer_adam_beta2");

    if (!(beta1 >= 0.0 && beta1 < 1.0) || !(beta2 >= 0.0 && beta2 < 1.0))
        return t2_fail(
            err, T2_EUSAGE,
            "hparams 'optimizer_adam_beta1' (%g) and 'optimizer_adam_beta2' (%g) must be "
            "at least 0 and below 1",
            beta1, beta2);
    o->settings[BETA1] = (float) beta1;
    o->settings[BETA2] = (float) beta2;
    o->settings[EPSILON] = (float) mdl_hp_float(hp, "optimizer_adam_epsilon");
    o->settings[OPT_FIRST] = (float) opt_first_count(hp);
    return T2_OK;
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    T2_TRY(opt_adam_settings(o, hp, err));
    o->settings[EVERY] = 1.0F;
    T2_TRY(opt_add_slots(o, M, OPT_SIGNED, 0.0F, err));
    return opt_add_slots(o, V, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status prepare_amsgrad(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                      struct t2_err *err)
{
    T2_TRY(prepare(o, hp, err));
    return opt_add_slots(o, LARGEST, OPT_UNSIGNED, 0.0F, err);
}

static enum t2_status prepare_w(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                struct t2_err *err)
{
    o->settings[DECAY] = (float) mdl_hp_float(hp, "weight_decay");
    return prepare(o, hp, err);
}

static enum t2_status prepare_multistep(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                        struct t2_err *err)
{
    int64_t every = mdl_hp_int(hp, "optimizer_multistep_accumulate_steps");

    if (every < 1)
        return t2_fail(err, T2_EUSAGE,
                       "optimizer 'multistep_adam' needs hparam "
                       "'optimizer_multistep_accumulate_steps' > 0");
    T2_TRY(prepare(o, hp, err));
    o->settings[EVERY] = (float) every;
    return opt_add_slots(o, ACCUMULATED, OPT_SIGNED, 0.0F, err);
}

/* beta^k by repeated multiplication in float, as the original keeps beta1_power and multiplies it
 * in every step.  Below float's resolution of 1 - beta^k the rest does not count. */
float opt_power(float beta, int64_t k)
{
    float power = 1.0F;

    for (int64_t i = 0; i < k && power > 1e-9F; i++)
        power *= beta;
    return power;
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    int64_t every = (int64_t) o->settings[EVERY];
    int64_t k = u->updates / every + 1 + (int64_t) o->settings[OPT_FIRST];
    float power1 = opt_power(o->settings[BETA1], k), power2 = opt_power(o->settings[BETA2], k);

    (void) err;
    u->scalars[APPLY] = (u->updates + 1) % every == 0 ? 1.0F : 0.0F;
    u->scalars[RATE] = u->rate * sqrtf(1.0F - power2) / (1.0F - power1);
    return T2_OK;
}

struct constants {
    float one_less_beta1, one_less_beta2, epsilon, rate;
};

static struct constants constants_of(const struct opt_update *u)
{
    const float *s = u->o->settings;

    return (struct constants){1.0F - s[BETA1], 1.0F - s[BETA2], s[EPSILON], u->scalars[RATE]};
}

/* The differences (g - m) (1 - b1) are how TensorFlow's kernel rounds; b1 m + (1 - b1) g is not the
 * same in the last bit. */
static void adam_update(struct constants c, const float *restrict g, float scale, int64_t n,
                        float *restrict m, float *restrict v, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        m[i] += (gi - m[i]) * c.one_less_beta1;
        v[i] += (gi * gi - v[i]) * c.one_less_beta2;
        x[i] -= (m[i] * c.rate) / (sqrtf(v[i]) + c.epsilon);
    }
}

static void adam_piece(const struct opt_update *u, const struct opt_piece *p)
{
    adam_update(constants_of(u), u->grads + p->offset, u->scale, p->n, u->slots[M] + p->offset,
                u->slots[V] + p->offset, u->values + p->offset);
}

static void decay(float *x, int64_t n, float rate)
{
    for (int64_t i = 0; i < n; i++)
        x[i] -= rate * x[i];
}

static void adam_w_piece(const struct opt_update *u, const struct opt_piece *p)
{
    decay(u->values + p->offset, p->n, u->o->settings[DECAY]);
    adam_piece(u, p);
}

static void amsgrad_update(struct constants c, const float *restrict g, float scale, int64_t n,
                           float *restrict m, float *restrict v, float *restrict largest,
                           float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        m[i] += (gi - m[i]) * c.one_less_beta1;
        v[i] += (gi * gi - v[i]) * c.one_less_beta2;
        largest[i] = v[i] > largest[i] ? v[i] : largest[i];
        x[i] -= (m[i] * c.rate) / (sqrtf(largest[i]) + c.epsilon);
    }
}

static void amsgrad_piece(const struct opt_update *u, const struct opt_piece *p)
{
    amsgrad_update(constants_of(u), u->grads + p->offset, u->scale, p->n, u->slots[M] + p->offset,
                   u->slots[V] + p->offset, u->slots[LARGEST] + p->offset, u->values + p->offset);
}

static void accumulate(const float *restrict g, float scale, int64_t n, float *restrict sum)
{
    for (int64_t i = 0; i < n; i++)
        sum[i] += g[i] * scale;
}

static void divide(float *x, int64_t n, float by)
{
    for (int64_t i = 0; i < n; i++)
        x[i] /= by;
}

static void clear(float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = 0.0F;
}

/* The gradients are added up before they are divided, in float, as in the original. */
static void multistep_piece(const struct opt_update *u, const struct opt_piece *p)
{
    float *sum = u->slots[ACCUMULATED] + p->offset;

    accumulate(u->grads + p->offset, u->scale, p->n, sum);
    if (u->scalars[APPLY] == 0.0F)
        return;
    divide(sum, p->n, u->o->settings[EVERY]);
    adam_update(constants_of(u), sum, 1.0F, p->n, u->slots[M] + p->offset, u->slots[V] + p->offset,
                u->values + p->offset);
    clear(sum, p->n);
}

const struct opt_method opt_adam = {
    .name = "adam", .slot = "Adam", .prepare = prepare, .begin = begin, .piece = adam_piece};
const struct opt_method opt_true_adam = {
    .name = "true_adam", .slot = "Adam", .prepare = prepare, .begin = begin, .piece = adam_piece};
const struct opt_method opt_keras_adam = {
    .name = "keras_adam", .slot = "Adam", .prepare = prepare, .begin = begin, .piece = adam_piece};
const struct opt_method opt_amsgrad = {.name = "amsgrad",
                                       .slot = "Adam",
                                       .prepare = prepare_amsgrad,
                                       .begin = begin,
                                       .piece = amsgrad_piece};
const struct opt_method opt_adam_w = {
    .name = "adam_w", .slot = "AdamW", .prepare = prepare_w, .begin = begin, .piece = adam_w_piece};
const struct opt_method opt_multistep_adam = {.name = "multistep_adam",
                                              .slot = "Adam",
                                              .prepare = prepare_multistep,
                                              .begin = begin,
                                              .piece = multistep_piece};
