/*
 * train/device/rules/adagrad_rule.h - Adagrad as TensorFlow and as Keras have it.
 *
 *   a += g^2;  x -= rate g / sqrt(a), or / (sqrt(a) + eps)
 */
#ifndef DEV_RULES_ADAGRAD_RULE_H
#define DEV_RULES_ADAGRAD_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

enum { DEV_ADAGRAD_EPSILON }; /* setting of keras_adagrad */

DEV_RULE void dev_rule_adagrad(const struct dev_rule *c, struct dev_element *e)
{
    e->slot[0] += e->g * e->g;
    e->x -= e->g * c->rate / sqrtf(e->slot[0]);
}

DEV_RULE void dev_rule_keras_adagrad(const struct dev_rule *c, struct dev_element *e)
{
    e->slot[0] += e->g * e->g;
    e->x -= e->g * c->rate / (sqrtf(e->slot[0]) + c->settings[DEV_ADAGRAD_EPSILON]);
}

#endif
