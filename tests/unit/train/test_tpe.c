/*
 * tests/unit/train/test_tpe.c - the split into good and other trials, the candidate that is taken,
 * and that it finds what is to be found.
 */
#include "train/tune/tpe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tests/unit/train/small_range.h"
#include "train/tune/parzen.h"

static struct tune_trials begin(const char *yaml, uint64_t seed, int n_rungs)
{
    struct tune_trials t = {.has_study = true};

    t.study = (struct tune_study){.range = range_of(yaml),
                                  .algorithm = n_rungs > 1 ? TUNE_ASHA : TUNE_TPE,
                                  .sampler = TUNE_DRAW_TPE,
                                  .seed = seed,
                                  .max_trials = 1000,
                                  .reduction = 3,
                                  .n_rungs = n_rungs};
    t.capacity = 1000;
    t.items = t2_alloc((size_t) t.capacity, sizeof *t.items);
    return t;
}

/* A trial that runs. */
static struct tune_trial *add(struct tune_trials *t, const char *hparams)
{
    struct tune_trial *trial = &t->items[t->n++];

    assert_true(t->n <= t->capacity);
    trial->hparams = t2_strdup(hparams);
    trial->values = t2_alloc((size_t) t->study.n_rungs, sizeof *trial->values);
    return trial;
}

static void finish(struct tune_trial *trial, double value)
{
    trial->entered = trial->n_values;
    trial->values[trial->n_values++] = value;
}

static char *draw(const struct tune_trials *t)
{
    struct t2_buf text = {0};
    char *hparams;

    tune_tpe_draw(t, &text);
    hparams = t2_strdup(t2_buf_cstr(&text));
    t2_buf_release(&text);
    return hparams;
}

static double value_of(const char *hparams, const char *name)
{
    size_t n;
    const char *value = tune_hparam_value(hparams, name, &n);

    assert_non_null(value);
    return strtod(value, NULL);
}

static const char two_floats[] = "x: {float: [-5, 5]}\ny: {float: [0.01, 100], scale: log}";

/* n trials of two_floats whose loss is best at x = 2, y = 1. */
static struct tune_trials bowl(int n, uint64_t seed, int n_rungs)
{
    struct tune_trials t = begin(two_floats, seed, n_rungs);

    while (t.n < n) {
        char *hparams = draw(&t);
        double x = value_of(hparams, "x") - 2, y = log(value_of(hparams, "y"));

        finish(add(&t, hparams), x * x + y * y);
        t2_free(hparams);
    }
    return t;
}

/* The first ten are those of a random search; what comes then is the same for the same seed. */
static void test_first(void **state)
{
    struct tune_trials t = bowl(12, 5, 1), again = bowl(12, 5, 1), other = bowl(12, 6, 1);
    struct tune_drawing d = tune_study_drawing(&t.study);

    (void) state;
    for (int i = 0; i < 12; i++) {
        struct t2_buf text = {0};

        tune_draw(&d, (uint64_t) i, &text);
        if (i < TUNE_FIRST)
            assert_string_equal(t.items[i].hparams, t2_buf_cstr(&text));
        else
            assert_string_not_equal(t.items[i].hparams, t2_buf_cstr(&text));
        assert_string_equal(t.items[i].hparams, again.items[i].hparams);
        assert_string_not_equal(t.items[i].hparams, other.items[i].hparams);
        t2_buf_release(&text);
    }
    tune_trials_release(&t);
    tune_trials_release(&again);
    tune_trials_release(&other);
}

/* What the header promises, done anew: `best` (n_best) are the numbers of the trials in l. */
static char *expected(const struct tune_trials *t, const int64_t *best, int n_best)
{
    size_t D = t->study.range->n;
    struct tune_coord *l_at = t2_alloc(64 * D, sizeof *l_at),
                      *g_at = t2_alloc(64 * D, sizeof *g_at);
    struct tune_coord at[4];
    int64_t n_l = 0, n_g = 0;
    double largest = -INFINITY;
    struct tune_parzen l, g;
    char *taken = NULL;
    struct t2_rng r;

    assert_true(t->n <= 64 && D <= 4);
    for (int64_t i = 0; i < t->n; i++) {
        bool is_best = false;

        for (int k = 0; k < n_best; k++)
            is_best |= best[k] == i;
        assert_true(tune_coords_read(t->study.range, t->items[i].hparams,
                                     is_best ? &l_at[(size_t) n_l * D] : &g_at[(size_t) n_g * D]));
        n_l += is_best;
        n_g += !is_best;
    }
    tune_parzen_init(&l, t->study.range, l_at, n_l);
    tune_parzen_init(&g, t->study.range, g_at, n_g);
    t2_rng_init(&r, t->study.seed, T2_RNG_SEARCH, (uint64_t) t->n, D);
    for (int i = 0; i < 24; i++) {
        struct t2_buf text = {0};
        double ratio;

        tune_parzen_draw(&l, &r, &text);
        assert_true(tune_coords_read(t->study.range, t2_buf_cstr(&text), at));
        ratio = exp(tune_parzen_log_density(&l, at)) / exp(tune_parzen_log_density(&g, at));
        if (ratio > largest) {
            largest = ratio;
            t2_free(taken);
            taken = t2_strdup(t2_buf_cstr(&text));
        }
        t2_buf_release(&text);
    }
    tune_parzen_release(&l);
    tune_parzen_release(&g);
    t2_free(l_at);
    t2_free(g_at);
    return taken;
}

static void expect_split(const struct tune_trials *t, const int64_t *best, int n_best)
{
    char *want = expected(t, best, n_best), *got = draw(t);

    assert_string_equal(want, got);
    t2_free(want);
    t2_free(got);
}

