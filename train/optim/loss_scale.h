/*
 * train/optim/loss_scale.h - the factor of the loss that keeps gradients of float16 from becoming
 * zero or infinite.
 *
 * Mirrors tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager as Tensor2Tensor sets it
 * (hparams mixed_precision_optimizer_*): begins with 2^15, doubles after 2000 updates without
 * overflow, halves at every second overflow, never below 1.  An update whose gradients are not
 * finite is left out.
 */
#ifndef OPT_LOSS_SCALE_H
#define OPT_LOSS_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* Saved with a run.  scale 0: there is none. */
struct opt_loss_scale {
    double scale;        /* a power of two times what it began with */
    int64_t n_finite;    /* updates since the scale changed, or since the last overflow */
    int64_t n_overflows; /* since the scale changed */
};

/* What follows an update (finite), or gradients that were not finite. */
void opt_loss_scale_update(struct opt_loss_scale *s, bool finite);

#endif
