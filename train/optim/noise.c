/*
 * train/optim/noise.c - noise added to gradients or weights: numbers from a truncated normal
 * distribution, from a stream named by (seed, step, kind, piece), so neither threads nor a resumed
 * run change them.
 */
#include "train/optim/noise.h"

#include <math.h>

#include "base/rng.h"

/* Drawn again beyond two deviations: one in 22. */
static double truncated_normal(struct t2_rng *r)
{
    double z;

    do
        z = t2_rng_normal(r);
    while (fabs(z) >= 2.0);
    return z;
}

void opt_add_noise(uint64_t seed, int64_t step, enum opt_noise_kind kind, int64_t piece,
                   float scale, float *x, int64_t n)
{
    struct t2_rng r;

    t2_rng_init(&r, seed, T2_RNG_NOISE, (uint64_t) step, (uint64_t) piece << 1 | (uint64_t) kind);
    for (int64_t i = 0; i < n; i++)
        x[i] += scale * (float) truncated_normal(&r);
}
