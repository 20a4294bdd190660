/*
 * train/device/rules/average_pieces.h - the pieces of work of the kernels behind an update: moving
 * averages, lookahead, exchange.
 */
#ifndef DEV_RULES_AVERAGE_PIECES_H
#define DEV_RULES_AVERAGE_PIECES_H

#include "train/device/optimizer_kernels.h"

static inline void dev_average_piece(const struct dev_moving_average_args *a, int64_t i)
{
    const struct dev_piece *p = &a->pieces[i];
    const float *restrict x = a->values + p->offset;
    float *restrict average = a->averages + p->offset;
    const float rest = a->step->average_rest;
    const int64_t n = a->step->finite ? p->n : 0;

    for (int64_t k = 0; k < n; k++)
        average[k] -= rest * (average[k] - x[k]);
}

static inline void dev_lookahead_piece(const struct dev_lookahead_args *a, int64_t i)
{
    const struct dev_piece *p = &a->pieces[i];
    float *restrict x = a->values + p->offset, *restrict slow = a->slow + p->offset;
    const float take = a->step->look_take;
    const int64_t n = a->step->finite && a->step->looks ? p->n : 0;

    for (int64_t k = 0; k < n; k++) {
        slow[k] += take * (x[k] - slow[k]);
        x[k] = slow[k];
    }
}

static inline void dev_exchange_piece(const struct dev_exchange_args *a, int64_t i)
{
    const struct dev_piece *p = &a->pieces[i];
    float *restrict x = a->a + p->offset, *restrict y = a->b + p->offset;

    for (int64_t k = 0; k < p->n; k++) {
        float was = x[k];

        x[k] = y[k];
        y[k] = was;
    }
}

#endif
