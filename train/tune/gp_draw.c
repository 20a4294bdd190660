/*
 * train/tune/gp_draw.c - trials as points, their values, and the search for the best next point.
 */
#include "train/tune/gp_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "train/tune/gaussian_process.h"
#include "train/tune/param_scale.h"
#include "train/tune/untried.h"

/* ---- hparams as points ---- */

struct axis {
    const struct tune_param *p;
    size_t n_levels; /* of values that are words or numbers in order; 0: any number */
    bool is_word;
    size_t *level; /* (values) of a value that has an order: its place, */
    size_t *value; /* and the value of a place */
};

struct space {
    struct axis *axes; /* (D) */
    bool *is_word;     /* (D) */
    size_t D;
};

static bool read_numbers(const struct t2_strs *values, double *numbers)
{
    for (size_t i = 0; i < values->n; i++)
        if (!t2_parse_double(values->items[i], &numbers[i]))
            return false;
    return true;
}

static void axis_init(struct axis *a, const struct tune_param *p)
{
    size_t n = p->values.n;
    double *numbers = t2_alloc(n, sizeof *numbers);

    *a = (struct axis){.p = p, .n_levels = n};
    a->level = t2_alloc(n, sizeof *a->level);
    a->value = t2_alloc(n, sizeof *a->value);
    a->is_word = n > 0 && !(p->kind == TUNE_DISCRETE && read_numbers(&p->values, numbers));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            a->level[i] +=
                a->is_word ? k < i : numbers[k] < numbers[i] || (numbers[k] == numbers[i] && k < i);
        a->value[a->level[i]] = i;
    }
    t2_free(numbers);
}

static void space_init(struct space *s, const struct tune_range *range)
{
    s->D = range->n;
    s->axes = t2_alloc(s->D, sizeof *s->axes);
    s->is_word = t2_alloc(s->D, sizeof *s->is_word);
    for (size_t d = 0; d < s->D; d++) {
        axis_init(&s->axes[d], &range->params[d]);
        s->is_word[d] = s->axes[d].is_word;
    }
}

static void space_release(struct space *s)
{
    for (size_t d = 0; d < s->D; d++) {
        t2_free(s->axes[d].level);
        t2_free(s->axes[d].value);
    }
    t2_free(s->axes);
    t2_free(s->is_word);
}

static double place_of_level(const struct axis *a, size_t level)
{
    return a->is_word || a->n_levels == 1 ? (double) level
                                          : (double) level / (double) (a->n_levels - 1);
}

static size_t level_at(const struct axis *a, double x)
{
    return (size_t) lround(a->is_word || a->n_levels == 1 ? x : x * (double) (a->n_levels - 1));
}

/* x (D); false: hparams are of another range. */
static bool point_of(const struct space *s, const struct tune_range *range, const char *hparams,
                     double *x)
{
    struct tune_coord *at = t2_alloc(s->D, sizeof *at);
    bool is_read = tune_coords_read(range, hparams, at);

    for (size_t d = 0; is_read && d < s->D; d++) {
        const struct axis *a = &s->axes[d];

        x[d] = a->n_levels > 0 ? place_of_level(a, a->level[(size_t) at[d].from])
                               : 0.5 * (at[d].from + at[d].to);
    }
    t2_free(at);
    return is_read;
}

static void put_point(const struct space *s, const double *x, struct t2_buf *hparams)
{
    for (size_t d = 0; d < s->D; d++) {
        const struct axis *a = &s->axes[d];

        t2_buf_printf(hparams, "%s%s=", d > 0 ? "," : "", a->p->name);
        if (a->n_levels > 0)
            t2_buf_puts(hparams, a->p->values.items[a->value[level_at(a, x[d])]]);
        else
            tune_put_value(a->p, tune_value_drawn(a->p, x[d]), hparams);
    }
}

/* ---- values ---- */

/* Of a distribution like the normal one: what lies above a part of it. */
static double quantile(double part)
{
    return log(part / (1 - part)) / 1.702;
}

/* A trial that says how good its hparams are. */
static bool says(const struct tune_trial *trial)
{
    return trial->n_values > 0 || trial->is_failed;
}

