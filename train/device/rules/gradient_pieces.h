/*
 * train/device/rules/gradient_pieces.h - the pieces of work of prepare_gradients and regularise,
 * for devices that compute on the host.
 */
#ifndef DEV_RULES_GRADIENT_PIECES_H
#define DEV_RULES_GRADIENT_PIECES_H

#include <math.h>

#include "train/device/optimizer_kernels.h"
#include "train/device/rules/noise_draw.h"

static inline void dev_set_optimizer_step(const struct dev_set_optimizer_step_args *a)
{
    int32_t halted = a->to->halted;

    *a->to = a->value;
    a->to->halted = halted;
}

/* Partial sums in eight lanes, joined in a fixed order: one vector register of doubles. */
enum { DEV_SUM_LANES = 8 };

static inline double dev_join_lanes(const double lanes[DEV_SUM_LANES])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* Whole groups of eight; returns how many elements these are. */
static inline int64_t dev_square_groups(const float *x, int64_t n, double lanes[DEV_SUM_LANES])
{
    int64_t i = 0;

    for (; i + DEV_SUM_LANES <= n; i += DEV_SUM_LANES) {
        for (int k = 0; k < DEV_SUM_LANES; k++)
            lanes[k] += (double) x[i + k] * (double) x[i + k];
    }
    return i;
}

/* The rest is lane 0's. */
static inline double dev_squares(const float *x, int64_t n)
{
    double lanes[DEV_SUM_LANES] = {0};

    for (int64_t i = dev_square_groups(x, n, lanes); i < n; i++)
        lanes[0] += (double) x[i] * (double) x[i];
    return dev_join_lanes(lanes);
}

static inline void dev_add_decay(const float *restrict x, int64_t n, float decay, float *restrict g)
{
    for (int64_t i = 0; i < n; i++)
        g[i] += decay * x[i];
}

/* The original's forward pass may see a variable before or after its noise; here it is before. */
static inline void dev_prepare_piece(const struct dev_prepare_gradients_args *a, int64_t i)
{
    const struct dev_optimizer_step *s = a->step;
    const struct dev_piece *p = &a->pieces[i];
    float *x = a->values + p->offset, *g = a->grads + p->offset;

    if (s->weight_noise != 0.0F && p->noisy)
        dev_add_noise(dev_noise_of(s->noise_key, s->noise_step, DEV_NOISE_WEIGHT), p->first,
                      s->weight_noise, x, p->n);
    a->sums[2 * i + 1] = 0.0;
    if (p->decay != 0.0) {
        a->sums[2 * i + 1] = dev_squares(x, p->n);
        dev_add_decay(x, p->n, (float) p->decay, g);
    }
    if (a->gradient_noise != 0.0F)
        dev_add_noise(dev_noise_of(s->noise_key, s->noise_step, DEV_NOISE_GRADIENT), p->first,
                      a->gradient_noise, g, p->n);
    a->sums[2 * i] = dev_squares(g, p->n);
}

/* Behind all pieces. */
static inline void dev_join_gradients(const struct dev_prepare_gradients_args *a)
{
    struct dev_optimizer_step *s = a->step;
    double grad_squares = 0.0;

    s->value_squares = 0.0;
    s->bad = -1;
    for (int64_t i = 0; i < a->n_pieces; i++) {
        grad_squares += a->sums[2 * i];
        s->value_squares += a->sums[2 * i + 1];
        if (s->bad < 0 && !isfinite(a->sums[2 * i]))
            s->bad = i;
    }
    s->norm = sqrt(grad_squares);
    s->finite = isfinite(s->norm) && (!a->loss || isfinite(*a->loss)) && !s->halted;
    s->halted = !s->finite;
    s->scale = 1.0F;
    if (a->clip_norm > 0.0 && s->norm > a->clip_norm)
        s->scale = (float) (a->clip_norm / s->norm);
}

/* Element i is lane i % 8's, in the rest, too. */
static inline void dev_regularise_piece(const struct dev_regularise_args *a, int64_t i)
{
    const struct dev_piece *p = &a->pieces[i];
    const float *x = a->values + p->offset;
    double lanes[DEV_SUM_LANES] = {0};

    for (int64_t k = dev_square_groups(x, p->n, lanes); k < p->n; k++)
        lanes[k % DEV_SUM_LANES] += (double) x[k] * (double) x[k];
    a->sums[i] = dev_join_lanes(lanes);
    if (a->grads)
        dev_add_decay(x, p->n, (float) (2.0 * p->decay), a->grads + p->offset);
}

/* Behind all pieces. */
static inline void dev_join_regulariser(const struct dev_regularise_args *a)
{
    double sum = 0.0;

    for (int64_t i = 0; i < a->n_pieces; i++)
        sum += a->pieces[i].decay * a->sums[i];
    *a->sum = sum;
}

#endif
