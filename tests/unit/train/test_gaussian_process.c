/*
 * tests/unit/train/test_gaussian_process.c - what a process expects: against formulas with a plain
 * solver, and that its parameters are the most probable ones nearby.
 */
#include "train/tune/gaussian_process.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "tests/support/t.h"

enum { MOST = 80, D = 3 };

/* Points whose third coordinate is a word, 0 to 2; values depend on the first and on it. */
static void make_points(double *x, double *y, int n, double noise)
{
    struct t2_rng r;

    t2_rng_init(&r, 4, T2_RNG_TEST, 0, 0);
    for (int i = 0; i < n; i++) {
        x[i * D] = t2_rng_uniform_double(&r);
        x[i * D + 1] = t2_rng_uniform_double(&r);
        x[i * D + 2] = (double) t2_rng_below(&r, 3);
        y[i] = sin(6 * x[i * D]) + 0.5 * (x[i * D + 2] == 1) + noise * t2_rng_normal(&r);
    }
}

static const bool is_word[D] = {false, false, true};

/* ---- the same, plainly ---- */

static double covariance(const double *theta, const double *a, const double *b)
{
    double square = 0, r;

    for (int d = 0; d < D; d++) {
        double apart = is_word[d] ? a[d] != b[d] : fabs(a[d] - b[d]);
        square += pow(apart / exp(theta[d]), 2);
    }
    r = sqrt(5 * square);
    return exp(theta[D]) * (1 + r + 5 * square / 3) * exp(-r);
}

/* a (n, n), b (n): solves a x = b by elimination, x in b; returns the logarithm of the determinant.
 */
static double solve(double *a, double *b, int n)
{
    double log_determinant = 0;

    for (int k = 0; k < n; k++) {
        log_determinant += log(a[k * n + k]);
        for (int i = k + 1; i < n; i++) {
            double part = a[i * n + k] / a[k * n + k];

            for (int j = k; j < n; j++)
                a[i * n + j] -= part * a[k * n + j];
            b[i] -= part * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
    return log_determinant;
}

static void covariances(const struct tune_gp *gp, const double *theta, double *a)
{
    int n = (int) gp->n;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] =
                covariance(theta, &gp->x[i * D], &gp->x[j * D]) + (i == j ? exp(theta[D + 1]) : 0);
}

static void predict(const struct tune_gp *gp, const double *x, double *mean, double *deviation)
{
    static double a[MOST * MOST];
    double k[MOST], solved[MOST], variance = exp(gp->theta[D]);
    int n = (int) gp->n;

    for (int i = 0; i < n; i++)
        solved[i] = k[i] = covariance(gp->theta, x, &gp->x[i * D]);
    covariances(gp, gp->theta, a);
    solve(a, solved, n);
    *mean = 0;
    for (int i = 0; i < n; i++) {
        *mean += solved[i] * gp->y[i];
        variance -= solved[i] * k[i];
    }
    *deviation = sqrt(variance);
}

/* Minus the logarithm of the density of the values and of the parameters. */
static double cost(const struct tune_gp *gp, const double *theta)
{
    static double a[MOST * MOST];
    double solved[MOST], sum;
    int n = (int) gp->n;

    memcpy(solved, gp->y, sizeof *solved * (size_t) n);
    covariances(gp, theta, a);
    sum = 0.5 * solve(a, solved, n);
    for (int i = 0; i < n; i++)
        sum += 0.5 * solved[i] * gp->y[i];
    for (int d = 0; d < D; d++)
        sum += 0.5 * pow((theta[d] - 0.5 * log(D)) / 1.2, 2);
    return sum + 0.5 * pow(theta[D], 2) + 0.5 * pow((theta[D + 1] + 6) / 2, 2);
}

static void test_predictions(void **state)
{
    double x[MOST * D], y[MOST];
    struct tune_gp gp;

    (void) state;
    make_points(x, y, 20, 0.1);
    tune_gp_init(&gp, x, y, 20, is_word, D);
    for (int i = 0; i < 40; i++) {
        double at[D] = {i / 40.0, 1 - i / 80.0, i % 3}, mean, deviation, m, s;

        tune_gp_predict(&gp, at, &mean, &deviation);
        predict(&gp, at, &m, &s);
        if (!(fabs(mean - m) < 1e-8 && fabs(deviation - s) < 1e-6))
            fail_msg("%g +- %g, not %g +- %g", mean, deviation, m, s);
    }
    tune_gp_release(&gp);
}

/* Nowhere around them is better, with many points and with few; what changes nothing is long. */
static void test_parameters(void **state)
{
    static const int counts[] = {5, 20, 47, 48, 80};
    double x[MOST * D], y[MOST];

    (void) state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct tune_gp gp;
        double here;

        make_points(x, y, counts[c], 0.1);
        tune_gp_init(&gp, x, y, counts[c], is_word, D);
        here = cost(&gp, gp.theta);
        for (int k = 0; k < D + 2; k++)
            for (int side = -1; side <= 1; side += 2) {
                double near[D + 2];

                memcpy(near, gp.theta, sizeof near);
                near[k] += 0.4 * side;
                if (!(cost(&gp, near) > here - 0.05)) /* where the search ends */
                    fail_msg("%d points, parameter %d: %g, not %g", counts[c], k, here,
                             cost(&gp, near));
            }
        if (counts[c] >= 20) {
            assert_true(gp.theta[0] < log(0.6));
            assert_true(gp.theta[1] > gp.theta[0] + 1);
        }
        tune_gp_release(&gp);
    }
}

