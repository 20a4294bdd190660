/*
 * train/tune/parzen.c - widths, weights, densities and draws of a mixture of kernels.
 *
 * Shares are in [0, 1], and so are the centres of all kernels, and no kernel is wider than 1: what
 * is cut off of a normal density is at most two thirds, so cut ones are drawn by drawing again.
 */
#include "train/tune/parzen.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

static const double too_little = 50;                        /* exp(-50): not seen beside 1 */
static const double root_half = 0.70710678118654752440;     /* sqrt(1/2) */
static const double log_root_2_pi = 0.91893853320467274178; /* log(sqrt(2 pi)) */

static bool is_number(const struct tune_param *p)
{
    return p->values.n == 0;
}

/* Of a normal distribution's probability what lies between a and b, a <= b, in its deviations;
 * differences of what is small, not of what is nearly 1. */
static double mass_between(double a, double b)
{
    if (a > 0)
        return 0.5 * (erfc(a * root_half) - erfc(b * root_half));
    if (b < 0)
        return 0.5 * (erfc(-b * root_half) - erfc(-a * root_half));
    return 0.5 * (erf(b * root_half) - erf(a * root_half));
}

/* ---- making ---- */

struct place {
    double x;
    int64_t i;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->x < y->x ? -1 : x->x > y->x ? 1 : x->i < y->i ? -1 : x->i > y->i;
}

/* The larger distance to a neighbour.  The ends of the range are neighbours of nothing but a single
 * trial: with more, one at an end would get a wide kernel for its place alone. */
static double distance_of(const struct place *sorted, int64_t n, int64_t k)
{
    double left = k > 0 ? sorted[k].x - sorted[k - 1].x : n == 1 ? sorted[k].x : 0;
    double right = k + 1 < n ? sorted[k + 1].x - sorted[k].x : n == 1 ? 1 - sorted[k].x : 0;

    return fmax(left, right);
}

/* Centres and widths of param d of the n trials, and of the kernel of the range. */
static void make_column(struct tune_parzen *z, const struct tune_coord *at, int64_t n, size_t d)
{
    double least = 1.0 / fmin(100.0, (double) n + 2.0);
    size_t D = z->range->n;
    struct place *sorted = t2_alloc((size_t) n + 1, sizeof *sorted);

    for (int64_t i = 0; i < n; i++) {
        const struct tune_coord *c = &at[(size_t) i * D + d];

        sorted[i] = (struct place){0.5 * (c->from + c->to), i};
    }
    qsort(sorted, (size_t) n, sizeof *sorted, compare_places);
    for (int64_t k = 0; k < n; k++) {
        z->centres[(size_t) sorted[k].i * D + d] = sorted[k].x;
        z->widths[(size_t) sorted[k].i * D + d] = fmin(fmax(distance_of(sorted, n, k), least), 1.0);
    }
    z->centres[(size_t) n * D + d] = 0.5;
    z->widths[(size_t) n * D + d] = 1.0;
    t2_free(sorted);
}

static void make_log_scales(struct tune_parzen *z)
{
    size_t D = z->range->n;

    for (size_t k = 0; k < (size_t) z->n * D; k++) {
        const struct tune_param *p = &z->range->params[k % D];
        double mean = z->centres[k], width = z->widths[k];

        if (!is_number(p))
            continue;
        z->log_scales[k] = -log(mass_between(-mean / width, (1 - mean) / width));
        if (p->kind == TUNE_FLOAT)
            z->log_scales[k] -= log(width) + log_root_2_pi;
    }
}

static void make_weights(double *weights, int64_t n)
{
    enum { RECENT = 25 };
    int64_t old = n > RECENT ? n - RECENT : 0;
    double sum = 1;

    weights[n] = 1;
    for (int64_t i = 0; i < n; i++) {
        double share = old > 1 ? (double) i / (double) (old - 1) : 0; /* of the way to 1 */

        weights[i] = i < old ? 1.0 / (double) n + share * (1.0 - 1.0 / (double) n) : 1.0;
        sum += weights[i];
    }
    for (int64_t i = 0; i <= n; i++)
        weights[i] /= sum;
}

/* With K kernels the trial's own value has 1 + 1 / K parts, each other one 1 / K. */
static void make_probabilities(struct tune_parzen *z)
{
    double prior = 1.0 / (double) z->n;

    z->own = t2_alloc(z->range->n, sizeof *z->own);
    z->other = t2_alloc(z->range->n, sizeof *z->other);
    for (size_t d = 0; d < z->range->n; d++) {
        double all = 1.0 + prior * (double) z->range->params[d].values.n;

        z->own[d] = (1.0 + prior) / all;
        z->other[d] = prior / all;
    }
}

