/*
 * train/tune/gaussian_process.h - a Gaussian process through values at points: what is expected
 * elsewhere, and how sure that is.
 *
 * Rasmussen and Williams 2006, "Gaussian processes for machine learning", chapters 2 and 5.  The
 * mean is 0, the kernel Matern's of 5/2 with a length for each dimension.  Lengths, scale and noise
 * are the most probable ones under the priors of gaussian_process.c.
 */
#ifndef TUNE_GAUSSIAN_PROCESS_H
#define TUNE_GAUSSIAN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_gp {
    int64_t n;       /* points */
    size_t D;        /* dimensions */
    bool *is_word;   /* (D): all different values are as far from each other, 1 */
    double *x;       /* (n, D) */
    double *y;       /* (n) */
    double *theta;   /* (D + 2) logarithms: lengths, scale and noise, which are variances */
    double *inverse; /* (n, n) of the covariance of the y, noise included */
    double *alpha;   /* (n) inverse * y */
};

/* x (n, D), numbers in about [0, 1]; y (n), of about mean 0 and variance 1; n > 0. */
void tune_gp_init(struct tune_gp *gp, const double *x, const double *y, int64_t n,
                  const bool *is_word, size_t D);
/* A point with the value that is expected there: no mean changes, and around it all is surer. */
void tune_gp_believe(struct tune_gp *gp, const double *x);
void tune_gp_release(struct tune_gp *gp);

/* At x (D): the mean, and the standard deviation without noise, above 0. */
void tune_gp_predict(const struct tune_gp *gp, const double *x, double *mean, double *deviation);
/* The logarithm of the expected improvement on `best`, less being better, of a value that is
 * distributed so. */
double tune_gp_log_improvement(double best, double mean, double deviation);

#endif
