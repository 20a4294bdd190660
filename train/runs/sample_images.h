/*
 * train/runs/sample_images.h - images that the model makes at an evaluation, as a page of them
 * (--eval_samples).
 */
#ifndef TR_SAMPLE_IMAGES_H
#define TR_SAMPLE_IMAGES_H

#include "base/err.h"
#include "train/runs/run.h"

/* T2_EUNSUPPORTED where options.eval_samples asks for images of a model that is not drawn from.
 * Before the model has memory. */
T2_MUST_CHECK enum t2_status tr_check_sample_images(const struct tr_run *r, struct t2_err *err);

/*
 * Draws options.eval_samples images, of a conditional model of one class after the other, as
 * hparams sampling_method and sampling_temp say: "samples-<step>.png" in the run's folder, and the
 * same page as "t2t/samples/image/0" for TensorBoard.  Image i has the same random numbers at every
 * step.  The memory of it is taken beside the plan and given back.  Nothing for problems whose
 * targets are no images.
 */
T2_MUST_CHECK enum t2_status tr_sample_images(struct tr_run *r, struct t2_err *err);

#endif