void tune_parzen_init(struct tune_parzen *z, const struct tune_range *range,
                      const struct tune_coord *at, int64_t n)
{
    size_t cells = ((size_t) n + 1) * range->n;

    *z = (struct tune_parzen){.range = range, .n = n + 1};
    z->weights = t2_alloc((size_t) n + 1, sizeof *z->weights);
    z->centres = t2_alloc(cells, sizeof *z->centres);
    z->widths = t2_alloc(cells, sizeof *z->widths);
    z->log_scales = t2_alloc(cells, sizeof *z->log_scales);
    for (size_t d = 0; d < range->n; d++)
        make_column(z, at, n, d);
    make_log_scales(z);
    make_weights(z->weights, n);
    z->log_weights = t2_alloc((size_t) n + 1, sizeof *z->log_weights);
    for (int64_t i = 0; i <= n; i++)
        z->log_weights[i] = log(z->weights[i]);
    make_probabilities(z);
}

void tune_parzen_release(struct tune_parzen *z)
{
    t2_free(z->weights);
    t2_free(z->centres);
    t2_free(z->widths);
    t2_free(z->log_scales);
    t2_free(z->log_weights);
    t2_free(z->own);
    t2_free(z->other);
    *z = (struct tune_parzen){0};
}

/* ---- one kernel ---- */

/* The probability of value `index` of param d; the kernel of the range has the same for all. */
static double value_probability(const struct tune_parzen *z, int64_t kernel, size_t d, double index)
{
    if (kernel == z->n - 1)
        return 1.0 / (double) z->range->params[d].values.n;
    return index == z->centres[(size_t) kernel * z->range->n + d] ? z->own[d] : z->other[d];
}

/* With its weight. */
static double log_kernel(const struct tune_parzen *z, int64_t kernel, const struct tune_coord *at)
{
    size_t D = z->range->n;
    double sum = z->log_weights[kernel], product = 1;

    for (size_t d = 0; d < D; d++) {
        const struct tune_param *p = &z->range->params[d];
        size_t k = (size_t) kernel * D + d;

        if (is_number(p)) {
            double from = (at[d].from - z->centres[k]) / z->widths[k];
            double to = (at[d].to - z->centres[k]) / z->widths[k];

            /* of whole numbers it may be -infinity */
            sum += p->kind == TUNE_INT ? log(mass_between(from, to)) + z->log_scales[k]
                                       : z->log_scales[k] - 0.5 * from * from;
        } else {
            product *= value_probability(z, kernel, d, at[d].from);
        }
        if (product < 1e-200) {
            sum += log(product);
            product = 1;
        }
    }
    return sum + log(product);
}

double tune_parzen_log_density(const struct tune_parzen *z, const struct tune_coord *at)
{
    double *logs = t2_alloc((size_t) z->n, sizeof *logs), most = -HUGE_VAL, sum = 0;

    for (int64_t i = 0; i < z->n; i++) {
        logs[i] = log_kernel(z, i, at);
        most = fmax(most, logs[i]);
    }
    for (int64_t i = 0; i < z->n; i++)
        sum += logs[i] > most - too_little ? exp(logs[i] - most) : 0;
    t2_free(logs);
    return most + log(sum);
}

/* ---- drawing ---- */

static int64_t draw_kernel(const struct tune_parzen *z, struct t2_rng *r)
{
    double u = t2_rng_uniform_double(r), sum = 0;

    for (int64_t i = 0; i < z->n; i++) {
        sum += z->weights[i];
        if (u < sum)
            return i;
    }
    return z->n - 1;
}

static size_t draw_value(const struct tune_parzen *z, int64_t kernel, size_t d, struct t2_rng *r)
{
    double u = t2_rng_uniform_double(r), sum = 0;
    size_t n = z->range->params[d].values.n;

    for (size_t i = 0; i < n; i++) {
        sum += value_probability(z, kernel, d, (double) i);
        if (u < sum)
            return i;
    }
    return n - 1;
}

static double draw_share(double centre, double width, struct t2_rng *r)
{
    double x;

    do {
        x = centre + width * t2_rng_normal(r);
    } while (x < 0 || x > 1);
    return x;
}

void tune_parzen_draw(const struct tune_parzen *z, struct t2_rng *r, struct t2_buf *hparams)
{
    int64_t kernel = draw_kernel(z, r);
    size_t D = z->range->n;

    for (size_t d = 0; d < D; d++) {
        const struct tune_param *p = &z->range->params[d];
        double centre = z->centres[(size_t) kernel * D + d];
        double width = z->widths[(size_t) kernel * D + d];

        t2_buf_printf(hparams, "%s%s=", d > 0 ? "," : "", p->name);
        if (is_number(p))
            tune_put_value(p, tune_value_drawn(p, draw_share(centre, width, r)), hparams);
        else
            t2_buf_puts(hparams, p->values.items[draw_value(z, kernel, d, r)]);
    }
}
