/*
 * train/models/pixel_sampler.h - images drawn from a model that makes them, position by position.
 *
 * Keys and values of earlier positions are kept, as far back as the model's attention reaches.
 */
#ifndef MDL_PIXEL_SAMPLER_H
#define MDL_PIXEL_SAMPLER_H

#include "train/models/model.h"

struct mdl_pixel_draw {
    bool random;        /* else the most likely value, and of a mixture its most likely mean */
    double temperature; /* of the logits, above 0; of a mixture also of its logistics */
    uint64_t seed;
    int32_t rows; /* images that are drawn at a time */
};

struct mdl_pixel_sampler;

/* T2_EUNSUPPORTED: the model makes no images, or not step by step. */
T2_MUST_CHECK enum t2_status mdl_pixel_sampler_check(const struct mdl *m, struct t2_err *err);

/* Of a model that mdl_pixel_sampler_check refuses its error; T2_ENOMEM. */
T2_MUST_CHECK enum t2_status mdl_pixel_sampler_new(struct mdl *m, const struct mdl_pixel_draw *draw,
                                                   struct mdl_pixel_sampler **s,
                                                   struct t2_err *err);
void mdl_pixel_sampler_free(struct mdl_pixel_sampler *s);

/*
 * Draws draw.rows images with these labels (rows), which only a conditional model reads: values
 * (rows, height width channels) from 0 to 255.  Image r has number first + r, by which its random
 * numbers are named, whatever is drawn beside it.  step, or NULL, is called after each position.
 */
T2_MUST_CHECK enum t2_status mdl_pixel_sampler_draw(struct mdl_pixel_sampler *s,
                                                    const int32_t *labels, uint64_t first,
                                                    int32_t *values, void (*step)(void *context),
                                                    void *context, struct t2_err *err);

#endif
