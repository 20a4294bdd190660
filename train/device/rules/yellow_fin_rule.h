/*
 * train/device/rules/yellow_fin_rule.h - momentum with rate and momentum tuned from the gradients
 * (train/optim/yellow_fin.c).
 *
 *   a = mu a + g;  x -= lr a
 *   averages (decay 0.999, divided by 1 - 0.999^k) of: share of non-zero gradient elements s,
 *     squared norm n, smallest and largest log n of the last 20 steps, gradient, norm, distance
 *   h = exp(smallest) s, H = exp(largest) s;  C = max(1e-6, n - |mean gradient|^2) s
 *   distance: average of mean norm / n, divided by sqrt(s) = D
 *   p = D^2 h^2 / (2 C);  w^3 = (-sqrt(p^2 + 4/27 p^3) - p) / 2;  y = w - p / (3 w)
 *   mu' = max((y+1)^2, ((sqrt(H/h) - 1) / (sqrt(H/h) + 1))^2);  lr' = (1 - sqrt(mu'))^2 / h
 *   lr = 0.999 lr + 0.001 lr', mu likewise; in the first step lr and mu stay
 *
 * For devices that compute on the host: begin, all pieces, end.
 */
#ifndef DEV_RULES_YELLOW_FIN_RULE_H
#define DEV_RULES_YELLOW_FIN_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

#define DEV_YELLOW_FIN_BETA 0.999

enum { DEV_YELLOW_FIN_WINDOW = 20 };
/* The tuner's state.  The first four are never negative; the root of SHARE is taken. */
enum {
    DEV_YELLOW_FIN_RATE,
    DEV_YELLOW_FIN_MU,
    DEV_YELLOW_FIN_SHARE,
    DEV_YELLOW_FIN_SQUARES,
    DEV_YELLOW_FIN_SMALLEST,
    DEV_YELLOW_FIN_LARGEST,
    DEV_YELLOW_FIN_NORM,
    DEV_YELLOW_FIN_DISTANCE,
    DEV_YELLOW_FIN_LOGS,
    DEV_YELLOW_FIN_STATE = DEV_YELLOW_FIN_LOGS + DEV_YELLOW_FIN_WINDOW
};
enum { DEV_YELLOW_FIN_MOMENTUM, DEV_YELLOW_FIN_MEAN }; /* slots; MEAN before its division */
enum { DEV_YELLOW_FIN_START_MU };                      /* setting */

/* The schedule gives only the rate of the first step. */
static inline void dev_yellow_fin_begin(const struct dev_yellow_fin *a)
{
    if (a->step->updates == 0) {
        a->state[DEV_YELLOW_FIN_RATE] = a->step->rate;
        a->state[DEV_YELLOW_FIN_MU] = a->of.settings[DEV_YELLOW_FIN_START_MU];
    }
    a->step->rate = a->state[DEV_YELLOW_FIN_RATE];
}

/* sums of a piece: non-zero elements, squares of gradients, squares of means */
static inline void dev_yellow_fin_piece(const struct dev_yellow_fin *a, int64_t i)
{
    const struct dev_piece *p = &a->of.pieces[i];
    const float *restrict g = a->of.grads + p->offset;
    float *restrict x = a->of.values + p->offset;
    float *restrict m = a->of.slots[DEV_YELLOW_FIN_MOMENTUM] + p->offset;
    float *restrict mean = a->of.slots[DEV_YELLOW_FIN_MEAN] + p->offset;
    const float mu = a->state[DEV_YELLOW_FIN_MU], rate = a->step->rate, scale = a->step->scale;
    double n = 0.0, squares = 0.0, mean_squares = 0.0;

    for (int64_t k = 0; k < p->n; k++) {
        float gk = g[k] * scale;

        m[k] = m[k] * mu + gk;
        x[k] -= m[k] * rate;
        mean[k] += (gk - mean[k]) * (float) (1.0 - DEV_YELLOW_FIN_BETA);
        n += gk != 0.0F;
        squares += (double) gk * (double) gk;
        mean_squares += (double) mean[k] * (double) mean[k];
    }
    a->sums[3 * i] = n;
    a->sums[3 * i + 1] = squares;
    a->sums[3 * i + 2] = mean_squares;
}

