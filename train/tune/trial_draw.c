/*
 * train/tune/trial_draw.c - values of params by random numbers, or by an index in a mixed radix.
 */
#include "train/tune/trial_draw.h"

#include <inttypes.h>
#include <math.h>

#include "base/rng.h"
#include "train/tune/param_scale.h"

/* Above it a product of values is not counted; t2_perm would go so far. */
static const uint64_t most_counted = UINT64_C(1) << 50;

/*
 * Whole numbers nearest to n points along the scale, of which neighbours may be the same: how many
 * differ, and the one with index `which` of these in *value.
 */
static uint64_t whole_points(const struct tune_param *p, int64_t n, uint64_t which, double *value)
{
    uint64_t found = 0;
    double last = NAN;

    for (int64_t k = 0; k < n; k++) {
        double v = round(tune_value_at(p, n > 1 ? (double) k / (double) (n - 1) : 0.5));
        if (v == last)
            continue;
        last = v;
        if (found++ == which)
            *value = v;
    }
    return found;
}

static uint64_t points_of(const struct tune_drawing *d, const struct tune_param *p)
{
    if (p->kind == TUNE_DISCRETE || p->kind == TUNE_CATEGORICAL)
        return p->values.n;
    if (p->kind == TUNE_INT && (!d->grid || tune_whole_values(p) <= (double) d->grid_points))
        return (uint64_t) tune_whole_values(p);
    if (!d->grid)
        return UINT64_MAX;
    if (p->kind == TUNE_INT)
        return whole_points(p, d->grid_points, 0, &(double){0});
    return p->min == p->max ? 1 : (uint64_t) d->grid_points;
}

uint64_t tune_draw_count(const struct tune_drawing *d)
{
    uint64_t product = 1;

    for (size_t i = 0; i < d->range->n; i++) {
        uint64_t n = points_of(d, &d->range->params[i]);
        if (n == UINT64_MAX || n > most_counted / product)
            return UINT64_MAX;
        product *= n;
    }
    return product;
}

/* Point k of n. */
static void put_point(const struct tune_drawing *d, const struct tune_param *p, uint64_t k,
                      uint64_t n, struct t2_buf *out)
{
    double share = n > 1 ? (double) k / (double) (n - 1) : 0.5, v = 0;

    if (p->kind == TUNE_DISCRETE || p->kind == TUNE_CATEGORICAL)
        t2_buf_puts(out, p->values.items[k]);
    else if (p->kind == TUNE_INT && tune_whole_values(p) <= (double) n)
        tune_put_value(p, p->min + (double) k, out);
    else if (p->kind == TUNE_INT && whole_points(p, d->grid_points, k, &v) > k)
        tune_put_value(p, v, out);
    else
        tune_put_value(p, tune_value_at(p, share), out);
}

/* Param i of a trial. */
static void put_drawn(const struct tune_drawing *d, uint64_t trial, size_t i, struct t2_buf *out)
{
    const struct tune_param *p = &d->range->params[i];
    bool is_spread = trial < (uint64_t) d->n_spread;
    double share;
    struct t2_rng r;

    t2_rng_init(&r, d->seed, T2_RNG_SEARCH, trial, i);
    if (p->values.n > 0 && !is_spread) {
        t2_buf_puts(out, p->values.items[t2_rng_below(&r, p->values.n)]);
        return;
    }
    share = t2_rng_uniform_double(&r);
    if (is_spread) {
        struct t2_perm parts; /* step 0 is that of tune_draw */

        t2_perm_init(&parts, (uint64_t) d->n_spread, d->seed, T2_RNG_SEARCH, i + 1);
        share = ((double) t2_perm_at(&parts, trial) + share) / (double) d->n_spread;
    }
    if (p->values.n > 0)
        t2_buf_puts(out, p->values.items[(size_t) (share * (double) p->values.n)]);
    else
        tune_put_value(p, tune_value_drawn(p, share), out);
}

void tune_draw(const struct tune_drawing *d, uint64_t trial, struct t2_buf *hparams)
{
    uint64_t count = tune_draw_count(d), index = 0;
    struct t2_perm order;

    T2_ASSERT(trial < count);
    if (count != UINT64_MAX) {
        t2_perm_init(&order, count, d->seed, T2_RNG_SEARCH, 0);
        index = t2_perm_at(&order, trial);
    }
    for (size_t i = 0; i < d->range->n; i++) {
        const struct tune_param *p = &d->range->params[i];
        uint64_t n = points_of(d, p);

        t2_buf_printf(hparams, "%s%s=", i > 0 ? "," : "", p->name);
        if (count != UINT64_MAX) {
            put_point(d, p, index % n, n, hparams);
            index /= n;
        } else {
            put_drawn(d, trial, i, hparams);
        }
    }
}
