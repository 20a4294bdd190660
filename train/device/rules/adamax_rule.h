/*
 * train/device/rules/adamax_rule.h - Adam with the largest gradient instead of the root of squares,
 * as Keras has it.
 *
 *   m = b1 m + (1 - b1) g;  u = max(b2 u, |g|);  x -= rate / (1 - b1^k) m / (u + eps)
 */
#ifndef DEV_RULES_ADAMAX_RULE_H
#define DEV_RULES_ADAMAX_RULE_H

#include <math.h>

#include "train/device/rules/adam_rule.h"

enum { DEV_ADAMAX_RATE };            /* number: rate / (1 - b1^k) */
enum { DEV_ADAMAX_M, DEV_ADAMAX_U }; /* slots */

DEV_RULE void dev_rule_adamax(const struct dev_rule *c, struct dev_element *e)
{
    float faded = e->slot[DEV_ADAMAX_U] * c->settings[DEV_ADAM_BETA2];
    float u = faded > fabsf(e->g) ? faded : fabsf(e->g);

    e->slot[DEV_ADAMAX_M] += (e->g - e->slot[DEV_ADAMAX_M]) * (1.0F - c->settings[DEV_ADAM_BETA1]);
    e->slot[DEV_ADAMAX_U] = u;
    e->x -=
        c->numbers[DEV_ADAMAX_RATE] * (e->slot[DEV_ADAMAX_M] / (u + c->settings[DEV_ADAM_EPSILON]));
}

#endif
