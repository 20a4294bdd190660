/*
 * train/runs/image_summaries.h - images of a batch as TensorBoard shows them.
 */
#ifndef TR_IMAGE_SUMMARIES_H
#define TR_IMAGE_SUMMARIES_H

#include "base/buf.h"
#include "base/err.h"
#include "train/models/model.h"

enum { TR_SUMMARY_IMAGES = 2 }; /* of a batch, as the original's summaries have */

/*
 * Floats as bytes, n of them, the way tf.summary.image makes them: the largest becomes 255; where
 * some are negative, 0 becomes 127 and the farthest from it an end of the range.  What is not
 * finite becomes 0.
 */
void tr_image_to_bytes(const float *x, size_t n, uint8_t *bytes);

/* Appends the first images of a batch to a summary, as PNG files with the tags
 * "t2t/inputs/image/0" and so on; those that are made (problem->pixels) as "t2t/targets/image/0".
 * Nothing for other problems. */
T2_MUST_CHECK enum t2_status tr_put_images(struct t2_buf *summary,
                                           const struct mdl_problem *problem,
                                           const struct mdl_batch *batch, struct t2_err *err);

#endif
