/*
 * train/device/reference/choice_reference.c - the end of a step of decoding in plain loops: all ids
 * are compared for every place of a list (struct dev_best_ids_args, struct dev_draw_ids_args).
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

static float largest_of(const float *x, int64_t n)
{
    float largest = -HUGE_VALF;

    for (int64_t i = 0; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

static double sum_exp(const float *x, int64_t n, float largest)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; i++)
        sum += exp((double) x[i] - (double) largest);
    return sum;
}

/* ---- the best ids ---- */

/* True if candidate a stands before b. */
static bool before(struct dev_candidate a, struct dev_candidate b)
{
    return a.score > b.score || (a.score == b.score && a.id < b.id);
}

/* The first of all candidates that stand behind `last` (NULL: of all).  By the logit itself where
 * only one is wanted. */
static struct dev_candidate next_best(const struct dev_best_ids_args *a, int64_t row, float lse,
                                      const struct dev_candidate *last)
{
    const float *x = a->logits + row * a->stride;
    const struct dev_ask *ask = a->n == 1 ? NULL : &a->asks[row];
    struct dev_candidate best = {0.0f, -1};

    for (int64_t id = 0; id < a->V; id++) {
        struct dev_candidate c = {!ask ? x[id] : (x[id] - lse + ask->alive) / ask->penalty,
                                  (int32_t) id};

        if ((best.id < 0 || before(c, best)) && (!last || before(*last, c)))
            best = c;
    }
    return best;
}

void dev_reference_best_ids(struct dev *d, const struct dev_best_ids_args *a)
{
    (void) d, (void) a->scratch;
    for (int64_t row = 0; row < a->rows; row++) {
        const float *x = a->logits + row * a->stride;
        struct dev_candidate *best = a->best + row * a->n;
        float largest = largest_of(x, a->V), lse;

        if (a->asks && !a->asks[row].wanted)
            continue;
        lse = (float) ((double) largest + log(sum_exp(x, a->V, largest)));
        best[0].id = -1;
        for (int64_t i = 0; i < a->n && isfinite(lse); i++)
            best[i] = next_best(a, row, lse, i ? &best[i - 1] : NULL);
        if (a->n == 1 && best[0].id >= 0)
            best[0].score -= lse;
    }
}

int64_t dev_reference_best_ids_scratch(const struct dev *d, int64_t V)
{
    (void) d, (void) V;
    return 0;
}

/* ---- drawing ---- */

/* The n-th largest (from 1); equals count as often as they are there. */
static float nth_largest(const float *x, int64_t length, int64_t n)
{
    float nth = HUGE_VALF;

    for (int64_t found = 0; found < n;) {
        float largest = -HUGE_VALF;

        for (int64_t i = 0; i < length; i++)
            largest = x[i] < nth && x[i] > largest ? x[i] : largest;
        for (int64_t i = 0; i < length; i++)
            found += x[i] == largest;
        nth = largest;
    }
    return nth;
}

/* Of the sum of all ids the part of one; what is not above the threshold counts as -1e6. */
static double part_of(const struct dev_draw_ids_args *a, float x, float threshold, double top)
{
    return exp(((x > threshold ? (double) x : -1e6) - top) / a->temperature);
}

static double sum_of_parts(const struct dev_draw_ids_args *a, const float *x, float threshold,
                           double top)
{
    double sum = 0.0;

    for (int64_t i = 0; i < a->V; i++)
        sum += part_of(a, x[i], threshold, top);
    return sum;
}

/* Below the last of the largest that together reach keep_top_p: more and more of the largest are
 * summed up. */
static float top_p_threshold(const struct dev_draw_ids_args *a, const float *x, float threshold,
                             double top)
{
    double sum = sum_of_parts(a, x, threshold, top), reached = 0.0;

    for (int64_t n = 1; n <= a->V; n++) {
        float nth = nth_largest(x, a->V, n);

        if (nth <= threshold)
            break;
        reached += part_of(a, nth, threshold, top);
        if (reached >= a->keep_top_p * sum)
            return nextafterf(nth, -HUGE_VALF);
    }
    return threshold;
}

static struct dev_candidate draw(const struct dev_draw_ids_args *a, int64_t row)
{
    const float *x = a->logits + row * a->stride;
    bool cuts = a->keep_top_k > 0 && a->keep_top_k < a->V;
    float threshold = cuts ? nth_largest(x, a->V, a->keep_top_k + 1) : -HUGE_VALF;
    float largest = largest_of(x, a->V);
    double top = largest > threshold ? (double) largest : -1e6, rest;
    struct dev_candidate drawn = {0.0f, 0};

    if (a->keep_top_p < 1.0)
        threshold = top_p_threshold(a, x, threshold, top);
    rest = a->asks[row].draw * sum_of_parts(a, x, threshold, top);
    for (int64_t i = 0; i < a->V && rest >= 0.0; i++) {
        double part = part_of(a, x[i], threshold, top);

        drawn.id = part > 0.0 ? (int32_t) i : drawn.id; /* rounding may leave nothing at the end */
        rest -= part;
    }
    drawn.score =
        (float) ((double) x[drawn.id] - (double) largest - log(sum_exp(x, a->V, largest)));
    return drawn;
}

void dev_reference_draw_ids(struct dev *d, const struct dev_draw_ids_args *a)
{
    (void) d, (void) a->scratch;
    for (int64_t row = 0; row < a->rows; row++) {
        bool finite = true;

        if (!a->asks[row].wanted)
            continue;
        for (int64_t i = 0; i < a->V; i++)
            finite &= isfinite(a->logits[row * a->stride + i]) != 0;
        a->drawn[row] = finite ? draw(a, row) : (struct dev_candidate){0.0f, -1};
    }
}

int64_t dev_reference_draw_ids_scratch(const struct dev *d, int64_t V, int64_t keep_top_k,
                                       double keep_top_p)
{
    (void) d, (void) V, (void) keep_top_k, (void) keep_top_p;
    return 0;
}
