/*
 * augment/crop_sample.h - numbers and crop windows drawn as TensorFlow draws them.
 *
 * Specification of the image pipelines, 5.9 and 6: the same words of Philox give the same crops.
 */
#ifndef AUG_CROP_SAMPLE_H
#define AUG_CROP_SAMPLE_H

#include "augment/image.h"
#include "base/rng.h"

/* [0, 1) with 23 bits, one word. */
float aug_draw_unit(struct t2_rng *r);
/* u * (high - low) + low, rounded after each operation: tf.random.uniform of floats. */
float aug_draw_between(struct t2_rng *r, float low, float high);
/* 0 ... n - 1, one word: tf.random.uniform of int32 (not quite even when n is no power of two). */
int32_t aug_draw_index(struct t2_rng *r, int32_t n);

/* In parts of the image, 0 ... 1. */
struct aug_box {
    float y0, x0, y1, x1;
};

/* What sample_distorted_bounding_box is asked for. */
struct aug_crop_rule {
    float min_covered; /* of at least one box, in the crop */
    float min_aspect, max_aspect;
    float min_area, max_area; /* in parts of the image */
    int attempts;
};

/*
 * tf.image.sample_distorted_bounding_box.  n_boxes 0: one box that is the whole image.  False when
 * no attempt succeeded: *w is then the whole image.  (An image that is all crop is also possible.)
 */
bool aug_sample_crop(struct t2_rng *r, const struct aug_crop_rule *rule, int32_t height,
                     int32_t width, const struct aug_box *boxes, size_t n_boxes,
                     struct aug_window *w);

#endif
