/*
 * train/device/rules/rule.h - what an update rule sees: one element at a time.
 *
 * A rule is an inline function on floats, dev_rule_NAME for UPDATE(NAME, ...) of kernels.def.  Each
 * device puts it into a loop over pieces, so it is written once, and reads as its formula. Products
 * and sums are rounded one by one (-ffp-contract=off), in the order written: the same bits on all
 * devices whose square root and division are IEEE's.
 */
#ifndef DEV_RULES_RULE_H
#define DEV_RULES_RULE_H

#include "train/device/optimizer_kernels.h"

#ifdef __CUDACC__
#define DEV_RULE static inline __host__ __device__
#else
#define DEV_RULE static inline
#endif

struct dev_rule {
    float rate;
    float shrink; /* of the piece */
    float settings[DEV_RULE_NUMBERS];
    float numbers[DEV_RULE_NUMBERS];
};

struct dev_element {
    float g; /* the gradient, clipped */
    float x; /* the value; it and the slots are what the rule changes */
    float slot[DEV_MAX_SLOTS];
};

DEV_RULE struct dev_rule dev_rule_of(const struct dev_update *a, const struct dev_piece *p)
{
    struct dev_rule c;

    c.rate = a->step->rate;
    c.shrink = p->shrink;
    for (int i = 0; i < DEV_RULE_NUMBERS; i++) {
        c.settings[i] = a->settings[i];
        c.numbers[i] = a->step->numbers[i];
    }
    return c;
}

#endif
