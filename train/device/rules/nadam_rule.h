/*
 * train/device/rules/nadam_rule.h - Adam with Nesterov's momentum, as Keras has it
 * (train/optim/nadam.c).
 *
 *   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *   x -= rate (cg g + cm m) / (sqrt(v / (1 - b2^k)) + eps)
 */
#ifndef DEV_RULES_NADAM_RULE_H
#define DEV_RULES_NADAM_RULE_H

#include <math.h>

#include "train/device/rules/adam_rule.h"

enum { DEV_NADAM_OF_GRADIENT, DEV_NADAM_OF_MEAN, DEV_NADAM_BELOW }; /* cg, cm, 1 - b2^k */
enum { DEV_NADAM_M, DEV_NADAM_V };                                  /* slots */

DEV_RULE void dev_rule_nadam(const struct dev_rule *c, struct dev_element *e)
{
    const float beta1 = c->settings[DEV_ADAM_BETA1], beta2 = c->settings[DEV_ADAM_BETA2];
    float m = beta1 * e->slot[DEV_NADAM_M] + (1.0F - beta1) * e->g;
    float v = beta2 * e->slot[DEV_NADAM_V] + (1.0F - beta2) * (e->g * e->g);

    e->slot[DEV_NADAM_M] = m;
    e->slot[DEV_NADAM_V] = v;
    e->x -= c->rate *
            (c->numbers[DEV_NADAM_OF_GRADIENT] * e->g + c->numbers[DEV_NADAM_OF_MEAN] * m) /
            (sqrtf(v / c->numbers[DEV_NADAM_BELOW]) + c->settings[DEV_ADAM_EPSILON]);
}

#endif
