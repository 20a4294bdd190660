/*
 * train/exchange/tf_images.h - nodes of TensorFlow's that make of the bytes of JPEGs what a model
 * of images takes, as the pipeline of its evaluation does.
 */
#ifndef XCH_TF_IMAGES_H
#define XCH_TF_IMAGES_H

#include "augment/pipelines.h"
#include "train/exchange/tf_graph.h"

/* Has every step of the pipeline a form there? */
bool xch_tf_can_decode(const struct aug_pipeline *p);

/*
 * An input "image_bytes", strings (B), and its images: returns the reference to floats (B, size,
 * size, channels).  One is decoded after the other, by a loop whose functions go to the library.
 * What is random in a pipeline is left out, as the serving function of the flowers example does: an
 * image is resized to the size itself in place of a larger one that is cropped.
 */
const char *xch_tf_decoded(struct xch_tf_graph *g, const struct aug_pipeline *p, int32_t size,
                           struct t2_buf *library);

#endif
