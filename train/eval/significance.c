/*
 * train/eval/significance.c - see the header.
 *
 * Scores are float32 or double as numpy_number.h has them; a list of them is an array of float32
 * when all are.
 */
#include "train/eval/significance.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static bool all_float32(const struct ev_number *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!x[i].is_float32)
            return false;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ev_number *) a)->v, y = ((const struct ev_number *) b)->v;

    return x < y ? -1 : x > y;
}

/* Half the distance of what leaves a fortieth of the sorted scores out at either end. */
static double half_interval(const struct ev_number *sorted, size_t n)
{
    size_t low = n / 40;

    return ev_multiply(ev_python(0.5), ev_subtract(sorted[n - low - 1], sorted[low])).v;
}

/* statistics.mean: the exact sum is divided and rounded once.  Here the sum has twice a double's
 * bits. */
static double exact_mean(const struct ev_number *x, size_t n, bool is_float32)
{
    double sum = 0, low = 0, mean, rest;

    for (size_t i = 0; i < n; i++) { /* low: what the additions rounded off */
        double t = sum + x[i].v;

        low += fabs(sum) >= fabs(x[i].v) ? (sum - t) + x[i].v : (x[i].v - t) + sum;
        sum = t;
    }
    mean = (sum + low) / (double) n;
    rest = fma(-mean, (double) n, sum) + low;
    mean += rest / (double) n;
    return is_float32 ? (double) (float) mean : mean;
}

struct ev_estimate ev_estimate_exact(struct ev_number *scores, size_t n)
{
    struct ev_estimate e;

    qsort(scores, n, sizeof *scores, by_value);
    e.mean = exact_mean(scores, n, all_float32(scores, n));
    e.interval = half_interval(scores, n);
    return e;
}

/* What numpy.array makes of a list: float32 stays only when all are. */
static void make_array(struct ev_number *x, size_t n)
{
    bool is_float32 = all_float32(x, n);

    for (size_t i = 0; i < n; i++)
        x[i].is_float32 = is_float32;
}

struct ev_estimate ev_estimate_numpy(struct ev_number *scores, size_t n)
{
    struct ev_estimate e;

    make_array(scores, n);
    qsort(scores, n, sizeof *scores, by_value);
    e.mean = ev_numpy_mean(scores, n).v;
    e.interval = half_interval(scores, n);
    return e;
}

/* (1 + how many are larger) / (1 + n); a float32 array is compared with a float32. */
static double p_value(const struct ev_number *x, size_t n, double real)
{
    size_t n_larger = 0;

    for (size_t i = 0; i < n; i++)
        n_larger += x[i].v > ev_as(ev_python(real), x[i].is_float32);
    return (double) (n_larger + 1) / (double) (n + 1);
}

double ev_p_bootstrap(const struct ev_number *baseline, const struct ev_number *system, size_t n,
                      double real)
{
    struct ev_number *d = t2_alloc(2 * n, sizeof *d), *b = d + n, mean;
    double p;

    for (size_t i = 0; i < n; i++) {
        d[i] = system[i];
        b[i] = baseline[i];
    }
    make_array(d, n);
    make_array(b, n);
    for (size_t i = 0; i < n; i++) {
        d[i].is_float32 = b[i].is_float32 = d[i].is_float32 && b[i].is_float32;
        d[i] = ev_subtract(d[i], b[i]);
        d[i].v = fabs(d[i].v);
    }
    mean = ev_numpy_mean(d, n);
    for (size_t i = 0; i < n; i++)
        d[i] = ev_subtract(d[i], mean);
    p = p_value(d, n, real);
    t2_free(d);
    return p;
}

double ev_p_randomised(const struct ev_number *differences, size_t n, double real)
{
    return p_value(differences, n, real);
}
