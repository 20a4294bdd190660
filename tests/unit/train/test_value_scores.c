/*
 * Tests of train/eval/value_scores.c; the numbers of the first case are numpy's (mean, corrcoef).
 */
#include "train/eval/value_scores.h"

#include <math.h>
#include <string.h>

#include "tests/support/t.h"

static double score(const struct ev_value_means *m, const char *name)
{
    double value;
    const char *is;

    for (int i = 0; (is = ev_value_score(m, i, &value)) != NULL; i++)
        if (strcmp(is, name) == 0)
            return value;
    fail_msg("no score %s", name);
    return 0;
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void test_numbers(void **state)
{
    static const float p[] = {1.0F, 2.5F, 2.0F, 4.5F, 6.0F}, t[] = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F};
    struct ev_value_sums whole = {.kind = EV_REALS}, parts = {.kind = EV_REALS};
    struct ev_value_means m;

    (void) state;
    ev_value_sums_add(&whole, p, t, 5);
    ev_value_sums_add(&parts, p, t, 2);
    ev_value_sums_add(&parts, p + 2, t + 2, 3);
    assert_memory_equal(&whole, &parts, sizeof whole);
    m = ev_value_sums_means(&whole);
    near(score(&m, "unpadded_mse"), 0.5);
    near(score(&m, "rmse"), 0.70710678118654757);
    near(score(&m, "mean_absolute_error"), 0.6);
    near(score(&m, "r_squared"), 0.75);
    near(score(&m, "pearson"), 0.9399125399855488);
}

/* A large mean takes nothing from the correlation. */
static void test_far_from_zero(void **state)
{
    static const float p[] = {1000001.0F, 1000002.5F, 1000002.0F, 1000004.5F, 1000006.0F};
    static const float t[] = {1000001.0F, 1000002.0F, 1000003.0F, 1000004.0F, 1000005.0F};
    struct ev_value_sums s = {.kind = EV_REALS};
    struct ev_value_means m;

    (void) state;
    ev_value_sums_add(&s, p, t, 5);
    m = ev_value_sums_means(&s);
    near(m.r_squared, 0.75);
    near(m.pearson, 0.9399125399855488);
}

static void test_sets(void **state)
{
    static const float p[] = {2.0F, -1.0F, 0.5F, 0.0F, 3.0F, -2.0F}, t[] = {1, 1, 0, 0, 1, 0};
    struct ev_value_sums s = {.kind = EV_LABEL_SETS};
    struct ev_value_means m;

    (void) state;
    ev_value_sums_add(&s, p, t, 6);
    m = ev_value_sums_means(&s);
    near(score(&m, "sigmoid_accuracy"), 4.0 / 6);
    near(score(&m, "set_precision"), 2.0 / 3);
    near(score(&m, "set_recall"), 2.0 / 3);
}

static void test_nothing(void **state)
{
    struct ev_value_sums s = {.kind = EV_REALS}, one = {.kind = EV_REALS};
    struct ev_value_means m = ev_value_sums_means(&s), none = {.kind = EV_NO_VALUES};
    float x = 3.0F;
    double value;

    (void) state;
    assert_true(isnan(m.rmse) && isnan(m.pearson) && isnan(m.set_recall));
    assert_null(ev_value_score(&none, 0, &value));
    ev_value_sums_add(&one, &x, &x, 1);
    m = ev_value_sums_means(&one);
    assert_true(m.rmse == 0.0 && isnan(m.r_squared) && isnan(m.pearson));
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_far_from_zero),
       cmocka_unit_test(test_sets), cmocka_unit_test(test_nothing))
