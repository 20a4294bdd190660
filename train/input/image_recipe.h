/*
 * train/input/image_recipe.h - what becomes of an image between its record and the model.
 *
 * A recipe is two pipelines of augment/, for training and evaluation, and a size.  The problem says
 * which (spec t2t-trainer.md §5.6, image-pipelines.md §2.2, 4.1, 7), unless hparams do:
 * image_pipeline names a recipe, image_size another size.
 */
#ifndef IN_IMAGE_RECIPE_H
#define IN_IMAGE_RECIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "augment/codec.h"
#include "augment/pipelines.h"
#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/example.h"
#include "train/input/image_mix.h"
#include "train/models/hparams.h"

struct in_image_recipe {
    const char *name;
    const struct aug_pipeline *train, *eval;
    int32_t size, channels; /* of what the model gets: H = W = size, C = channels */
    bool as_stored;         /* files must have that size: nothing resizes them */
    bool alternates; /* each image is mirrored in every second epoch (Jordan 2024), not by chance */
    int32_t source_size; /* of images that are made from smaller ones: the side of these; else 0 */
    struct in_mix mix;   /* of training */
    double loss_multiplier; /* T2T's, 3 for its small images */
};

/*
 * The recipe of a problem by its name: T2T's own, or for others "resnet" at 224.  T2_EUSAGE: an
 * unknown recipe or a bad size in hparams; T2_EUNSUPPORTED: the problem is about making images.
 */
T2_MUST_CHECK enum t2_status in_image_recipe_of(const char *problem, const struct mdl_hparams *hp,
                                                struct in_image_recipe *r, struct t2_err *err);

/* Are images of the problem made from smaller ones, which its inputs are (T2T's img2img_*)? */
bool in_image_has_source(const char *problem);

/* The same of a problem whose images are made ("…_rev", or from smaller ones), where pixels are
 * whole numbers from 0 to 255: T2T's reversed problems, area to the size of the problem, 32 where
 * it has none.  T2_EUNSUPPORTED: what the smaller ones are is not known. */
T2_MUST_CHECK enum t2_status in_image_recipe_made(const char *problem, const struct mdl_hparams *hp,
                                                  struct in_image_recipe *r, struct t2_err *err);

/* The same of a problem whose images are described (T2T's Image2TextProblem), in *feature where its
 * records have the ids of the texts.  T2_EUNSUPPORTED: the original's images are not square, unless
 * hparam image_pipeline says that these are; or they are made from texts, or asked about. */
T2_MUST_CHECK enum t2_status in_image_recipe_described(const char *problem,
                                                       const struct mdl_hparams *hp,
                                                       struct in_image_recipe *r,
                                                       const char **feature, struct t2_err *err);

/* A record's image. */
struct in_image {
    struct t2_slice encoded; /* borrowed from the record */
    struct aug_info info;
    int32_t label; /* from 0 on */
};

/*
 * Finds image/encoded and image/class/label, and looks at the image's header.  first_label: what
 * the first class is called in records.  T2_EFORMAT: the message has neither file nor record.
 */
T2_MUST_CHECK enum t2_status in_image_parse(const struct tfr_example *example,
                                            const struct in_image_recipe *recipe, int32_t n_classes,
                                            int32_t first_label, struct in_image *p,
                                            struct t2_err *err);

/* The same without a label. */
T2_MUST_CHECK enum t2_status in_image_find(const struct tfr_example *example,
                                           const struct in_image_recipe *recipe, struct in_image *p,
                                           struct t2_err *err);

/* Which image of a run this is: names its random numbers. */
struct in_image_name {
    bool training; /* by recipe->train, else by recipe->eval */
    uint64_t seed, epoch, index;
};

/* The pixels of p as the recipe wants them, (size, size, channels) floats.  T2_EFORMAT as
 * in_image_parse. */
T2_MUST_CHECK enum t2_status in_image_pixels(const struct in_image_recipe *recipe,
                                             const struct in_image_name *name,
                                             const struct in_image *p, struct aug_worker *worker,
                                             float *pixels, struct t2_err *err);

/* The same before it is normalised, (size, size, channels) bytes, where the pipeline leaves bytes:
 * byte b of channel c stands for values[c * 256 + b] (augment/pipelines.h).  *mirrored: 1 when the
 * image is what they show mirrored, left to right, which is left to who makes floats of them; else
 * 0. */
bool in_image_has_bytes(const struct in_image_recipe *recipe, bool training);
void in_image_byte_values(const struct in_image_recipe *recipe, bool training, float *values);
T2_MUST_CHECK enum t2_status in_image_bytes(const struct in_image_recipe *recipe,
                                            const struct in_image_name *name,
                                            const struct in_image *p, struct aug_worker *worker,
                                            uint8_t *pixels, uint8_t *mirrored, struct t2_err *err);

#endif
