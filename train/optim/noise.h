/*
 * train/optim/noise.h - noise on gradients and weights (spec t2t-trainer.md §4.1).
 */
#ifndef OPT_NOISE_H
#define OPT_NOISE_H

#include <stdint.h>

enum opt_noise_kind { OPT_NOISE_GRADIENT, OPT_NOISE_WEIGHT };

/* x[i] += scale * z_i, where z is normal and cut at two deviations, as tf.truncated_normal.  The
 * numbers are named by (seed, step, kind, piece): the same for any number of threads. */
void opt_add_noise(uint64_t seed, int64_t step, enum opt_noise_kind kind, int64_t piece,
                   float scale, float *x, int64_t n);

#endif
