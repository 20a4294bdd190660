/*
 * tests/unit/train/test_tpe.c - the split into good and other trials, the candidate that is taken,
 * and that it finds what is to be found.
 */
#include "train/tune/tpe.h"

#include <math.h>

#include "base/map.h"
#include "tests/unit/train/some_trials.h"
#include "train/tune/parzen.h"

static struct tune_trials begin(const char *yaml, uint64_t seed, int n_rungs)
{
    return trials_of(yaml, TUNE_DRAW_TPE, seed, n_rungs);
}

static char *draw(const struct tune_trials *t)
{
    return drawn_by(tune_tpe_draw, t);
}

static const char two_floats[] = "x: {float: [-5, 5]}\ny: {float: [0.01, 100], scale: log}";

/* n trials of two_floats whose loss is best at x = 2, y = 1. */
static struct tune_trials bowl(int n, uint64_t seed, int n_rungs)
{
    struct tune_trials t = begin(two_floats, seed, n_rungs);

    while (t.n < n) {
        char *hparams = draw(&t);
        double x = hparam_of(hparams, "x") - 2, y = log(hparam_of(hparams, "y"));

        finish_trial(add_trial(&t, hparams), x * x + y * y);
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
        if (!tune_coords_read(t->study.range, t->items[i].hparams,
                              is_best ? &l_at[(size_t) n_l * D] : &g_at[(size_t) n_g * D]))
            continue; /* of another range */
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
        finish_trial(add_trial(&t, hparams), values[i]);
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

        finish_trial(add_trial(&t, hparams), fabs(i - 6.0));
        t2_free(hparams);
    }
    add_trial(&t, "x=1.1,y=7.1");
    before = draw(&t);
    expect_split(&t, (const int64_t[]){6}, 1);
    t.items[10].is_failed = true;
    after = draw(&t);
    assert_string_equal(before, after);
    finish_trial(&t.items[10], 0.5);
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

        finish_trial(add_trial(&t, hparams), i);
        t2_free(hparams);
    }
    expect_split(&t, (const int64_t[]){0, 1}, 2);
    finish_trial(&t.items[4], 100);
    expect_split(&t, (const int64_t[]){4, 0}, 2);
    finish_trial(&t.items[7], 99);
    expect_split(&t, (const int64_t[]){7, 4}, 2);
    finish_trial(&t.items[4], 98);
    finish_trial(&t.items[1], 1);
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
        finish_trial(add_trial(&t, hparams), hparam_of(hparams, "a"));
        t2_free(hparams);
    }
    t2_map_free(seen);
    tune_trials_release(&t);
}

/* A trial whose text is of another range counts as one of the best by its value, and is in neither
 * density: with 16 trials two are the best, and one of them is in l. */
static void test_text_of_another_range(void **state)
{
    static const char *const texts[] = {"z=1", "x=1", "x=one,y=1", "x=7,y=1"};
    struct tune_trials t = bowl(15, 1, 1);
    int64_t best = 0;

    (void) state;
    for (int64_t i = 0; i < t.n; i++)
        if (t.items[i].values[0] < t.items[best].values[0])
            best = i;
    finish_trial(add_trial(&t, ""), -1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        t2_free(t.items[15].hparams);
        t.items[15].hparams = t2_strdup(texts[i]);
        expect_split(&t, (const int64_t[]){best, 15}, 2);
    }
    tune_trials_release(&t);
}

/* A number is where its text says it is, however many digits it has. */
static void test_digits(void **state)
{
    struct tune_trials t = begin(two_floats, 4, 1), same = begin(two_floats, 4, 1);
    char *a, *b;

    (void) state;
    for (int i = 0; i < 12; i++) {
        char *few = t2_asprintf("x=%d,y=%g", i - 5, 0.5 + i);
        char *many = t2_asprintf("x=%d.000,y=%.9e", i - 5, 0.5 + i);

        finish_trial(add_trial(&t, few), i);
        finish_trial(add_trial(&same, many), i);
        t2_free(few);
        t2_free(many);
    }
    a = draw(&t);
    b = draw(&same);
    assert_string_equal(a, b);
    t2_free(a);
    t2_free(b);
    tune_trials_release(&t);
    tune_trials_release(&same);
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
            x = hparam_of(t2_buf_cstr(&text), "x") - 2;
            y = log(hparam_of(t2_buf_cstr(&text), "y"));
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
       cmocka_unit_test(test_text_of_another_range), cmocka_unit_test(test_digits),
       cmocka_unit_test(test_finds))
