/*
 * augment/auto_augment.h - which operations an image gets: AutoAugment v0 and RandAugment.
 *
 * As the Model Garden's (official/vision/ops/augment.py); the operations are in augment_op.h.
 */
#ifndef AUG_AUTO_AUGMENT_H
#define AUG_AUTO_AUGMENT_H

#include "augment/augment_op.h"
#include "base/rng.h"

enum { AUG_MAX_AUGMENTS = 8 };

enum aug_policy {
    AUG_AUTOAUGMENT_V0,
    AUG_AUTOAUGMENT_SIMPLE,
    AUG_AUTOAUGMENT_TEST,
    AUG_RANDAUGMENT
};

struct aug_augment_rule {
    enum aug_policy policy;
    int n_layers;    /* RandAugment: 1 ... AUG_MAX_AUGMENTS */
    float magnitude; /* RandAugment: 0 ... 10 */
    float cutout,
        translate; /* at level 10; 0: 40 and 100 of RandAugment, 100 and 250 of AutoAugment */
    bool fill_grey;
};

/* Operations in order for an image of this size; how many: 0 ... AUG_MAX_AUGMENTS. */
int aug_draw_augments(struct t2_rng *r, const struct aug_augment_rule *rule, int32_t height,
                      int32_t width, struct aug_augment out[AUG_MAX_AUGMENTS]);

/* The value of an operation at a level (0 ... 10), without the random sign of the geometric
 * ones. */
float aug_augment_value(enum aug_augment_op op, double level, double cutout, double translate);

#endif
