/*
 * train/device/reference/optimizer_reference.c - what surrounds the update rules: norm and
 * clipping, decay, noise, moving averages, lookahead, the regulariser, the search for what is not
 * finite.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"
#include "train/device/rules/average_pieces.h"
#include "train/device/rules/eighth_power.h"
#include "train/device/rules/gradient_pieces.h"

void dev_reference_set_optimizer_step(struct dev *d, const struct dev_set_optimizer_step_args *a)
{
    (void) d;
    dev_set_optimizer_step(a);
}

void dev_reference_prepare_gradients(struct dev *d, const struct dev_prepare_gradients_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_prepare_piece(a, i);
    dev_join_gradients(a);
}

void dev_reference_encode_weights(struct dev *d, const struct dev_encode_weights_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_encode_piece(a, i);
}

void dev_reference_moving_average(struct dev *d, const struct dev_moving_average_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_average_piece(a, i);
}

void dev_reference_lookahead(struct dev *d, const struct dev_lookahead_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_lookahead_piece(a, i);
}

void dev_reference_exchange(struct dev *d, const struct dev_exchange_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_exchange_piece(a, i);
}

void dev_reference_regularise(struct dev *d, const struct dev_regularise_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        dev_regularise_piece(a, i);
    dev_join_regulariser(a);
}

void dev_reference_find_not_finite(struct dev *d, const struct dev_find_not_finite_args *a)
{
    int64_t i = 0;

    (void) d;
    while (i < a->n && isfinite(a->squares ? a->x[i] * a->x[i] : a->x[i]))
        i++;
    *a->first = i;
}
