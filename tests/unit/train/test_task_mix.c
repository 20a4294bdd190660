/*
 * Tests of train/input/task_mix.c: shares of problems, by schedule and by weight.
 */
#include "train/input/task_mix.h"

#include <math.h>

#include "tests/support/t.h"

static struct t2_err err;

static enum t2_status read_mix(const char *changes, int n, struct in_task_mix *mix)
{
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    st = in_task_mix_of(hp, n, mix, &err);
    mdl_hparams_free(hp);
    return st;
}

static struct in_task_mix mix_of(const char *changes, int n)
{
    struct in_task_mix mix;

    if (read_mix(changes, n, &mix) != T2_OK)
        fail_msg("%s", err.message);
    return mix;
}

/* Draws evenly over [0, 1). */
static void shares(const struct in_task_mix *mix, uint64_t number, double *found)
{
    enum { N = 10000 };

    for (int i = 0; i < mix->n; i++)
        found[i] = 0.0;
    for (int i = 0; i < N; i++)
        found[in_task_mix_draw(mix, number, (i + 0.5) / N)] += 1.0 / N;
}

static void check_shares(const char *changes, int n, uint64_t number, const double *wanted)
{
    struct in_task_mix mix = mix_of(changes, n);
    double found[IN_MOST_TASKS];

    shares(&mix, number, found);
    for (int i = 0; i < n; i++)
        if (fabs(found[i] - wanted[i]) > 2e-4)
            fail_msg("%s: problem %d has %g, not %g", changes, i, found[i], wanted[i]);
}

static void test_shares(void **state)
{
    (void) state;
    check_shares("", 2, 1, (double[]){0.5, 0.5});
    check_shares("multiproblem_schedule_threshold=0.75", 4, 99, (double[]){0.25, 0.25, 0.25, 0.25});
    check_shares("multiproblem_per_task_threshold=2+1+5", 3, 7, (double[]){0.25, 0.125, 0.625});
    check_shares("multiproblem_per_task_threshold=0+3", 2, 7, (double[]){0.0, 1.0});
    check_shares("multiproblem_mixing_schedule=pretrain,multiproblem_schedule_max_examples=10", 3,
                 10, (double[]){1.0, 0.0, 0.0});
    check_shares("multiproblem_mixing_schedule=pretrain,multiproblem_schedule_max_examples=10", 3,
                 11, (double[]){0.0, 0.5, 0.5});
    check_shares("multiproblem_mixing_schedule=pretrain,multiproblem_schedule_max_examples=0", 2, 1,
                 (double[]){0.0, 1.0});
    /* 1e-4 ^ (1 - 500 / 1000) = 0.01, times the threshold */
    check_shares("multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=1000,"
                 "multiproblem_schedule_threshold=0.8",
                 2, 500, (double[]){0.992, 0.008});
    check_shares("multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=1000,"
                 "multiproblem_schedule_threshold=0.8",
                 2, 5000, (double[]){0.2, 0.8});
    check_shares("multiproblem_mixing_schedule=exponential,multiproblem_schedule_max_examples=0", 2,
                 1, (double[]){0.5, 0.5});
}

static void test_uses(void **state)
{
    struct in_task_mix mix = mix_of("multiproblem_per_task_threshold=0+3", 2);

    (void) state;
    assert_true(!in_task_mix_uses(&mix, 0) && in_task_mix_uses(&mix, 1));
    mix = mix_of("multiproblem_mixing_schedule=pretrain,multiproblem_schedule_max_examples=0", 2);
    assert_true(!in_task_mix_uses(&mix, 0) && in_task_mix_uses(&mix, 1));
    mix = mix_of("multiproblem_schedule_threshold=0.0", 2);
    assert_true(in_task_mix_uses(&mix, 0) && !in_task_mix_uses(&mix, 1));
    mix = mix_of("", 2);
    assert_true(in_task_mix_uses(&mix, 0) && in_task_mix_uses(&mix, 1));
}

static void test_refused(void **state)
{
    static const char *const wrong[] = {
        "multiproblem_schedule_threshold=1.5",     "multiproblem_schedule_threshold=-0.5",
        "multiproblem_mixing_schedule=sometimes",  "multiproblem_schedule_max_examples=-1",
        "multiproblem_per_task_threshold=1",       "multiproblem_per_task_threshold=1+2+3",
        "multiproblem_per_task_threshold=1+-2",    "multiproblem_per_task_threshold=0+0",
        "multiproblem_per_task_threshold=1+two",   "multiproblem_per_task_threshold=1+",
        "multiproblem_per_task_threshold=1e999+1",
    };
    struct in_task_mix mix;

    (void) state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (read_mix(wrong[i], 2, &mix) != T2_EUSAGE)
            fail_msg("%s is taken", wrong[i]);
        t_assert_contains(err.message, "multiproblem_");
    }
}

T_MAIN(cmocka_unit_test(test_shares), cmocka_unit_test(test_uses), cmocka_unit_test(test_refused))
