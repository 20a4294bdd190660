/*
 * train/device/rules/ftrl_rule.h - FTRL-proximal without L1 and L2 terms, as TensorFlow has it.
 *
 *   n' = n + g^2;  z += g - (sqrt n' - sqrt n) / rate x;  x = -z rate / sqrt n'
 */
#ifndef DEV_RULES_FTRL_RULE_H
#define DEV_RULES_FTRL_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

enum { DEV_FTRL_N, DEV_FTRL_Z }; /* slots */

DEV_RULE void dev_rule_ftrl(const struct dev_rule *c, struct dev_element *e)
{
    float grown = e->slot[DEV_FTRL_N] + e->g * e->g, root = sqrtf(grown);

    e->slot[DEV_FTRL_Z] += e->g - (root - sqrtf(e->slot[DEV_FTRL_N])) / c->rate * e->x;
    e->x = -e->slot[DEV_FTRL_Z] / (root / c->rate);
    e->slot[DEV_FTRL_N] = grown;
}

#endif
