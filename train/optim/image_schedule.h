/*
 * train/optim/image_schedule.h - learning rates of tensorflow/tpu's and tf-models-official's
 * ResNets: learning_rate_schedule=tpu_resnet, tpu_resnet_lars, keras_resnet.
 *
 * models/official/resnet/resnet_main.py, lars_util.py;
 * official/vision/image_classification/resnet/common.py; spec image-pipelines.md §2.4.
 */
#ifndef OPT_IMAGE_SCHEDULE_H
#define OPT_IMAGE_SCHEDULE_H

#include "base/err.h"
#include "train/models/hparams.h"

/*
 * The rate before the update at step s (0 for the first).  An epoch is num_train_images /
 * batch_size steps; base = learning_rate * batch_size / 256.
 *
 *   tpu_resnet       base, linear from 0 before 5/90 of the epochs of the run; a tenth of it from
 *                    30/90 on, a hundredth from 60/90, a thousandth from 80/90
 *   tpu_resnet_lars  linear to a rate by batch size (or poly_rate), then a polynomial of power 2 to
 *                    1e-4
 *   keras_resnet     base, linear from 0 over 5 epochs; a tenth after epoch 30, 60, 80
 *
 * T2_EUSAGE without num_train_images, or with fewer than a batch.
 */
T2_MUST_CHECK enum t2_status opt_tpu_resnet_rate(const struct mdl_hparams *hp, double step,
                                                 double train_steps, double *rate,
                                                 struct t2_err *err);
T2_MUST_CHECK enum t2_status opt_tpu_resnet_lars_rate(const struct mdl_hparams *hp, double step,
                                                      double train_steps, double *rate,
                                                      struct t2_err *err);
T2_MUST_CHECK enum t2_status opt_keras_resnet_rate(const struct mdl_hparams *hp, double step,
                                                   double train_steps, double *rate,
                                                   struct t2_err *err);

#endif
