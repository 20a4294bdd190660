/*
 * augment/augment_op.h - the operations of AutoAugment and RandAugment on RGB bytes.
 *
 * Those of the Model Garden (official/vision/ops/augment.py) with their oddities: "contrast" takes
 * the number of pixels / 256 for the mean, and the geometric ones mirror the image at its edges.
 * tensorflow/tpu's fill with grey instead (fill_grey).
 */
#ifndef AUG_AUGMENT_OP_H
#define AUG_AUGMENT_OP_H

#include "augment/image.h"

/* In RandAugment's order. */
enum aug_augment_op {
    AUG_AUTO_CONTRAST,
    AUG_EQUALIZE,
    AUG_INVERT,
    AUG_ROTATE,    /* value: degrees */
    AUG_POSTERIZE, /* value: bits that stay */
    AUG_SOLARIZE,  /* value: threshold */
    AUG_COLOR,     /* value: factor, as of the next three */
    AUG_CONTRAST,
    AUG_BRIGHTNESS,
    AUG_SHARPNESS,
    AUG_SHEAR_X, /* value: pixels a pixel */
    AUG_SHEAR_Y,
    AUG_TRANSLATE_X, /* value: pixels */
    AUG_TRANSLATE_Y,
    AUG_CUTOUT,       /* value: half the side of the square around (y, x) */
    AUG_SOLARIZE_ADD, /* value: added to what is below 128 */
    AUG_N_AUGMENT_OPS
};

struct aug_augment {
    enum aug_augment_op op;
    float value;
    int32_t y, x;
    bool fill_grey; /* rotate, shear, translate: 128 where nothing is, instead of the mirrored
                       image */
};

/* "AutoContrast", "Equalize", ... */
const char *aug_augment_name(enum aug_augment_op op);

/* Changes im (3 channels, not a view of another) in place; scratch is grown as needed. */
T2_MUST_CHECK enum t2_status aug_augment_apply(const struct aug_augment *a, struct aug_image *im,
                                               struct aug_image *scratch, struct t2_err *err);

/* Cutout by itself: a square of 2 * half pixels around (y, x), where it lies in the image. */
void aug_cutout(struct aug_image *im, int32_t y, int32_t x, int32_t half, uint8_t value);
void aug_cutout_floats(struct aug_floats *f, int32_t y, int32_t x, int32_t half, float value);

#endif
