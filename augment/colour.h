/*
 * augment/colour.h - brightness, contrast, saturation, hue, grey, standardization: tf.image's.
 *
 * Specification of the image pipelines, 5.8.  Floats are NHWC and changed in place; nothing is
 * clipped. Bytes are converted to 0 ... 1 and back by the caller: aug_to_floats(1 / 255) and
 * aug_to_bytes, which is what tf.image does with them.
 */
#ifndef AUG_COLOUR_H
#define AUG_COLOUR_H

#include "augment/image.h"

/* x + delta */
void aug_brightness(struct aug_floats *f, float delta);
/* mean + factor * (x - mean), the mean of each channel.  scratch: grown as needed. */
T2_MUST_CHECK enum t2_status aug_contrast(struct aug_floats *f, float factor,
                                          struct aug_floats *scratch, struct t2_err *err);
/* Three channels; delta in -1 ... 1 of a turn. */
void aug_hue(struct aug_floats *f, float delta);
/* Three channels. */
void aug_saturation(struct aug_floats *f, float factor);
/* (x - sub[c]) * mul[c]; with divide (x - sub[c]) / mul[c].  channels <= 4. */
void aug_normalize(struct aug_floats *f, const float *sub, const float *mul, bool divide);
/* tf.image.per_image_standardization of floats: (x - mean) / max(std, 1 / sqrt(N)),
 * mean and std of all N values; their sums are taken in double. */
void aug_standardize(struct aug_floats *f);
/* Clamps. */
void aug_clip(struct aug_floats *f, float low, float high);
/* Mirrors left and right. */
void aug_flip_floats(struct aug_floats *f);
void aug_flip_bytes(struct aug_image *im);
/* 0.2989 r + 0.5870 g + 0.1140 b of one pixel of bytes, back as a byte. */
uint8_t aug_grey_byte(const uint8_t *rgb);
/* clamp(x * scale, 0, 255) cut to integers: scale 255.5 is convert_image_dtype with saturation from
 * 0 ... 1, scale 1 is clip and cast from 0 ... 255. */
T2_MUST_CHECK enum t2_status aug_to_bytes(const struct aug_floats *from, float scale,
                                          struct aug_image *to, struct t2_err *err);

#endif
