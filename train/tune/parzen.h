/*
 * train/tune/parzen.h - a density over hparams from trials: a kernel around each of them, and one
 * that is as wide as the range.
 *
 * Bergstra, Bardenet, Bengio and Kegl 2011, "Algorithms for hyper-parameter optimization", section
 * 4 (the adaptive Parzen estimator); a kernel is over all hparams together (Falkner, Klein and
 * Hutter 2018, "BOHB", section 3.2), so what goes well together is learned.  Of a number it is a
 * normal density along its scale, cut at the ends of the range; of one of `values` a probability
 * for each.
 */
#ifndef TUNE_PARZEN_H
#define TUNE_PARZEN_H

#include <stdint.h>

#include "base/rng.h"
#include "train/tune/param_scale.h"

struct tune_parzen {
    const struct tune_range *range; /* borrowed; D params */
    int64_t n;                      /* kernels: trials, then the one of the range */
    double *weights, *log_weights;  /* (n) sum 1 */
    double *centres;                /* (n, D) share, or index of a value */
    double *widths;                 /* (n, D) standard deviation of a number */
    double *log_scales;             /* (n, D) what makes the kernel's integral 1; of a number */
    double *own, *other;            /* (D) of one of `values`: the probability, in the kernel of a
                                     * trial, of the trial's own and of each other one */
};

/*
 * `at` (n, D) are coordinates of trials, the oldest first.  A number's kernel is as wide as the
 * larger distance to its two neighbours, within [1 / min(100, n + 2), 1].  All of the last
 * 25 trials weigh the same, those before less and less (Bergstra, Yamins and Cox 2013, "Making a
 * science of model search").
 */
void tune_parzen_init(struct tune_parzen *z, const struct tune_range *range,
                      const struct tune_coord *at, int64_t n);
void tune_parzen_release(struct tune_parzen *z);

/* The logarithm of the density at a point (D): of whole numbers and values a probability.  It is
 * above -infinity everywhere in the range. */
double tune_parzen_log_density(const struct tune_parzen *z, const struct tune_coord *at);
/* Appends "name=value,name=value", drawn from the density. */
void tune_parzen_draw(const struct tune_parzen *z, struct t2_rng *r, struct t2_buf *hparams);

#endif
