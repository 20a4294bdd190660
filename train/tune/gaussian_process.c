/*
 * train/tune/gaussian_process.c - covariances, their inverse, and the search for the best lengths.
 *
 * Inner loops run along rows and add multiples of one to another, which compilers make vectors of
 * without changing the order of a sum.
 */
#include "train/tune/gaussian_process.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

static const double root_half = 0.70710678118654752440;     /* sqrt(1/2) */
static const double log_root_2_pi = 0.91893853320467274178; /* log(sqrt(2 pi)) */
static const double root_5 = 2.23606797749978969641;

/* The logarithm of each parameter is normally distributed.  A length of 3 makes nearly a line of
 * what a range holds; the more dimensions, the less each one bends. */
struct prior {
    double mean, deviation;
};

static struct prior prior_of(size_t k, size_t D)
{
    if (k < D)
        return (struct prior){0.5 * log((double) D), 1.2};
    return k == D ? (struct prior){0, 1} : (struct prior){-6, 2};
}

/* ---- the kernel ---- */

static double distance(bool is_word, double a, double b)
{
    return is_word ? a != b : (a - b) * (a - b);
}

/* Of the square of the distance, at scale 1; *slope is the derivative. */
static double matern(double square, double *slope)
{
    double r = root_5 * sqrt(square), e = exp(-r);

    *slope = -5.0 / 6.0 * (1 + r) * e;
    return (1 + r + r * r / 3) * e;
}

/* ---- matrices ---- */

/* The upper triangle of a (n, n) becomes U with U'U = a; false: it is not positive. */
static bool factor(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        double *row = &a[k * n], root;

        if (!(row[k] > 0))
            return false;
        root = sqrt(row[k]);
        for (size_t j = k; j < n; j++)
            row[j] /= root;
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = i; j < n; j++)
                a[i * n + j] -= row[i] * row[j];
    }
    return true;
}

/* out (n, n) = the inverse of U'U, both triangles; work (n, n). */
static void invert(const double *u, size_t n, double *work, double *out)
{
    memset(work, 0, n * n * sizeof *work);
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = 0; k < n; k++)
        work[k * n + k] = 1;
    for (size_t k = 0; k < n; k++) { /* work = the inverse of U', lower */
        double *row = &work[k * n];

        for (size_t j = 0; j <= k; j++)
            row[j] /= u[k * n + k];
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = 0; j <= k; j++)
                work[i * n + j] -= u[k * n + i] * row[j];
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i <= k; i++)
            for (size_t j = 0; j <= i; j++)
                out[i * n + j] += work[k * n + i] * work[k * n + j];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            out[j * n + i] = out[i * n + j];
}

