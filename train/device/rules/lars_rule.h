/*
 * train/device/rules/lars_rule.h - momentum with a rate for each variable, from the norms of
 * variable and gradient (train/optim/lars.c).
 *
 *   r = eeta |x| / (|g| + decay |x| + eps), 1 where |x| or |g| is 0;  g += decay x
 *   a = mu a + r rate g;  x -= a;  with Nesterov's form  x -= r rate g + mu a
 *
 * For devices that compute on the host: sums of all pieces, rates, then the pieces again, as no
 * variable may change before its norm is known.
 */
#ifndef DEV_RULES_LARS_RULE_H
#define DEV_RULES_LARS_RULE_H

#include <math.h>

#include "train/device/rules/rule.h"

enum { DEV_LARS_MU, DEV_LARS_NESTEROV, DEV_LARS_DECAY, DEV_LARS_EETA, DEV_LARS_EPSILON };

/* In the order of the elements, in double. */
static inline void dev_lars_sum_piece(const struct dev_lars *a, int64_t i)
{
    const struct dev_piece *p = &a->of.pieces[i];
    const float *x = a->of.values + p->offset, *g = a->of.grads + p->offset;
    const float scale = a->of.step->scale;
    double xs = 0.0, gs = 0.0;

    for (int64_t k = 0; k < p->n; k++) {
        double gk = (double) (g[k] * scale);

        xs += (double) x[k] * (double) x[k];
        gs += gk * gk;
    }
    a->sums[2 * i] = xs;
    a->sums[2 * i + 1] = gs;
}

/* r of the formula above, from the norms of variable and gradient. */
DEV_RULE float dev_lars_trust(const float *settings, float x, float g)
{
    if (!(x > 0.0F && g > 0.0F))
        return 1.0F;
    return settings[DEV_LARS_EETA] * x /
           (g + settings[DEV_LARS_DECAY] * x + settings[DEV_LARS_EPSILON]);
}

/* Sums of the pieces of a variable, which are neighbours, in their order. */
static inline void dev_lars_rates(const struct dev_lars *a)
{
    int64_t i = 0;

    for (int64_t v = 0; v < a->n_variables; v++) {
        double x = 0.0, g = 0.0;

        for (; i < a->of.n_pieces && a->of.pieces[i].variable == v; i++) {
            x += a->sums[2 * i];
            g += a->sums[2 * i + 1];
        }
        a->rates[v] = a->of.step->rate;
        if (!a->skipped[v])
            a->rates[v] *= dev_lars_trust(a->of.settings, (float) sqrt(x), (float) sqrt(g));
    }
}

static inline void dev_lars_piece(const struct dev_lars *a, int64_t i)
{
    const struct dev_piece *p = &a->of.pieces[i];
    const float *restrict g = a->of.grads + p->offset;
    float *restrict x = a->of.values + p->offset, *restrict m = a->of.slots[0] + p->offset;
    const float mu = a->of.settings[DEV_LARS_MU], scale = a->of.step->scale;
    const float decay = a->skipped[p->variable] ? 0.0F : a->of.settings[DEV_LARS_DECAY];
    const float rate = a->rates[p->variable];
    const bool nesterov = a->of.settings[DEV_LARS_NESTEROV] != 0.0F;

    for (int64_t k = 0; k < p->n; k++) {
        float gk = (g[k] * scale + decay * x[k]) * rate;

        m[k] = m[k] * mu + gk;
        x[k] -= nesterov ? gk + m[k] * mu : m[k];
    }
}

#endif