/* y (n): less is better, mean 0, variance 1; the trials are given from the best to the worst. */
static void make_values(const struct tune_trials *t, const int64_t *trials, int64_t n, double *y)
{
    const struct tune_trial *best = &t->items[trials[0]];
    double sign = t->study.maximize ? -1 : 1, spread = 0, ranks = 0, mean = 0, variance = 0, scale;
    int64_t n_good = 0;

    while (n_good < (n + 1) / 2 && t->items[trials[n_good]].n_values == best->n_values &&
           best->n_values > 0 && !t->items[trials[n_good]].is_failed) {
        y[n_good] = sign * tune_trial_value(&t->items[trials[n_good]]);
        n_good++;
    }
    for (int64_t i = n_good; i < n; i++)
        y[i] = quantile(((double) i + 0.5) / (double) n);
    if (n_good > 0) {
        double last = y[n_good - 1], last_rank = quantile(((double) n_good - 0.5) / (double) n);

        for (int64_t i = 0; i < n_good; i++) {
            double rank = quantile(((double) i + 0.5) / (double) n) - last_rank;

            spread += (y[i] - last) * (y[i] - last);
            ranks += rank * rank;
        }
        scale = spread > 0 ? sqrt(spread / ranks) : 1;
        for (int64_t i = n_good; i < n; i++)
            y[i] = last + scale * (y[i] - last_rank);
    }
    for (int64_t i = 0; i < n; i++)
        mean += y[i] / (double) n;
    for (int64_t i = 0; i < n; i++)
        variance += (y[i] - mean) * (y[i] - mean) / (double) n;
    for (int64_t i = 0; i < n; i++)
        y[i] = (y[i] - mean) / (variance > 0 ? sqrt(variance) : 1);
}

/* Of `trials`, from the best to the worst, those that are kept; how many. */
static int64_t keep_some(int64_t *trials, int64_t n)
{
    enum { BEST = TUNE_GP_MOST / 2 };
    int64_t kept = BEST;
    bool *is_newest;

    if (n <= TUNE_GP_MOST)
        return n;
    is_newest = t2_alloc((size_t) n, sizeof *is_newest); /* of the others */
    for (int64_t i = BEST; i < n; i++) {
        int64_t newer = 0;

        for (int64_t k = BEST; k < n; k++)
            newer += trials[k] > trials[i];
        is_newest[i] = newer < TUNE_GP_MOST - BEST;
    }
    for (int64_t i = BEST; i < n; i++)
        if (is_newest[i])
            trials[kept++] = trials[i];
    t2_free(is_newest);
    return kept;
}

/* false: too few trials say anything. */
static bool make_process(const struct tune_trials *t, const struct space *s, struct tune_gp *gp)
{
    int64_t *order = tune_trials_ranked(t), n = 0;
    double *x = t2_alloc((size_t) t->n * s->D, sizeof *x);
    double *y = t2_alloc((size_t) t->n, sizeof *y);
    double *one = t2_alloc(s->D, sizeof *one);

    for (int64_t i = 0; i < t->n; i++)
        if (says(&t->items[order[i]]) &&
            point_of(s, t->study.range, t->items[order[i]].hparams, one))
            order[n++] = order[i];
    n = keep_some(order, n);
    for (int64_t i = 0; i < n; i++)
        (void) point_of(s, t->study.range, t->items[order[i]].hparams, &x[(size_t) i * s->D]);
    if (n >= TUNE_FIRST) {
        make_values(t, order, n, y);
        tune_gp_init(gp, x, y, n, s->is_word, s->D);
        for (int64_t i = 0; i < t->n; i++)
            if (!says(&t->items[i]) && point_of(s, t->study.range, t->items[i].hparams, one))
                tune_gp_believe(gp, one);
    }
    t2_free(order);
    t2_free(x);
    t2_free(y);
    t2_free(one);
    return n >= TUNE_FIRST;
}

/* ---- the search for the next point ---- */

static double draw_place(const struct axis *a, struct t2_rng *r)
{
    if (a->n_levels > 0)
        return place_of_level(a, t2_rng_below(r, a->n_levels));
    return tune_share_drawn(a->p, t2_rng_uniform_double(r));
}

/* Another place, about `width` away. */
static double move_place(const struct axis *a, double x, double width, struct t2_rng *r)
{
    if (a->is_word)
        return draw_place(a, r);
    if (a->p->kind == TUNE_INT)
        width = fmax(width, 1 / tune_whole_values(a->p));
    if (a->n_levels > 1)
        width = fmax(width, 1 / (double) (a->n_levels - 1));
    x = fmin(fmax(x + width * t2_rng_normal(r), 0), 1);
    return a->n_levels > 0 ? place_of_level(a, level_at(a, x)) : tune_share_drawn(a->p, x);
}

