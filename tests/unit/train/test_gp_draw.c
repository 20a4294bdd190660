/*
 * tests/unit/train/test_gp_draw.c - what the next trial depends on, that none comes twice, and that
 * it finds what is to be found.
 */
#include "train/tune/gp_draw.h"

#include <math.h>
#include <string.h>

#include "base/map.h"
#include "tests/unit/train/some_trials.h"
#include "train/tune/tpe.h"

static char *draw(const struct tune_trials *t)
{
    return drawn_by(tune_gp_draw, t);
}

static const char two_floats[] = "x: {float: [-5, 5]}\ny: {float: [0.01, 100], scale: log}";

/* Best along a ridge, at x = 2, y = 1. */
static double ridge(const char *hparams)
{
    double x = hparam_of(hparams, "x") - 2, y = log(hparam_of(hparams, "y"));

    return x * x + 25 * (y - x) * (y - x);
}

static struct tune_trials on_ridge(int n, enum tune_sampler sampler, uint64_t seed)
{
    struct tune_trials t = trials_of(two_floats, sampler, seed, 1);

    while (t.n < n) {
        char *hparams = drawn_by(sampler == TUNE_DRAW_GP ? tune_gp_draw : tune_tpe_draw, &t);

        finish_trial(add_trial(&t, hparams), ridge(hparams));
        t2_free(hparams);
    }
    return t;
}

/* Of the first ten, one is in each tenth of a range; what comes then depends on seed and values. */
static void test_first(void **state)
{
    struct tune_trials t = on_ridge(14, TUNE_DRAW_GP, 5), again = on_ridge(14, TUNE_DRAW_GP, 5),
                       other = on_ridge(14, TUNE_DRAW_GP, 6);
    int n[2][10] = {{0}};

    (void) state;
    for (int i = 0; i < 14; i++) {
        assert_string_equal(t.items[i].hparams, again.items[i].hparams);
        assert_string_not_equal(t.items[i].hparams, other.items[i].hparams);
        if (i < TUNE_FIRST) {
            n[0][(int) (hparam_of(t.items[i].hparams, "x") + 5)]++;
            n[1][(int) (10 * log(hparam_of(t.items[i].hparams, "y") / 0.01) / log(1e4))]++;
        }
    }
    for (int i = 0; i < 10; i++)
        assert_true(n[0][i] == 1 && n[1][i] == 1);
    tune_trials_release(&t);
    tune_trials_release(&again);
    tune_trials_release(&other);
}

/* Of the worse half ranks alone matter, as they do of those that failed; of the better half how
 * much better they are. */
static void test_values(void **state)
{
    struct tune_trials t = on_ridge(16, TUNE_DRAW_GP, 3);
    int64_t *order = tune_trials_ranked(&t);
    struct tune_trial *worst = &t.items[order[15]];
    char *as_it_is = draw(&t), *huge, *failed, *upside_down, *better, *random;

    (void) state;
    worst->values[0] = 1e30;
    huge = draw(&t);
    assert_string_equal(as_it_is, huge);
    worst->n_values = 0;
    worst->is_failed = true;
    failed = draw(&t);
    assert_string_equal(as_it_is, failed);
    worst->n_values = 1;
    worst->is_failed = false;
    for (int i = 0; i < 16; i++)
        t.items[i].values[0] *= -1;
    t.study.maximize = true;
    upside_down = draw(&t);
    assert_string_equal(as_it_is, upside_down);
    t.items[order[0]].values[0] += 30;
    better = draw(&t);
    assert_string_not_equal(as_it_is, better);
    for (int i = 0; i < 7; i++) { /* nine have a value: not enough */
        t.items[i].n_values = 0;
        t.items[i].is_failed = false;
    }
    random = draw(&t);
    {
        struct tune_drawing d = tune_study_drawing(&t.study);
        struct t2_buf text = {0};

        tune_draw(&d, 16, &text);
        assert_string_equal(t2_buf_cstr(&text), random);
        t2_buf_release(&text);
    }
    t2_free(order);
    t2_free(as_it_is);
    t2_free(huge);
    t2_free(failed);
    t2_free(upside_down);
    t2_free(better);
    t2_free(random);
    tune_trials_release(&t);
}

/* A trial that went farther is better than all that did not, and these count by rank. */
static void test_rungs(void **state)
{
    struct tune_trials t = trials_of(two_floats, TUNE_DRAW_GP, 3, 2);
    char *before, *after;

    (void) state;
    for (int i = 0; i < 20; i++) {
        char *hparams = t2_asprintf("x=%g,y=%d", 0.5 * i - 5, 1 + i);

        finish_trial(add_trial(&t, hparams), fabs(i - 6.0));
        t2_free(hparams);
    }
    finish_trial(&t.items[6], 5);
    before = draw(&t);
    assert_true(fabs(hparam_of(before, "x") + 2) < 2);
    t.items[19].values[0] = 1000; /* they have the ranks that they had */
    t.items[5].values[0] = 0.001;
    after = draw(&t);
    assert_string_equal(before, after);
    t2_free(before);
    t2_free(after);
    tune_trials_release(&t);
}

