/*
 * augment/mixup.h - mixup and CutMix: two images of a batch made one.
 *
 * As the Model Garden's MixupAndCutmix: partner i of n is n - 1 - i; the label is lambda of the own
 * class and 1 - lambda of the partner's.
 */
#ifndef AUG_MIXUP_H
#define AUG_MIXUP_H

#include "augment/crop_sample.h"

/* Of Beta(alpha, alpha); alpha > 0. */
float aug_draw_lambda(struct t2_rng *r, double alpha);

/* a = lambda * a + (1 - lambda) * b, and the same for b with a; so that a batch is mixed pair by
 * pair in place.  Each has its own lambda.  a may be b. */
void aug_mixup(float *a, float *b, float lambda_a, float lambda_b, size_t n);

/*
 * The part of an image that CutMix takes from its partner: 1 - lambda of it around a centre drawn
 * from r, cut at the edges.  *lambda becomes the part that stays.  width or height may be 0.
 */
struct aug_window aug_draw_cutmix(struct t2_rng *r, int32_t height, int32_t width, float *lambda);
/* Copies the window from one to the other; same sizes, same layout. */
void aug_cutmix(struct aug_floats *to, const struct aug_floats *from, struct aug_window w);

#endif
