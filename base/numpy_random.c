/*
 * base/numpy_random.c - NumPy's legacy generator.
 */
#include "base/numpy_random.h"

#include <math.h>

#include "base/err.h"

void t2_numpy_seed(struct t2_numpy *r, uint32_t seed)
{
    t2_mt_seed_numpy(&r->mt, seed);
    r->has_gauss = false;
}

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