/* Trials that run keep others away; of another range, nothing. */
static void test_others(void **state)
{
    struct tune_trials t = on_ridge(15, TUNE_DRAW_GP, 2);
    char *first = draw(&t), *second, *third;
    double apart;

    (void) state;
    add_trial(&t, first);
    second = draw(&t);
    apart = fabs(hparam_of(first, "x") - hparam_of(second, "x")) / 10 +
            fabs(log(hparam_of(first, "y") / hparam_of(second, "y"))) / log(1e4);
    if (!(apart > 0.01))
        fail_msg("'%s' beside '%s'", second, first);
    t2_free(t.items[15].hparams);
    t.items[15].hparams = t2_strdup("x=2,z=1");
    third = draw(&t);
    finish_trial(&t.items[15], -1e9);
    t2_free(second);
    second = draw(&t);
    assert_string_equal(second, third);
    t2_free(first);
    t2_free(second);
    t2_free(third);
    tune_trials_release(&t);
}

/* Each combination comes once, words and numbers that have an order among them. */
static void test_counted(void **state)
{
    struct tune_trials t = trials_of("a: {int: [1, 5], scale: log}\nb: {categorical: [x, y]}\n"
                                     "c: {discrete: [30, 1, 2]}\nd: {discrete: [7]}\n"
                                     "e: {int: [4, 4]}",
                                     TUNE_DRAW_GP, 2, 1);
    struct t2_map *seen = t2_map_new();
    double best = HUGE_VAL;

    (void) state;
    for (int i = 0; i < 30; i++) {
        char *hparams = draw(&t);
        double value = fabs(hparam_of(hparams, "a") - 4) + (strstr(hparams, "b=y") ? 0 : 2) +
                       fabs(log(hparam_of(hparams, "c")));
        bool is_new;

        (void) t2_map_at(seen, hparams, strlen(hparams), &is_new);
        assert_true(is_new);
        finish_trial(add_trial(&t, hparams), value);
        best = i < 20 ? fmin(best, value) : best;
        t2_free(hparams);
    }
    assert_true(best == 0); /* among the first two thirds */
    t2_map_free(seen);
    tune_trials_release(&t);
}

/* More trials than the process goes through: an old one that is not among the best changes nothing,
 * an old one that is, and a new one, do. */
static void test_many(void **state)
{
    static const struct {
        int trial;
        bool matters;
    } cases[] = {{10, true}, {200, false}, {899, true}};
    struct tune_trials t = trials_of(two_floats, TUNE_DRAW_GP, 1, 1);
    char *before;

    (void) state;
    for (int i = 0; i < 900; i++) {
        char *hparams = t2_asprintf("x=%g,y=%d", -5 + i / 90.0, 1 + i % 90);

        finish_trial(add_trial(&t, hparams), i < 100 ? i : 1000 - i);
        t2_free(hparams);
    }
    before = draw(&t);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *hparams = t.items[cases[i].trial].hparams, *after;

        t.items[cases[i].trial].hparams = t2_strdup("x=4.5,y=0.02");
        after = draw(&t);
        assert_int_equal(strcmp(before, after) != 0, cases[i].matters);
        t2_free(t.items[cases[i].trial].hparams);
        t.items[cases[i].trial].hparams = hparams;
        t2_free(after);
    }
    t2_free(before);
    tune_trials_release(&t);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

/* The median over seeds of the best of 40 trials. */
static double median_best(enum tune_sampler sampler)
{
    enum { SEEDS = 7, TRIALS = 40 };
    double best[SEEDS];

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct tune_trials t = on_ridge(TRIALS, sampler, seed);

        best[seed] = t.items[tune_trials_best(&t)].values[0];
        tune_trials_release(&t);
    }
    qsort(best, SEEDS, sizeof *best, compare_doubles);
    return best[SEEDS / 2];
}

static void test_finds(void **state)
{
    double gp = median_best(TUNE_DRAW_GP), tpe = median_best(TUNE_DRAW_TPE);

    (void) state;
    if (!(gp < 0.7 * tpe))
        fail_msg("the best of 40 is %g, by TPE %g", gp, tpe);
}

T_MAIN(cmocka_unit_test(test_first), cmocka_unit_test(test_values), cmocka_unit_test(test_rungs),
       cmocka_unit_test(test_others), cmocka_unit_test(test_counted), cmocka_unit_test(test_many),
       cmocka_unit_test(test_finds))
