/*
 * train/device/rules/adam_rule.h - Adam in TensorFlow's and Keras's forms (train/optim/adam.c).
 *
 *   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2;  x -= rate_k m / (sqrt(v) + eps)
 *
 * The differences (g - m) (1 - b1) are how TensorFlow's kernel rounds; b1 m + (1 - b1) g is not the
 * same in the last bit.
 */
#ifndef DEV_RULES_ADAM_RULE_H
#define DEV_RULES_ADAM_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

/* Settings: the first three are those of Adamax and Nadam, too. */
enum {
    DEV_ADAM_BETA1,
    DEV_ADAM_BETA2,
    DEV_ADAM_EPSILON,
    DEV_ADAM_DECAY, /* adam_w: of all values, not multiplied by the rate */
    DEV_ADAM_EVERY  /* multistep_adam: steps per update */
};
/* Numbers: rate sqrt(1 - b2^k) / (1 - b1^k); 1 in the steps in which multistep_adam updates. */
enum { DEV_ADAM_RATE, DEV_ADAM_APPLY };
/* Slots. */
enum { DEV_ADAM_M, DEV_ADAM_V, DEV_ADAM_LARGEST, DEV_ADAM_SUM = DEV_ADAM_LARGEST };

DEV_RULE void dev_adam_moments(const struct dev_rule *c, float g, struct dev_element *e)
{
    e->slot[DEV_ADAM_M] += (g - e->slot[DEV_ADAM_M]) * (1.0F - c->settings[DEV_ADAM_BETA1]);
    e->slot[DEV_ADAM_V] += (g * g - e->slot[DEV_ADAM_V]) * (1.0F - c->settings[DEV_ADAM_BETA2]);
}

DEV_RULE void dev_adam_move(const struct dev_rule *c, float v, struct dev_element *e)
{
    e->x -= (e->slot[DEV_ADAM_M] * c->numbers[DEV_ADAM_RATE]) /
            (sqrtf(v) + c->settings[DEV_ADAM_EPSILON]);
}

DEV_RULE void dev_rule_adam(const struct dev_rule *c, struct dev_element *e)
{
    dev_adam_moments(c, e->g, e);
    dev_adam_move(c, e->slot[DEV_ADAM_V], e);
}

DEV_RULE void dev_rule_adam_w(const struct dev_rule *c, struct dev_element *e)
{
    e->x -= c->settings[DEV_ADAM_DECAY] * e->x;
    dev_rule_adam(c, e);
}

/* The share of x is rounded before it is taken off, as in the original. */
DEV_RULE void dev_rule_keras_adam_w(const struct dev_rule *c, struct dev_element *e)
{
    e->x -= c->rate * e->x * c->shrink;
    dev_rule_adam(c, e);
}

/* Divides by the root of the largest v so far. */
DEV_RULE void dev_rule_amsgrad(const struct dev_rule *c, struct dev_element *e)
{
    float v;

    dev_adam_moments(c, e->g, e);
    v = e->slot[DEV_ADAM_V];
    e->slot[DEV_ADAM_LARGEST] = v > e->slot[DEV_ADAM_LARGEST] ? v : e->slot[DEV_ADAM_LARGEST];
    dev_adam_move(c, e->slot[DEV_ADAM_LARGEST], e);
}

/* Gradients are added up before they are divided, in float, as in the original. */
DEV_RULE void dev_rule_multistep_adam(const struct dev_rule *c, struct dev_element *e)
{
    e->slot[DEV_ADAM_SUM] += e->g;
    if (c->numbers[DEV_ADAM_APPLY] != 0.0F) {
        dev_adam_moments(c, e->slot[DEV_ADAM_SUM] / c->settings[DEV_ADAM_EVERY], e);
        dev_adam_move(c, e->slot[DEV_ADAM_V], e);
        e->slot[DEV_ADAM_SUM] = 0.0F;
    }
}

#endif
