/*
 * tests/unit/train/test_significance.c - estimates and p-values by hand; resampled ones are
 * compared in test_resample.c.
 */
#include "tests/support/t.h"
#include "train/eval/significance.h"

enum { N = 81 };

static void test_estimates(void **state)
{
    struct ev_number x[N];
    struct ev_estimate e;

    (void) state;
    for (int i = 0; i < N; i++)
        x[i] = ev_python((i * 50) % N); /* 0 ... 80 in some order: two left out at either end */
    e = ev_estimate_exact(x, N);
    assert_true(e.mean == 40);
    assert_true(e.interval == (78 - 2) / 2.0);
    x[3] = ev_python(2);
    e = ev_estimate_numpy(x, 1);
    assert_true(e.mean == 0 && e.interval == 0);
}

/* The mean of float32 numbers is one. */
static void test_float32(void **state)
{
    struct ev_number x[3] = {{(double) 0.1f, true}, {(double) 0.2f, true}, {(double) 0.3f, true}};
    double exact = ((double) 0.1f + (double) 0.2f + (double) 0.3f) / 3;

    (void) state;
    assert_true(ev_estimate_exact(x, 3).mean == (double) (float) exact);
    x[1].is_float32 = false; /* a list of both is one of doubles */
    assert_true(ev_estimate_exact(x, 3).mean == exact);
}

static void test_p_values(void **state)
{
    const struct ev_number d[] = {{0, false}, {1, false}, {2, false}, {3, false}};
    const struct ev_number zero[] = {{0, false}, {0, false}, {0, false}, {0, false}};

    (void) state;
    assert_true(ev_p_randomised(d, 4, 1) == 3.0 / 5); /* 2 and 3 are larger */
    assert_true(ev_p_randomised(d, 4, 3) == 1.0 / 5);
    assert_true(ev_p_randomised(zero, 4, 0) == 1.0 / 5); /* equal is not larger */
    /* differences 0 1 2 3, less their mean 1.5 */
    assert_true(ev_p_bootstrap(zero, d, 4, 0.6) == 2.0 / 5);
    assert_true(ev_p_bootstrap(d, zero, 4, 0.4) == 3.0 / 5);
}

T_MAIN(cmocka_unit_test(test_estimates), cmocka_unit_test(test_float32),
       cmocka_unit_test(test_p_values))
