/*
 * train/optim/yellow_fin.c - momentum with rate and momentum tuned from the gradients (spec §4.3).
 *
 * tensor2tensor/utils/yellowfin.py; Zhang et al. 2017, "YellowFin and the art of momentum tuning".
 * Each step first moves the variables with the rate and momentum of the step before, then tunes
 * them:
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
 * The schedule gives only the rate of the first step.  Norms and sums are per piece in double and
 * added in the order of the pieces, on the calling thread, so threads do not change them.
 */
#include <math.h>

#include "base/alloc.h"
#include "train/device/device.h"
#include "train/optim/method.h"

enum { WINDOW = 20 };
/* The tuner's state, kept as a slot so that checkpoints hold it.  The first four are never
 * negative; the root of SHARE is taken. */
enum { RATE, MU, SHARE, SQUARES, SMALLEST, LARGEST, NORM, DISTANCE, LOGS, N_STATE = LOGS + WINDOW };
enum { MOMENTUM, MEAN }; /* arenas; MEAN before its division */
enum { START_MU };       /* settings */

static const double beta = 0.999;

/* By piece: non-zero elements, squares of gradients, squares of means. */
struct own {
    double (*sums)[3];
    float *state; /* the optimizer's `extra` */
};

static void release(void *p)
{
    struct own *own = p;

    if (own)
        t2_free(own->sums);
    t2_free(own);
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    struct own *own = t2_alloc(1, sizeof *own);
    struct dev *dev = o->params->dev;

    o->own = own;
    own->sums = t2_alloc((size_t) o->n_pieces, sizeof *own->sums);
    o->settings[START_MU] = (float) mdl_hp_float(hp, "optimizer_momentum_momentum");
    T2_TRY(opt_add_slots(o, MOMENTUM, OPT_SIGNED, 0.0F, err));
    T2_TRY(opt_add_slots(o, MEAN, OPT_SIGNED, 0.0F, err));
    o->extra = dev->alloc(dev, N_STATE * sizeof(float));
    if (!o->extra)
        return t2_fail(err, T2_ENOMEM, "not enough memory for the state of optimizer 'yellow_fin'");
    own->state = o->extra;
    opt_add_named_slot(o, "training/YellowFin/state", N_STATE, SQUARES + 1, o->extra);
    return T2_OK;
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    float *state = ((struct own *) o->own)->state;

    (void) err;
    if (u->updates == 0) {
        state[RATE] = u->rate;
        state[MU] = o->settings[START_MU];
    }
    u->rate = state[RATE];
    u->scalars[MU] = state[MU];
    return T2_OK;
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const struct own *own = u->o->own;
    const float *g = u->grads + p->offset;
    float *a = u->slots[MOMENTUM] + p->offset, *mean = u->slots[MEAN] + p->offset;
    float *x = u->values + p->offset, mu = u->scalars[MU];
    double n = 0.0, squares = 0.0, mean_squares = 0.0;

    for (int64_t i = 0; i < p->n; i++) {
        float gi = g[i] * u->scale;

        a[i] = a[i] * mu + gi;
        x[i] -= a[i] * u->rate;
        mean[i] += (gi - mean[i]) * (float) (1.0 - beta);
        n += gi != 0.0F;
        squares += (double) gi * (double) gi;
        mean_squares += (double) mean[i] * (double) mean[i];
    }
    own->sums[p - u->o->pieces][0] = n;
    own->sums[p - u->o->pieces][1] = squares;
    own->sums[p - u->o->pieces][2] = mean_squares;
}

/* Takes `value` into the average state[i]; returns it divided by what is missing at the start. */
static double average(float *state, int i, double value, double divisor)
{
    state[i] = (float) ((double) state[i] + (value - (double) state[i]) * (1.0 - beta));
    return (double) state[i] / divisor;
}

/* Root of mu from the noise and the distance: one real root of y^3 + p y = -p, in closed form. */
static double root_of_mu(double distance, double h_min, double variance)
{
    double p = distance * distance * h_min * h_min / 2.0 / variance;
    double w3 = (-sqrt(p * p + 4.0 / 27.0 * p * p * p) - p) / 2.0;
    double w = cbrt(w3);

    return w - p / 3.0 / w + 1.0;
}

/* h and H bound the curvature of the loss, C is the variance of the gradients, D the distance to
 * the minimum, all estimated from the gradients alone; k counts the steps from 1. */
static void tune(float *state, int64_t k, double share_now, double squares, double mean_squares)
{
    double divisor = 1.0 - pow(beta, (double) k);
    double share = average(state, SHARE, share_now, divisor);
    double mean_norm2 = average(state, SQUARES, squares, divisor);
    double smallest, largest, h_min, h_max, variance, distance, mu, lr, ratio;

    state[LOGS + (k - 1) % WINDOW] = (float) log(squares);
    smallest = largest = (double) state[LOGS];
    for (int i = 1; i < WINDOW && i < k; i++) {
        smallest = fmin(smallest, (double) state[LOGS + i]);
        largest = fmax(largest, (double) state[LOGS + i]);
    }
    h_min = exp(average(state, SMALLEST, smallest, divisor)) * share;
    h_max = exp(average(state, LARGEST, largest, divisor)) * share;
    variance = fmax(1e-6, mean_norm2 - mean_squares / (divisor * divisor)) * share;
    distance = average(state, NORM, sqrt(squares), divisor) / mean_norm2;
    distance = average(state, DISTANCE, distance, divisor) / sqrt(share);
    if (k == 1)
        return;
    ratio = sqrt(h_max / h_min);
    mu = fmax(pow(root_of_mu(distance, h_min, variance), 2.0),
              pow((ratio - 1.0) / (ratio + 1.0), 2.0));
    lr = pow(1.0 - sqrt(mu), 2.0) / h_min;
    state[MU] = (float) (beta * (double) state[MU] + (1.0 - beta) * mu);
    state[RATE] = (float) (beta * (double) state[RATE] + (1.0 - beta) * lr);
}

static void end(struct opt_optimizer *o, const struct opt_update *u)
{
    struct own *own = o->own;
    double n = 0.0, squares = 0.0, mean_squares = 0.0, size = 0.0;

    for (int64_t i = 0; i < o->n_pieces; i++) {
        n += own->sums[i][0];
        squares += own->sums[i][1];
        mean_squares += own->sums[i][2];
        size += (double) o->pieces[i].n;
    }
    /* the logarithm of a gradient that is all zeros would stay in the averages for ever */
    if (squares > 0.0)
        tune(own->state, u->updates + 1, n / size, squares, mean_squares);
}

const struct opt_method opt_yellow_fin = {.name = "yellow_fin",
                                          .slot = "YellowFin",
                                          .prepare = prepare,
                                          .begin = begin,
                                          .piece = piece,
                                          .end = end,
                                          .release = release};
