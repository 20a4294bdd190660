/*
 * train/tune/tpe.c - the split of trials, and the best of some candidates.
 */
#include "train/tune/tpe.h"

#include <math.h>

#include "base/alloc.h"
#include "train/tune/parzen.h"
#include "train/tune/untried.h"

enum { CANDIDATES = 24, MOST_BEST = 25 };

/* ---- best and others ---- */

static int64_t count_with_value(const struct tune_trials *t)
{
    int64_t n = 0;

    for (int64_t i = 0; i < t->n; i++)
        n += t->items[i].n_values > 0;
    return n;
}

static int64_t count_best(int64_t n)
{
    int64_t best = (n + 9) / 10;

    return best < MOST_BEST ? best : MOST_BEST;
}

/* is_best (t->n) */
static void mark_best(const struct tune_trials *t, bool *is_best)
{
    int64_t *order = tune_trials_ranked(t), n = count_best(count_with_value(t));

    for (int64_t i = 0; i < n; i++)
        is_best[order[i]] = true;
    t2_free(order);
}

/* A density over the trials that are best, or that are not. */
static void make_density(const struct tune_trials *t, const bool *is_best, bool of_best,
                         struct tune_parzen *z)
{
    const struct tune_range *range = t->study.range;
    struct tune_coord *at = t2_alloc((size_t) t->n * range->n, sizeof *at);
    int64_t n = 0;

    for (int64_t i = 0; i < t->n; i++)
        n += is_best[i] == of_best &&
             tune_coords_read(range, t->items[i].hparams, &at[(size_t) n * range->n]);
    tune_parzen_init(z, range, at, n);
    t2_free(at);
}

/* ---- the next one ---- */

/* Of CANDIDATES from l the one with the largest l / g that was not tried; false: all were. */
static bool draw_best(const struct tune_trials *t, const struct t2_map *m,
                      const struct tune_parzen *l, const struct tune_parzen *g,
                      struct t2_buf *hparams)
{
    size_t D = t->study.range->n;
    struct tune_coord *at = t2_alloc(D, sizeof *at);
    struct t2_buf one = {0}, best = {0};
    double largest = -HUGE_VAL;
    bool found = false;
    struct t2_rng r;

    /* indices below D are those of tune_draw */
    t2_rng_init(&r, t->study.seed, T2_RNG_SEARCH, (uint64_t) t->n, D);
    for (int i = 0; i < CANDIDATES; i++) {
        double ratio;

        t2_buf_clear(&one);
        tune_parzen_draw(l, &r, &one);
        if (tune_is_tried(m, &one) || !tune_coords_read(t->study.range, t2_buf_cstr(&one), at))
            continue;
        ratio = tune_parzen_log_density(l, at) - tune_parzen_log_density(g, at);
        if (found && !(ratio > largest))
            continue;
        found = true;
        largest = ratio;
        t2_buf_clear(&best);
        t2_buf_append(&best, one.data, one.len_bytes);
    }
    t2_buf_append(hparams, best.data, best.len_bytes);
    t2_buf_release(&one);
    t2_buf_release(&best);
    t2_free(at);
    return found;
}

void tune_tpe_draw(const struct tune_trials *t, struct t2_buf *hparams)
{
    struct t2_map *m = tune_tried(t);
    struct tune_parzen l, g;
    bool *is_best, found;

    if (t->n < TUNE_FIRST || count_with_value(t) < TUNE_FIRST) {
        tune_draw_untried(t, m, hparams);
        t2_map_free(m);
        return;
    }
    is_best = t2_alloc((size_t) t->n, sizeof *is_best);
    mark_best(t, is_best);
    make_density(t, is_best, true, &l);
    make_density(t, is_best, false, &g);
    found = draw_best(t, m, &l, &g, hparams);
    if (!found)
        tune_draw_untried(t, m, hparams);
    tune_parzen_release(&l);
    tune_parzen_release(&g);
    t2_free(is_best);
    t2_map_free(m);
}
