/*
 * train/device/rules/rms_prop_rule.h - RMSProp as TensorFlow and as Keras have it.
 *
 *   rms_prop                 s += 0.1 (g^2 - s);  mom = rate g / sqrt(s + 1e-10);  x -= mom
 *   keras_rms_prop           s = rho s + (1 - rho) g^2;  x -= rate g / (sqrt(s) + eps)
 *   keras_rms_prop_momentum  s likewise;  a = mu a + rate g / sqrt(s + eps);  x -= a
 *
 * Keras rounds the average differently with momentum than without.
 */
#ifndef DEV_RULES_RMS_PROP_RULE_H
#define DEV_RULES_RMS_PROP_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

enum { DEV_RMS_PROP_RHO, DEV_RMS_PROP_MU, DEV_RMS_PROP_EPSILON }; /* settings of Keras's */

DEV_RULE void dev_rule_rms_prop(const struct dev_rule *c, struct dev_element *e)
{
    const float one_less_decay = 1.0F - 0.9F, epsilon = 1e-10F;

    e->slot[0] += (e->g * e->g - e->slot[0]) * one_less_decay;
    e->slot[1] = e->g * c->rate / sqrtf(epsilon + e->slot[0]);
    e->x -= e->slot[1];
}

DEV_RULE void dev_rule_keras_rms_prop(const struct dev_rule *c, struct dev_element *e)
{
    const float rho = c->settings[DEV_RMS_PROP_RHO];

    e->slot[0] = rho * e->slot[0] + (1.0F - rho) * (e->g * e->g);
    e->x -= c->rate * e->g / (sqrtf(e->slot[0]) + c->settings[DEV_RMS_PROP_EPSILON]);
}

DEV_RULE void dev_rule_keras_rms_prop_momentum(const struct dev_rule *c, struct dev_element *e)
{
    e->slot[0] += (e->g * e->g - e->slot[0]) * (1.0F - c->settings[DEV_RMS_PROP_RHO]);
    e->slot[1] = e->slot[1] * c->settings[DEV_RMS_PROP_MU] +
                 e->g * c->rate / sqrtf(e->slot[0] + c->settings[DEV_RMS_PROP_EPSILON]);
    e->x -= e->slot[1];
}

#endif