/* One point, and many that are one: nothing divides by 0. */
static void test_same_points(void **state)
{
    double x[MOST * D] = {0}, y[MOST] = {0}, mean, deviation;
    struct tune_gp gp;

    (void) state;
    for (int n = 1; n <= 64; n += 63) {
        tune_gp_init(&gp, x, y, n, is_word, D);
        tune_gp_predict(&gp, x, &mean, &deviation);
        assert_true(mean == 0 && deviation > 0 && deviation < 1);
        tune_gp_release(&gp);
    }
}

static void test_believe(void **state)
{
    double x[MOST * D], y[MOST], there[D] = {0.9, 0.9, 2}, before[2], after[2];
    struct tune_gp gp;

    (void) state;
    make_points(x, y, 12, 0);
    tune_gp_init(&gp, x, y, 12, is_word, D);
    for (int i = 0; i < 5; i++) { /* twice at one point, too */
        tune_gp_predict(&gp, there, &before[0], &before[1]);
        tune_gp_believe(&gp, there);
        tune_gp_predict(&gp, there, &after[0], &after[1]);
        assert_true(fabs(before[0] - after[0]) < 1e-6);
        assert_true(after[1] < before[1]);
        there[0] -= 0.4 * (i % 2);
    }
    assert_int_equal(gp.n, 17);
    tune_gp_release(&gp);
}

/* The mean of max(best - value, 0), by a sum over a fine grid. */
static void test_improvement(void **state)
{
    (void) state;
    for (double z = -6; z <= 4; z += 0.5) {
        const double deviation = 0.3, mean = 1.5, best = mean + z * deviation, step = 1e-3;
        double sum = 0;

        for (double v = -12; v < z; v += step) {
            double middle = v + step / 2;
            sum += step * deviation * (z - middle) * exp(-0.5 * middle * middle) /
                   sqrt(2 * 3.14159265358979);
        }
        if (!(fabs(tune_gp_log_improvement(best, mean, deviation) - log(sum)) < 2e-3))
            fail_msg("z %g: %g, not %g", z, tune_gp_log_improvement(best, mean, deviation),
                     log(sum));
    }
    /* and where a sum of numbers is 0, without a step at -10 */
    for (double z = -40; z < -5; z += 0.01) {
        double slope =
            (tune_gp_log_improvement(z + 0.01, 0, 1) - tune_gp_log_improvement(z, 0, 1)) / 0.01;
        assert_true(slope > -z && slope < -z + 0.5);
    }
}

T_MAIN(cmocka_unit_test(test_predictions), cmocka_unit_test(test_parameters),
       cmocka_unit_test(test_same_points), cmocka_unit_test(test_believe),
       cmocka_unit_test(test_improvement))