/* to (D): at least one coordinate is moved, half of them are on average. */
static void move_point(const struct space *s, const double *from, double width, struct t2_rng *r,
                       double *to)
{
    size_t always = t2_rng_below(r, s->D);

    for (size_t d = 0; d < s->D; d++)
        to[d] = d == always || t2_rng_below(r, 2) == 0 ? move_place(&s->axes[d], from[d], width, r)
                                                       : from[d];
}

enum {
    RANDOM = 256, /* candidates from all of the range, */
    NEAR = 64,    /* around the best trials, */
    CENTRES = 4,  /* which are so many; */
    STARTS = 3,   /* and the best of them move on */
    MOVES = 12    /* for so many tries of each width */
};

static const double widths[] = {0.1, 0.03, 0.01, 0.003, 0.001};

struct candidate {
    double *x; /* (D) */
    double improvement;
};

static int compare_candidates(const void *a, const void *b)
{
    double x = ((const struct candidate *) a)->improvement,
           y = ((const struct candidate *) b)->improvement;

    return x > y ? -1 : x < y;
}

struct search {
    const struct space *s;
    const struct tune_gp *gp;
    double best; /* the least mean at a trial */
    struct t2_rng r;
};

static double improvement_at(const struct search *q, const double *x)
{
    double mean, deviation;

    tune_gp_predict(q->gp, x, &mean, &deviation);
    return tune_gp_log_improvement(q->best, mean, deviation);
}

static void climb(struct search *q, struct candidate *c)
{
    double *next = t2_alloc(q->s->D, sizeof *next);

    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int i = 0; i < MOVES; i++) {
            double improvement;

            move_point(q->s, c->x, widths[w], &q->r, next);
            improvement = improvement_at(q, next);
            if (improvement > c->improvement) {
                memcpy(c->x, next, q->s->D * sizeof *next);
                c->improvement = improvement;
            }
        }
    t2_free(next);
}

/* Candidates (RANDOM + NEAR), the best first; x is their memory. */
static void make_candidates(struct search *q, double *x, struct candidate *c)
{
    size_t D = q->s->D;

    for (int i = 0; i < RANDOM + NEAR; i++) {
        c[i].x = &x[(size_t) i * D];
        if (i < RANDOM)
            for (size_t d = 0; d < D; d++)
                c[i].x[d] = draw_place(&q->s->axes[d], &q->r);
        else /* the points of the process are the best first */
            move_point(q->s, &q->gp->x[(size_t) (i % CENTRES) * D], widths[i % 3], &q->r, c[i].x);
        c[i].improvement = improvement_at(q, c[i].x);
    }
    qsort(c, RANDOM + NEAR, sizeof *c, compare_candidates);
    for (int i = 0; i < STARTS; i++)
        climb(q, &c[i]);
    qsort(c, STARTS, sizeof *c, compare_candidates);
}

/* false: all candidates were tried. */
static bool draw_best(struct search *q, const struct t2_map *m, struct t2_buf *hparams)
{
    double *x = t2_alloc((RANDOM + NEAR) * q->s->D, sizeof *x);
    struct candidate c[RANDOM + NEAR];
    bool found = false;

    make_candidates(q, x, c);
    for (int i = 0; !found && i < RANDOM + NEAR; i++) {
        struct t2_buf one = {0};

        put_point(q->s, c[i].x, &one);
        found = !tune_is_tried(m, &one);
        if (found)
            t2_buf_append(hparams, one.data, one.len_bytes);
        t2_buf_release(&one);
    }
    t2_free(x);
    return found;
}

void tune_gp_draw(const struct tune_trials *t, struct t2_buf *hparams)
{
    struct t2_map *m = tune_tried(t);
    struct tune_gp gp = {0};
    struct space s;

    space_init(&s, t->study.range);
    if (t->n >= TUNE_FIRST && make_process(t, &s, &gp)) {
        struct search q = {.s = &s, .gp = &gp, .best = HUGE_VAL};

        for (int64_t i = 0; i < gp.n; i++) {
            double mean, deviation;

            tune_gp_predict(&gp, &gp.x[(size_t) i * s.D], &mean, &deviation);
            q.best = fmin(q.best, mean);
        }
        /* indices below D are those of tune_draw */
        t2_rng_init(&q.r, t->study.seed, T2_RNG_SEARCH, (uint64_t) t->n, s.D);
        if (!draw_best(&q, m, hparams))
            tune_draw_untried(t, m, hparams);
    } else {
        tune_draw_untried(t, m, hparams);
    }
    tune_gp_release(&gp);
    space_release(&s);
    t2_map_free(m);
}
