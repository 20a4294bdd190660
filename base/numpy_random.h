/*
 * base/numpy_random.h - NumPy's legacy generator, numpy.random.RandomState (spec t2t-datagen.md
 * §11).
 */
#ifndef T2_BASE_NUMPY_RANDOM_H
#define T2_BASE_NUMPY_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mt19937.h"

struct t2_numpy {
    struct t2_mt mt;
    bool has_gauss;
    double gauss; /* the second of a pair, not given yet */
};

void t2_numpy_seed(struct t2_numpy *r, uint32_t seed); /* numpy.random.seed(int) */
/* numpy.random.randint(n), n > 0; an array of them is drawn one by one. */
uint32_t t2_numpy_randint(struct t2_numpy *r, uint32_t n);
double t2_numpy_random(struct t2_numpy *r); /* numpy.random.random_sample() */
double t2_numpy_normal(struct t2_numpy *r, double mean, double deviation);

/* numpy.cumsum(weights) / sum, as numpy.random.choice makes it of p; in place. */
void t2_numpy_cumulate(double *weights, size_t n);
/* numpy.random.choice(n, p=...) of what t2_numpy_cumulate made. */
size_t t2_numpy_choice(struct t2_numpy *r, const double *cumulative, size_t n);

#endif
