/*
 * Tests of train/eval/value_scores.c; the numbers of the first case are numpy's (mean, corrcoef).
 */
#include "train/eval/value_scores.h"

#include <math.h>
#include <string.h>

#include "tests/support/metric_cases.h"

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
    ev_value_sums_add(&whole, p, t, 5, 1);
    ev_value_sums_add(&parts, p, t, 2, 1);
    ev_value_sums_add(&parts, p + 2, t + 2, 3, 1);
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
    ev_value_sums_add(&s, p, t, 5, 1);
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
    ev_value_sums_add(&s, p, t, 6, 1);
    m = ev_value_sums_means(&s);
    near(score(&m, "binary_accuracy"), 4.0 / 6);
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
    ev_value_sums_add(&one, &x, &x, 1, 1);
    m = ev_value_sums_means(&one);
    assert_true(m.rmse == 0.0 && isnan(m.r_squared) && isnan(m.pearson));
}

/* In one batch, and sample by sample: what Tensor2Tensor's function says of them all. */
static void check_case(enum ev_value_kind kind, const struct t_metric_case *c)
{
    struct ev_value_sums whole = {.kind = kind}, parts;
    size_t n = (size_t) (c->rows * c->columns);
    float *p = t2_alloc(n, sizeof *p), *t = t2_alloc(n, sizeof *t);
    struct ev_value_means m;

    for (size_t i = 0; i < n; i++) {
        p[i] = (float) c->predictions[i];
        t[i] = (float) c->labels[i];
    }
    if (!ev_value_score_ask(kind, c->columns, c->metric, &whole.asked))
        fail_msg("no %s", c->metric);
    parts = whole;
    ev_value_sums_add(&whole, p, t, c->rows, c->columns);
    for (int64_t r = 0; r < c->rows; r++)
        ev_value_sums_add(&parts, p + r * c->columns, t + r * c->columns, 1, c->columns);
    m = ev_value_sums_means(&whole);
    t_metric_near(c, score(&m, c->metric));
    m = ev_value_sums_means(&parts);
    t_metric_near(c, score(&m, c->metric));
    t2_free(p);
    t2_free(t);
}

static void check_reals(const struct t_metric_case *c)
{
    check_case(EV_REALS, c);
}

static void check_sets(const struct t_metric_case *c)
{
    check_case(EV_LABEL_SETS, c);
}

static void test_recorded(void **state)
{
    (void) state;
    assert_true(t_metric_cases("reals", check_reals) > 10);
    assert_true(t_metric_cases("sets", check_sets) > 50);
}

/* What nobody asked for is not said; what does not fit cannot be asked for. */
static void test_asked(void **state)
{
    struct ev_value_means m = {.kind = EV_LABEL_SETS};
    double value;
    unsigned bits = 0;
    int n = 0;

    (void) state;
    while (ev_value_score(&m, n, &value))
        n++;
    assert_int_equal(n, 3);
    assert_false(ev_value_score_ask(EV_LABEL_SETS, 3, "roc_auc", &bits));
    assert_false(ev_value_score_ask(EV_REALS, 2, "roc_auc", &bits));
    assert_false(ev_value_score_ask(EV_LABEL_SETS, 3, "log_poisson", &bits));
    assert_int_equal(bits, 0);
    assert_true(ev_value_score_ask(EV_LABEL_SETS, 3, "set_recall", &bits)); /* as it is */
    assert_int_equal(bits, 0);
    assert_true(ev_value_score_ask(EV_LABEL_SETS, 2, "roc_auc", &m.asked));
    assert_string_equal(ev_value_score(&m, 3, &value), "roc_auc");
    assert_null(ev_value_score(&m, 4, &value));
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_far_from_zero),
       cmocka_unit_test(test_sets), cmocka_unit_test(test_nothing), cmocka_unit_test(test_recorded),
       cmocka_unit_test(test_asked))
