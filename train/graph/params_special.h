/*
 * train/graph/params_special.h - initial values that are not all drawn; for initial_values.c only.
 */
#ifndef GR_PARAMS_SPECIAL_H
#define GR_PARAMS_SPECIAL_H

#include <stdint.h>

/* Values at .. at + n - 1 of a kernel of dims [h, w, in, out], for GR_INIT_DIRAC: overwrites those
 * of the filters o < in with 1 in the middle of channel o and 0 elsewhere. */
void gr_init_dirac(const int64_t *dims, int64_t at, int64_t n, float *x);

/*
 * The same for GR_INIT_WHITEN, all values; dims are [2, 2, 3, 24].
 *
 * The filters are brightness and two differences of colours, each of them as mean, difference of
 * rows, of columns and of diagonals: for natural images these are very nearly the principal
 * components of 2 x 2 parts.  Each is divided by sqrt(variance + 0.01), with the variance that it
 * has on CIFAR-10 (pixels less the mean, by the deviation, of each channel).  The idea is Johnson's
 * and Page's (patch whitening, "How to train your ResNet 8", 2019; Jordan, "94 % on CIFAR-10
 * in 3.29 seconds", 2024).
 */
void gr_init_whiten(const int64_t *dims, int64_t at, int64_t n, float *x);

#endif