/* out (n) = a (n, n) * y (n), a symmetric. */
static void multiply(const double *a, const double *y, size_t n, double *out)
{
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            out[j] += a[i * n + j] * y[i];
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- given parameters ---- */

struct fit {
    struct tune_gp *gp;
    size_t pairs;     /* of points: (0, 1), (0, 2), ..., (1, 2), ... */
    double *apart;    /* (D, pairs) distances along each dimension */
    double *square;   /* (pairs) */
    double *slope;    /* (pairs) of the kernel at scale 1 */
    double *u, *work; /* (n, n) */
};

static void fit_init(struct fit *f, struct tune_gp *gp)
{
    size_t n = (size_t) gp->n, D = gp->D;

    *f = (struct fit){.gp = gp, .pairs = n * (n - 1) / 2};
    f->apart = t2_alloc(D * f->pairs, sizeof *f->apart);
    f->square = t2_alloc(f->pairs, sizeof *f->square);
    f->slope = t2_alloc(f->pairs, sizeof *f->slope);
    f->u = t2_alloc(n * n, sizeof *f->u);
    f->work = t2_alloc(n * n, sizeof *f->work);
    for (size_t d = 0; d < D; d++) {
        double *apart = &f->apart[d * f->pairs];

        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                *apart++ = distance(gp->is_word[d], gp->x[i * D + d], gp->x[j * D + d]);
    }
}

static void fit_release(struct fit *f)
{
    t2_free(f->apart);
    t2_free(f->square);
    t2_free(f->slope);
    t2_free(f->u);
    t2_free(f->work);
}

/* Minus the logarithm of the density of y and gp->theta, up to a constant; HUGE_VAL when it cannot
 * be computed.  Leaves u, and slope. */
static double minus_log_density(struct fit *f)
{
    struct tune_gp *gp = f->gp;
    size_t n = (size_t) gp->n, D = gp->D, at = 0;
    double scale = exp(gp->theta[D]), noise = exp(gp->theta[D + 1]), sum = 0;

    memset(f->square, 0, f->pairs * sizeof *f->square);
    for (size_t d = 0; d < D; d++) {
        const double *apart = &f->apart[d * f->pairs];
        double rate = exp(-2 * gp->theta[d]);

        for (size_t k = 0; k < f->pairs; k++)
            f->square[k] += rate * apart[k];
    }
    for (size_t i = 0; i < n; i++) {
        f->u[i * n + i] = scale + noise;
        for (size_t j = i + 1; j < n; j++, at++)
            f->u[i * n + j] = scale * matern(f->square[at], &f->slope[at]);
    }
    if (!factor(f->u, n))
        return HUGE_VAL;
    /* of U'z = y half the square of z */
    memcpy(f->work, gp->y, n * sizeof *f->work);
    for (size_t i = 0; i < n; i++) {
        double z = f->work[i] / f->u[i * n + i];

        for (size_t j = i + 1; j < n; j++)
            f->work[j] -= f->u[i * n + j] * z;
        sum += log(f->u[i * n + i]) + 0.5 * z * z;
    }
    for (size_t k = 0; k < D + 2; k++) {
        struct prior p = prior_of(k, D);
        double z = (gp->theta[k] - p.mean) / p.deviation;

        sum += 0.5 * z * z;
    }
    return sum;
}

/* Sets inverse and alpha of f->gp, behind minus_log_density(). */
static void make_posterior(struct fit *f)
{
    size_t n = (size_t) f->gp->n;

    invert(f->u, n, f->work, f->gp->inverse);
    multiply(f->gp->inverse, f->gp->y, n, f->gp->alpha);
}

/* Its derivatives (D + 2), behind make_posterior(). */
static void gradient(const struct fit *f, double *g)
{
    const struct tune_gp *gp = f->gp;
    size_t n = (size_t) gp->n, D = gp->D, at = 0;
    double scale = exp(gp->theta[D]), noise = exp(gp->theta[D + 1]), trace = 0, fit = 0;
    double *weight = f->work; /* of a pair: of its covariance in the sum, times scale * slope */

    /* d/dp = tr((inverse - alpha alpha') dK/dp) / 2; all of K is scale * dK/dscale + noise */
    for (size_t i = 0; i < n; i++) {
        trace += gp->inverse[i * n + i];
        fit += gp->alpha[i] * gp->alpha[i];
        for (size_t j = i + 1; j < n; j++, at++)
            weight[at] =
                scale * f->slope[at] * (gp->inverse[i * n + j] - gp->alpha[i] * gp->alpha[j]);
    }
    for (size_t d = 0; d < D; d++)
        g[d] = -2 * exp(-2 * gp->theta[d]) * dot(weight, &f->apart[d * f->pairs], f->pairs);
    g[D + 1] = 0.5 * noise * (trace - fit);
    g[D] = 0.5 * ((double) n - dot(gp->y, gp->alpha, n)) - g[D + 1];
    for (size_t k = 0; k < D + 2; k++) {
        struct prior p = prior_of(k, D);

        g[k] += (gp->theta[k] - p.mean) / (p.deviation * p.deviation);
    }
}

/* ---- the most probable parameters ---- */

/* Of the method of Broyden, Fletcher, Goldfarb and Shanno: h (P, P) with the step s and the change
 * of gradients y (P); hy (P) is work. */
static void update(double *h, const double *s, const double *y, size_t P, double *hy)
{
    double sy = dot(s, y, P), yhy;

    if (!(sy > 1e-12))
        return;
    multiply(h, y, P, hy);
    yhy = dot(y, hy, P);
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++)
            h[i * P + j] += (1 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

/* step (P): the direction of descent at g, no component above 2; h is begun anew where it leads
 * upwards. */
static void descend(double *h, const double *g, size_t P, double *step)
{
    double most = 0;

    multiply(h, g, P, step);
    if (!(dot(step, g, P) > 0)) {
        memset(h, 0, P * P * sizeof *h);
        for (size_t i = 0; i < P; i++)
            h[i * P + i] = 1;
        memcpy(step, g, P * sizeof *step);
    }
    for (size_t i = 0; i < P; i++)
        most = fmax(most, fabs(step[i]));
    for (size_t i = 0; i < P; i++)
        step[i] *= -1 / fmax(1, 0.5 * most);
}

static void find_parameters(struct fit *f)
{
    enum { STEPS = 30, HALVES = 8 };
    size_t P = f->gp->D + 2;
    double *h = t2_alloc(P * P, sizeof *h), *vectors = t2_alloc(5 * P, sizeof *vectors);
    double *g = vectors, *before = g + P, *change = before + P, *step = change + P, *hy = step + P;
    double *theta = f->gp->theta, value = minus_log_density(f), next = value;

    make_posterior(f);
    gradient(f, g);
    for (int k = 0; k < STEPS; k++) {
        double part = 1, slope;
        int halves = 0;

        descend(h, g, P, step);
        slope = dot(step, g, P);
        memcpy(before, theta, P * sizeof *before);
        for (; halves < HALVES; halves++, part /= 2) {
            for (size_t i = 0; i < P; i++)
                theta[i] = before[i] + part * step[i];
            next = minus_log_density(f);
            if (next <= value + 1e-4 * part * slope)
                break;
        }
        if (halves == HALVES || value - next < 2e-2) {
            if (halves == HALVES)
                memcpy(theta, before, P * sizeof *theta);
            break;
        }
        value = next;
        memcpy(change, g, P * sizeof *change);
        make_posterior(f);
        gradient(f, g);
        for (size_t i = 0; i < P; i++) {
            step[i] = theta[i] - before[i];
            change[i] = g[i] - change[i];
        }
        if (k == 0) { /* h is 1 on the diagonal, or 0 */
            double size = dot(step, change, P) / dot(change, change, P);
            for (size_t i = 0; i < P && size > 0; i++)
                h[i * P + i] = size;
        }
        update(h, step, change, P, hy);
    }
    t2_free(h);
    t2_free(vectors);
}

/* With parameters to begin at. */
static void start(struct tune_gp *gp, const double *x, const double *y, int64_t n,
                  const bool *is_word, size_t D, const double *theta)
{
    *gp = (struct tune_gp){.n = n, .D = D};
    gp->is_word = t2_alloc(D, sizeof *gp->is_word);
    gp->x = t2_alloc((size_t) n * D, sizeof *gp->x);
    gp->y = t2_alloc((size_t) n, sizeof *gp->y);
    gp->theta = t2_alloc(D + 2, sizeof *gp->theta);
    gp->inverse = t2_alloc((size_t) (n * n), sizeof *gp->inverse);
    gp->alpha = t2_alloc((size_t) n, sizeof *gp->alpha);
    memcpy(gp->is_word, is_word, D * sizeof *is_word);
    memcpy(gp->x, x, (size_t) n * D * sizeof *x);
    memcpy(gp->y, y, (size_t) n * sizeof *y);
    memcpy(gp->theta, theta, (D + 2) * sizeof *theta);
}

static void finish(struct tune_gp *gp)
{
    struct fit f;

    fit_init(&f, gp);
    find_parameters(&f);
    (void) minus_log_density(&f);
    make_posterior(&f);
    fit_release(&f);
}

void tune_gp_init(struct tune_gp *gp, const double *x, const double *y, int64_t n,
                  const bool *is_word, size_t D)
{
    enum { FEW = 24 };
    double *theta = t2_alloc(D + 2, sizeof *theta);

    for (size_t k = 0; k < D + 2; k++)
        theta[k] = prior_of(k, D).mean;
    start(gp, x, y, n, is_word, D, theta);
    if (n >= 2 * FEW) { /* the time goes with the cube of n: most of the way with a few points */
        struct tune_gp some;

        start(&some, x, y, FEW, is_word, D, theta);
        for (size_t i = 0; i < FEW; i++) {
            size_t from = i * (size_t) n / FEW;

            memcpy(&some.x[i * D], &x[from * D], D * sizeof *x);
            some.y[i] = y[from];
        }
        finish(&some);
        memcpy(gp->theta, some.theta, (D + 2) * sizeof *theta);
        tune_gp_release(&some);
    }
    finish(gp);
    t2_free(theta);
}

void tune_gp_believe(struct tune_gp *gp, const double *x)
{
    size_t n = (size_t) gp->n;
    double deviation, value;
    struct fit f;

    tune_gp_predict(gp, x, &value, &deviation);
    gp->x = t2_realloc(gp->x, (n + 1) * gp->D, sizeof *gp->x);
    gp->y = t2_realloc(gp->y, n + 1, sizeof *gp->y);
    gp->alpha = t2_realloc(gp->alpha, n + 1, sizeof *gp->alpha);
    gp->inverse = t2_realloc(gp->inverse, (n + 1) * (n + 1), sizeof *gp->inverse);
    memcpy(&gp->x[n * gp->D], x, gp->D * sizeof *x);
    gp->y[n] = value;
    gp->n++;
    fit_init(&f, gp);
    (void) minus_log_density(&f);
    make_posterior(&f);
    fit_release(&f);
}

void tune_gp_release(struct tune_gp *gp)
{
    t2_free(gp->is_word);
    t2_free(gp->x);
    t2_free(gp->y);
    t2_free(gp->theta);
    t2_free(gp->inverse);
    t2_free(gp->alpha);
    *gp = (struct tune_gp){0};
}

/* ---- what is expected ---- */

void tune_gp_predict(const struct tune_gp *gp, const double *x, double *mean, double *deviation)
{
    enum { FEW = 512 };
    size_t n = (size_t) gp->n, D = gp->D;
    double few[2 * FEW], *k = n <= FEW ? few : t2_alloc(2 * n, sizeof *k), *ik = &k[n];
    double scale = exp(gp->theta[D]), slope;

    memset(k, 0, n * sizeof *k);
    for (size_t d = 0; d < D; d++) {
        double rate = exp(-2 * gp->theta[d]);

        for (size_t i = 0; i < n; i++)
            k[i] += rate * distance(gp->is_word[d], x[d], gp->x[i * D + d]);
    }
    for (size_t i = 0; i < n; i++)
        k[i] = scale * matern(k[i], &slope);
    *mean = dot(k, gp->alpha, n);
    multiply(gp->inverse, k, n, ik);
    *deviation = sqrt(fmax(scale - dot(k, ik, n), 1e-12 * scale));
    if (k != few)
        t2_free(k);
}

double tune_gp_log_improvement(double best, double mean, double deviation)
{
    double z = (best - mean) / deviation, log_density = -0.5 * z * z - log_root_2_pi;

    /* density(z) + z * probability(below z), whose difference far below 0 is a series (Abramowitz
     * and Stegun 1964, 26.2.12) */
    if (z < -10)
        return log(deviation) + log_density + log((1 - (3 - 15 / (z * z)) / (z * z)) / (z * z));
    return log(deviation) + log(exp(log_density) + 0.5 * z * erfc(-z * root_half));
}
