/*
 * train/tune/importance.c - analysis of variance of ranks, one param at a time.
 */
#include "train/tune/importance.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/tune/param_scale.h"

enum { FEWEST_TRIALS = 6, MOST_GROUPS = 4, FEWEST_IN_GROUP = 3 };

/* The place of a trial along the param: its number, or which of its values it is. */
static double place_of(const struct tune_param *p, const char *hparams)
{
    size_t n;
    const char *value = tune_hparam_value(hparams, p->name, &n);
    char *text;
    double x = 0;

    if (!value)
        return (double) NAN;
    text = t2_strndup(value, n);
    if (p->values.n > 0) {
        for (size_t i = 0; i < p->values.n; i++)
            if (strcmp(p->values.items[i], text) == 0)
                x = (double) i;
    } else if (!t2_parse_double(text, &x)) {
        x = (double) NAN;
    }
    t2_free(text);
    return x;
}

/* ranks[i]: how many x are smaller, and half of the others that are equal. */
static void to_ranks(const double *x, double *ranks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ranks[i] = 0;
        for (size_t k = 0; k < n; k++)
            ranks[i] += x[k] < x[i] ? 1.0 : k != i && x[k] == x[i] ? 0.5 : 0.0;
    }
}

static size_t count_distinct(const double *x, size_t n)
{
    size_t distinct = 0;

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && x[k] != x[i])
            k++;
        distinct += k == i;
    }
    return distinct;
}

/* ranks: of the objective; group[i] in [0, n_groups). */
static double omega_squared(const double *ranks, const size_t *group, size_t n, size_t n_groups)
{
    double *sum = t2_alloc(n_groups, sizeof *sum), *count = t2_alloc(n_groups, sizeof *count);
    double mean = ((double) n - 1) / 2, total = 0, between = 0, within;
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        sum[group[i]] += ranks[i];
        count[group[i]]++;
        total += (ranks[i] - mean) * (ranks[i] - mean);
    }
    for (size_t g = 0; g < n_groups; g++) {
        double off = count[g] > 0 ? sum[g] / count[g] - mean : 0;

        between += count[g] * off * off;
        used += count[g] > 0;
    }
    t2_free(sum);
    t2_free(count);
    if (used < 2 || used >= n)
        return (double) NAN;
    within = fmax(0, total - between) / (double) (n - used);
    return total > 0 ? fmax(0, (between - (double) (used - 1) * within) / (total + within)) : 0;
}

/* Values of their own where they are few, else groups of equal size by rank. */
static size_t make_groups(const double *places, size_t n, bool has_values, size_t *group)
{
    double *ranks = t2_alloc(n, sizeof *ranks);
    size_t n_groups = n / FEWEST_IN_GROUP < MOST_GROUPS ? n / FEWEST_IN_GROUP : MOST_GROUPS;

    to_ranks(places, ranks, n);
    if (has_values || count_distinct(places, n) <= MOST_GROUPS)
        n_groups = 2 * n; /* ranks of equal values are the same, in steps of a half */
    for (size_t i = 0; i < n; i++)
        group[i] = n_groups == 2 * n ? (size_t) (2 * ranks[i])
                                     : (size_t) (ranks[i] * (double) n_groups / (double) n);
    t2_free(ranks);
    return n_groups;
}

double tune_importance(const struct tune_trials *t, size_t param)
{
    const struct tune_param *p = &t->study.range->params[param];
    double *places = t2_alloc((size_t) t->n, sizeof *places);
    double *values = t2_alloc((size_t) t->n, sizeof *values);
    double *ranks = t2_alloc((size_t) t->n, sizeof *ranks), share = (double) NAN;
    size_t *group = t2_alloc((size_t) t->n, sizeof *group), n = 0;

    for (int64_t i = 0; i < t->n; i++) {
        places[n] = place_of(p, t->items[i].hparams);
        if (t->items[i].n_values > 0 && !isnan(places[n]))
            values[n++] = t->items[i].values[0];
    }
    if (n >= FEWEST_TRIALS) {
        size_t n_groups = make_groups(places, n, p->values.n > 0, group);

        to_ranks(values, ranks, n);
        share = omega_squared(ranks, group, n, n_groups);
    }
    t2_free(places);
    t2_free(values);
    t2_free(ranks);
    t2_free(group);
    return share;
}
