/*
 * base/numpy_random.c - NumPy's legacy generator (numpy.random.RandomState), whose stream NumPy has
 * frozen: every draw here takes as many words from the Mersenne Twister as NumPy's does.
 */
#include "base/numpy_random.h"

#include <math.h>

#include "base/err.h"

void t2_numpy_seed(struct t2_numpy *r, uint32_t seed)
{
    t2_mt_seed_numpy(&r->mt, seed);
    r->has_gauss = false;
}

/*
 * Masked rejection (legacy random_interval): bits up to the highest of n - 1, again until in
 * range.
 */
uint32_t t2_numpy_randint(struct t2_numpy *r, uint32_t n)
{
    uint32_t mask, value;

    T2_ASSERT(n > 0);
    if (n == 1)
        return 0;
    mask = UINT32_MAX >> __builtin_clz(n - 1);
    do {
        value = t2_mt_u32(&r->mt) & mask;
    } while (value > n - 1);
    return value;
}

double t2_numpy_random(struct t2_numpy *r)
{
    return t2_mt_random(&r->mt);
}

/*
 * legacy_gauss: Marsaglia's polar method.  A pair is drawn at a time, and the first number of it
 * is kept for the next call.
 */
double t2_numpy_normal(struct t2_numpy *r, double mean, double deviation)
{
    double x1, x2, r2, f;

    if (r->has_gauss) {
        r->has_gauss = false;
        return mean + deviation * r->gauss;
    }
    do {
        x1 = 2.0 * t2_numpy_random(r) - 1.0;
        x2 = 2.0 * t2_numpy_random(r) - 1.0;
        r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1.0 || r2 <= 0.0);
    f = sqrt(-2.0 * log(r2) / r2);
    r->gauss = f * x1;
    r->has_gauss = true;
    return mean + deviation * (f * x2);
}

/* choice(p=...): a running sum, then divided by its last value, in this order of operations. */
void t2_numpy_cumulate(double *weights, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += weights[i];
        weights[i] = sum;
    }
    for (size_t i = 0; i < n; i++)
        weights[i] /= sum;
}

size_t t2_numpy_choice(struct t2_numpy *r, const double *cumulative, size_t n)
{
    double u = t2_numpy_random(r);
    size_t low = 0, high = n;

    while (low < high) { /* searchsorted(side='right') */
        size_t middle = (low + high) / 2;
        if (u < cumulative[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