/* Takes `value` into the average state[i]; returns it divided by what is missing at the start. */
DEV_RULE double dev_yellow_fin_average(float *state, int i, double value, double divisor)
{
    state[i] =
        (float) ((double) state[i] + (value - (double) state[i]) * (1.0 - DEV_YELLOW_FIN_BETA));
    return (double) state[i] / divisor;
}

/* Root of mu from the noise and the distance: one real root of y^3 + p y = -p, in closed form. */
DEV_RULE double dev_yellow_fin_root_of_mu(double distance, double h_min, double variance)
{
    double p = distance * distance * h_min * h_min / 2.0 / variance;
    double w3 = (-sqrt(p * p + 4.0 / 27.0 * p * p * p) - p) / 2.0;
    double w = cbrt(w3);

    return w - p / 3.0 / w + 1.0;
}

/* h and H bound the curvature of the loss, C is the variance of the gradients, D the distance to
 * the minimum, all estimated from the gradients alone; k counts the steps from 1. */
DEV_RULE void dev_yellow_fin_tune(float *state, int64_t k, double share_now, double squares,
                                  double mean_squares)
{
    const double beta = DEV_YELLOW_FIN_BETA;
    double divisor = 1.0 - pow(beta, (double) k);
    double share = dev_yellow_fin_average(state, DEV_YELLOW_FIN_SHARE, share_now, divisor);
    double mean_norm2 = dev_yellow_fin_average(state, DEV_YELLOW_FIN_SQUARES, squares, divisor);
    float *logs = state + DEV_YELLOW_FIN_LOGS;
    double smallest, largest, h_min, h_max, variance, distance, mu, lr, ratio;

    logs[(k - 1) % DEV_YELLOW_FIN_WINDOW] = (float) log(squares);
    smallest = largest = (double) logs[0];
    for (int i = 1; i < DEV_YELLOW_FIN_WINDOW && i < k; i++) {
        smallest = fmin(smallest, (double) logs[i]);
        largest = fmax(largest, (double) logs[i]);
    }
    h_min = exp(dev_yellow_fin_average(state, DEV_YELLOW_FIN_SMALLEST, smallest, divisor)) * share;
    h_max = exp(dev_yellow_fin_average(state, DEV_YELLOW_FIN_LARGEST, largest, divisor)) * share;
    variance = fmax(1e-6, mean_norm2 - mean_squares / (divisor * divisor)) * share;
    distance =
        dev_yellow_fin_average(state, DEV_YELLOW_FIN_NORM, sqrt(squares), divisor) / mean_norm2;
    distance =
        dev_yellow_fin_average(state, DEV_YELLOW_FIN_DISTANCE, distance, divisor) / sqrt(share);
    if (k == 1)
        return;
    ratio = sqrt(h_max / h_min);
    mu = fmax(pow(dev_yellow_fin_root_of_mu(distance, h_min, variance), 2.0),
              pow((ratio - 1.0) / (ratio + 1.0), 2.0));
    lr = pow(1.0 - sqrt(mu), 2.0) / h_min;
    state[DEV_YELLOW_FIN_MU] =
        (float) (beta * (double) state[DEV_YELLOW_FIN_MU] + (1.0 - beta) * mu);
    state[DEV_YELLOW_FIN_RATE] =
        (float) (beta * (double) state[DEV_YELLOW_FIN_RATE] + (1.0 - beta) * lr);
}

static inline void dev_yellow_fin_end(const struct dev_yellow_fin *a)
{
    double n = 0.0, squares = 0.0, mean_squares = 0.0, size = 0.0;

    for (int64_t i = 0; i < a->of.n_pieces; i++) {
        n += a->sums[3 * i];
        squares += a->sums[3 * i + 1];
        mean_squares += a->sums[3 * i + 2];
        size += (double) a->of.pieces[i].n;
    }
    /* the logarithm of a gradient that is all zeros would stay in the averages for ever */
    if (squares > 0.0)
        dev_yellow_fin_tune(a->state, a->step->updates + 1, n / size, squares, mean_squares);
}

#endif