/* A tenth, rounded up, by value; ties by number; less or more is better as the study says. */
static void test_split(void **state)
{
    static const double values[] = {5, 3, 9, 1, 4, 1, 7, 8, 2, 6, 11};
    struct tune_trials t = begin(two_floats, 3, 1);

    (void) state;
    for (int i = 0; i < 11; i++) {
        char *hparams = t2_asprintf("x=%d,y=%d", i - 5, 1 + i);

        if (i == 10)
            expect_split(&t, (const int64_t[]){3}, 1); /* ten trials */
        finish(add(&t, hparams), values[i]);
        t2_free(hparams);
    }
    expect_split(&t, (const int64_t[]){3, 5}, 2); /* eleven */
    t.study.maximize = true;
    expect_split(&t, (const int64_t[]){10, 2}, 2);
    tune_trials_release(&t);
}

/* Trials without a value, that run or have failed, are among the others. */
static void test_others(void **state)
{
    struct tune_trials t = begin(two_floats, 3, 1);
    char *before, *after;

    (void) state;
    for (int i = 0; i < 10; i++) {
        char *hparams = t2_asprintf("x=%d,y=%d", i - 5, 1 + i);

        finish(add(&t, hparams), fabs(i - 6.0));
        t2_free(hparams);
    }
    add(&t, "x=1.1,y=7.1");
    before = draw(&t);
    expect_split(&t, (const int64_t[]){6}, 1);
    t.items[10].is_failed = true;
    after = draw(&t);
    assert_string_equal(before, after);
    finish(&t.items[10], 0.5);
    expect_split(&t, (const int64_t[]){6, 10}, 2);
    t2_free(before);
    t2_free(after);
    tune_trials_release(&t);
}

/* Of a study with rungs: who went farther is better, whatever the value. */
static void test_rungs(void **state)
{
    struct tune_trials t = begin(two_floats, 3, 3);

    (void) state;
    for (int i = 0; i < 20; i++) {
        char *hparams = t2_asprintf("x=%g,y=%d", 0.5 * i - 5, 1 + i);

        finish(add(&t, hparams), i);
        t2_free(hparams);
    }
    expect_split(&t, (const int64_t[]){0, 1}, 2);
    finish(&t.items[4], 100);
    expect_split(&t, (const int64_t[]){4, 0}, 2);
    finish(&t.items[7], 99);
    expect_split(&t, (const int64_t[]){7, 4}, 2);
    finish(&t.items[4], 98);
    finish(&t.items[1], 1);
    expect_split(&t, (const int64_t[]){4, 1}, 2);
    tune_trials_release(&t);
}

/* Where combinations can be counted each comes once, and all of them. */
static void test_counted(void **state)
{
    struct tune_trials t =
        begin("a: {int: [1, 5], scale: log}\nb: {categorical: [x, y]}\nc: {discrete: [1, 2, 3]}", 2,
              1);
    struct t2_map *seen = t2_map_new();

    (void) state;
    for (int i = 0; i < 30; i++) {
        char *hparams = draw(&t);
        bool is_new;

        (void) t2_map_at(seen, hparams, strlen(hparams), &is_new);
        assert_true(is_new);
        finish(add(&t, hparams), value_of(hparams, "a"));
        t2_free(hparams);
    }
    t2_map_free(seen);
    tune_trials_release(&t);
}

/* The numbers of a trial are what its text says, so a value that six digits round is the rounded
 * one; a trial whose text is of another range is passed over. */
static void test_strange_text(void **state)
{
    struct tune_trials t = bowl(15, 1, 1), with = bowl(15, 1, 1);
    char *a, *b;

    (void) state;
    add(&t, "x=0,y=1");
    add(&with, "z=1");
    finish(&with.items[15], -1);
    a = draw(&t);
    b = draw(&with);
    assert_string_not_equal(a, b);
    assert_true(value_of(b, "x") >= -5 && value_of(b, "y") > 0);
    t2_free(a);
    t2_free(b);
    tune_trials_release(&t);
    tune_trials_release(&with);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

/* The median over seeds of the best of 60 trials, and of 60 random ones. */
static double median_best(bool by_tpe)
{
    enum { SEEDS = 11, TRIALS = 60 };
    double best[SEEDS];

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct tune_trials t = bowl(by_tpe ? TRIALS : 0, seed, 1);
        struct tune_drawing d = tune_study_drawing(&t.study);

        best[seed] = INFINITY;
        for (int i = 0; i < TRIALS; i++) {
            struct t2_buf text = {0};
            double x, y;

            if (by_tpe)
                t2_buf_puts(&text, t.items[i].hparams);
            else
                tune_draw(&d, (uint64_t) i, &text);
            x = value_of(t2_buf_cstr(&text), "x") - 2;
            y = log(value_of(t2_buf_cstr(&text), "y"));
            best[seed] = fmin(best[seed], x * x + y * y);
            t2_buf_release(&text);
        }
        tune_trials_release(&t);
    }
    qsort(best, SEEDS, sizeof *best, compare_doubles);
    return best[SEEDS / 2];
}

static void test_finds(void **state)
{
    double tpe = median_best(true), random = median_best(false);

    (void) state;
    if (!(tpe < 0.25 * random))
        fail_msg("the best of 60 is %g, of random ones %g", tpe, random);
}

T_MAIN(cmocka_unit_test(test_first), cmocka_unit_test(test_split), cmocka_unit_test(test_others),
       cmocka_unit_test(test_rungs), cmocka_unit_test(test_counted),
       cmocka_unit_test(test_strange_text), cmocka_unit_test(test_finds))
