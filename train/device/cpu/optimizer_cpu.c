/*
 * train/device/cpu/optimizer_cpu.c - what surrounds the update rules, on the pool.
 */
#include <math.h>
#include <stdatomic.h>

#include "train/device/cpu/tasks.h"
#include "train/device/rules/average_pieces.h"
#include "train/device/rules/eighth_power.h"
#include "train/device/rules/gradient_pieces.h"

DEV_CPU_TASK(dev_prepare_piece, dev_prepare_gradients_args)
DEV_CPU_TASK(dev_encode_piece, dev_encode_weights_args)
DEV_CPU_TASK(dev_average_piece, dev_moving_average_args)
DEV_CPU_TASK(dev_lookahead_piece, dev_lookahead_args)
DEV_CPU_TASK(dev_exchange_piece, dev_exchange_args)
DEV_CPU_TASK(dev_regularise_piece, dev_regularise_args)

void DEV_CPU(dev_cpu_set_optimizer_step)(struct dev *d, const struct dev_set_optimizer_step_args *a)
{
    (void) d;
    dev_set_optimizer_step(a);
}

void DEV_CPU(dev_cpu_prepare_gradients)(struct dev *d, const struct dev_prepare_gradients_args *a)
{
    run_dev_prepare_piece(d, a->n_pieces, a);
    dev_join_gradients(a);
}

void DEV_CPU(dev_cpu_encode_weights)(struct dev *d, const struct dev_encode_weights_args *a)
{
    run_dev_encode_piece(d, a->n_pieces, a);
}

void DEV_CPU(dev_cpu_moving_average)(struct dev *d, const struct dev_moving_average_args *a)
{
    run_dev_average_piece(d, a->n_pieces, a);
}

void DEV_CPU(dev_cpu_lookahead)(struct dev *d, const struct dev_lookahead_args *a)
{
    run_dev_lookahead_piece(d, a->n_pieces, a);
}

void DEV_CPU(dev_cpu_exchange)(struct dev *d, const struct dev_exchange_args *a)
{
    run_dev_exchange_piece(d, a->n_pieces, a);
}

void DEV_CPU(dev_cpu_regularise)(struct dev *d, const struct dev_regularise_args *a)
{
    run_dev_regularise_piece(d, a->n_pieces, a);
    dev_join_regulariser(a);
}

/* ---- what is not finite ---- */

struct search {
    const struct dev_find_not_finite_args *a;
    _Atomic int64_t first;
};

/* The difference of a number and itself is 0, of infinity and NaN it is not: a sum of bits without
 * a branch, as good as nothing is ever found. */
static bool all_finite(const float *restrict x, int64_t n, bool squares)
{
    uint32_t bad = 0;

    for (int64_t i = 0; i < n; i++) {
        float y = squares ? x[i] * x[i] : x[i];

        bad |= !(y - y == 0.0f);
    }
    return bad == 0;
}

static void search_piece(void *arg, int64_t piece, int worker)
{
    struct search *s = arg;
    int64_t at = piece * DEV_PIECE_FLOATS, first;
    int64_t n = s->a->n - at < DEV_PIECE_FLOATS ? s->a->n - at : DEV_PIECE_FLOATS, i = 0;
    const float *x = s->a->x + at;

    (void) worker;
    if (all_finite(x, n, s->a->squares))
        return;
    while (isfinite(s->a->squares ? x[i] * x[i] : x[i]))
        i++;
    first = atomic_load(&s->first);
    while (at + i < first && !atomic_compare_exchange_weak(&s->first, &first, at + i))
        ;
}

void DEV_CPU(dev_cpu_find_not_finite)(struct dev *d, const struct dev_find_not_finite_args *a)
{
    struct search s = {.a = a};

    atomic_init(&s.first, a->n);
    dev_cpu_run(d, dev_cpu_div_up(a->n, DEV_PIECE_FLOATS), search_piece, &s);
    *a->first = atomic_load(&s.first);
}
