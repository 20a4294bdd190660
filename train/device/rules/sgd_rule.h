/*
 * train/device/rules/sgd_rule.h - gradient descent, plain and with momentum.
 *
 *   sgd        x -= rate g
 *   momentum   a = mu a + g;  x -= rate a;  with Nesterov's form  x -= rate g + rate mu a
 *   keras_sgd  a = mu a - rate g;  x += a;  with Nesterov's form  x += mu a - rate g
 */
#ifndef DEV_RULES_SGD_RULE_H
#define DEV_RULES_SGD_RULE_H

#include "train/device/rules/rule.h"

enum { DEV_MOMENTUM_MU, DEV_MOMENTUM_NESTEROV }; /* settings */

DEV_RULE void dev_rule_sgd(const struct dev_rule *c, struct dev_element *e)
{
    e->x -= c->rate * e->g;
}

DEV_RULE void dev_rule_momentum(const struct dev_rule *c, struct dev_element *e)
{
    const float mu = c->settings[DEV_MOMENTUM_MU];
    float a = e->slot[0] * mu + e->g;

    e->slot[0] = a;
    e->x -= c->settings[DEV_MOMENTUM_NESTEROV] != 0.0F ? e->g * c->rate + a * mu * c->rate
                                                       : a * c->rate;
}

DEV_RULE void dev_rule_keras_sgd(const struct dev_rule *c, struct dev_element *e)
{
    const float mu = c->settings[DEV_MOMENTUM_MU];
    float step = e->g * c->rate, a = e->slot[0] * mu - step;

    e->slot[0] = a;
    e->x += c->settings[DEV_MOMENTUM_NESTEROV] != 0.0F ? a * mu - step : a;
}

#endif
