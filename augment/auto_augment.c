/*
 * augment/auto_augment.c - which operations an image gets.
 *
 * The originals are tensorflow/tpu's autoaugment.py (policy v0; Cubuk et al. 2019, "AutoAugment")
 * and its RandAugment (Cubuk et al. 2020). A policy draws one of its sub-policies, two operations
 * each with a probability and a level of 0 to 10; RandAugment draws n_layers operations, all of
 * one magnitude. Levels become values by aug_augment_value(); geometry gets a random sign.
 */
#include "augment/auto_augment.h"

#include "augment/crop_sample.h"

enum { MAX_LEVEL = 10, N_V0 = 25 };

struct part {
    uint8_t op, tenths, level; /* applied with probability tenths / 10 */
};

/* clang-format off */
/* AutoAugment's v0; "simple" keeps the sub-policies without geometry. */
static const struct part v0[N_V0][2] = {
    {{AUG_EQUALIZE, 8, 1}, {AUG_SHEAR_Y, 8, 4}},
    {{AUG_COLOR, 4, 9}, {AUG_EQUALIZE, 6, 3}},
    {{AUG_COLOR, 4, 1}, {AUG_ROTATE, 6, 8}},
    {{AUG_SOLARIZE, 8, 3}, {AUG_EQUALIZE, 4, 7}},
    {{AUG_SOLARIZE, 4, 2}, {AUG_SOLARIZE, 6, 2}},
    {{AUG_COLOR, 2, 0}, {AUG_EQUALIZE, 8, 8}},
    {{AUG_EQUALIZE, 4, 8}, {AUG_SOLARIZE_ADD, 8, 3}},
    {{AUG_SHEAR_X, 2, 9}, {AUG_ROTATE, 6, 8}},
    {{AUG_COLOR, 6, 1}, {AUG_EQUALIZE, 10, 2}},
    {{AUG_INVERT, 4, 9}, {AUG_ROTATE, 6, 0}},
    {{AUG_EQUALIZE, 10, 9}, {AUG_SHEAR_Y, 6, 3}},
    {{AUG_COLOR, 4, 7}, {AUG_EQUALIZE, 6, 0}},
    {{AUG_POSTERIZE, 4, 6}, {AUG_AUTO_CONTRAST, 4, 7}},
    {{AUG_SOLARIZE, 6, 8}, {AUG_COLOR, 6, 9}},
    {{AUG_SOLARIZE, 2, 4}, {AUG_ROTATE, 8, 9}},
    {{AUG_ROTATE, 10, 7}, {AUG_TRANSLATE_Y, 8, 9}},
    {{AUG_SHEAR_X, 0, 0}, {AUG_SOLARIZE, 8, 4}},
    {{AUG_SHEAR_Y, 8, 0}, {AUG_COLOR, 6, 4}},
    {{AUG_COLOR, 10, 0}, {AUG_ROTATE, 6, 2}},
    {{AUG_EQUALIZE, 8, 4}, {AUG_EQUALIZE, 0, 8}},
    {{AUG_EQUALIZE, 10, 4}, {AUG_AUTO_CONTRAST, 6, 2}},
    {{AUG_SHEAR_Y, 4, 7}, {AUG_SOLARIZE_ADD, 6, 7}},
    {{AUG_POSTERIZE, 8, 2}, {AUG_SOLARIZE, 6, 10}},
    {{AUG_SOLARIZE, 6, 8}, {AUG_EQUALIZE, 6, 1}},
    {{AUG_COLOR, 8, 6}, {AUG_ROTATE, 4, 5}}};
static const uint8_t simple[] = {1, 3, 4, 5, 6, 8, 11, 12, 13, 19, 20, 22, 23};
/* clang-format on */
static const struct part test[2] = {{AUG_TRANSLATE_X, 10, 4}, {AUG_EQUALIZE, 10, 10}};

float aug_augment_value(enum aug_augment_op op, double level, double cutout, double translate)
{
    double part = level / MAX_LEVEL;

    switch (op) {
    case AUG_ROTATE:
        return (float) (part * 30);
    case AUG_POSTERIZE:
        return (float) (int) (part * 4);
    case AUG_SOLARIZE:
        return (float) (int) (part * 256);
    case AUG_SOLARIZE_ADD:
        return (float) (int) (part * 110);
    case AUG_COLOR:
    case AUG_CONTRAST:
    case AUG_BRIGHTNESS:
    case AUG_SHARPNESS:
        return (float) (part * 1.8 + 0.1);
    case AUG_SHEAR_X:
    case AUG_SHEAR_Y:
        return (float) (part * 0.3);
    case AUG_TRANSLATE_X:
    case AUG_TRANSLATE_Y:
        return (float) (part * translate);
    case AUG_CUTOUT:
        return (float) (int) (part * cutout);
    default:
        return 0;
    }
}

static bool has_sign(enum aug_augment_op op)
{
    return op == AUG_ROTATE || op == AUG_SHEAR_X || op == AUG_SHEAR_Y || op == AUG_TRANSLATE_X ||
           op == AUG_TRANSLATE_Y;
}

static struct aug_augment draw(struct t2_rng *r, const struct aug_augment_rule *rule, int op,
                               double level, int32_t height, int32_t width)
{
    bool rand = rule->policy == AUG_RANDAUGMENT;
    double cutout = rule->cutout > 0 ? (double) rule->cutout : rand ? 40 : 100;
    double translate = rule->translate > 0 ? (double) rule->translate : rand ? 100 : 250;
    struct aug_augment a = {.op = (enum aug_augment_op) op, .fill_grey = rule->fill_grey};

    a.value = aug_augment_value(a.op, level, cutout, translate);
    if (has_sign(a.op) && aug_draw_unit(r) < 0.5f)
        a.value = -a.value;
    if (a.op == AUG_CUTOUT) {
        a.y = aug_draw_index(r, height);
        a.x = aug_draw_index(r, width);
    }
    return a;
}

static int draw_policy(struct t2_rng *r, const struct aug_augment_rule *rule, int32_t height,
                       int32_t width, struct aug_augment *out)
{
    const struct part *p = test;
    int n = 0;

    if (rule->policy == AUG_AUTOAUGMENT_V0)
        p = v0[aug_draw_index(r, N_V0)];
    else if (rule->policy == AUG_AUTOAUGMENT_SIMPLE)
        p = v0[simple[aug_draw_index(r, (int32_t) sizeof simple)]];
    for (int i = 0; i < 2; i++)
        if (aug_draw_unit(r) + (float) p[i].tenths / 10 >= 1)
            out[n++] = draw(r, rule, p[i].op, p[i].level, height, width);
    return n;
}

int aug_draw_augments(struct t2_rng *r, const struct aug_augment_rule *rule, int32_t height,
                      int32_t width, struct aug_augment out[AUG_MAX_AUGMENTS])
{
    int n = 0;

    if (rule->policy != AUG_RANDAUGMENT)
        return draw_policy(r, rule, height, width, out);
    T2_ASSERT(rule->n_layers >= 1 && rule->n_layers <= AUG_MAX_AUGMENTS);
    for (int i = 0; i < rule->n_layers; i++) {
        /* one number more than there are operations: the last is none */
        int op = aug_draw_index(r, AUG_N_AUGMENT_OPS + 1);
        if (op < AUG_N_AUGMENT_OPS)
            out[n++] = draw(r, rule, op, (double) rule->magnitude, height, width);
    }
    return n;
}
