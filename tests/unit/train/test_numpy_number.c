/*
 * tests/unit/train/test_numpy_number.c - types and means that NumPy 2.4 gives.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/eval/numpy_number.h"

static void test_types(void **state)
{
    struct ev_number third = ev_divide(ev_python(1), (struct ev_number){3, true});

    (void) state;
    assert_true(third.is_float32 && third.v == (double) (1.0f / 3.0f));
    assert_false(ev_add(ev_python(1), ev_python(2)).is_float32);
    assert_true(ev_divide(ev_python(1), ev_python(3)).v == 1.0 / 3);
    /* a Python number becomes a float32 first */
    assert_true(ev_subtract(ev_python(0.1), (struct ev_number){0, true}).v == (double) 0.1f);
    assert_true(ev_multiply(ev_python(0.1), (struct ev_number){3, true}).v ==
                (double) (0.1f * 3.0f));
}

static double element(size_t i)
{
    return (double) (i * 37 % 101) / 7;
}

static double mean_of(size_t n, bool is_float32)
{
    struct ev_number *x = t2_alloc(n, sizeof *x), mean;

    for (size_t i = 0; i < n; i++)
        x[i] =
            (struct ev_number){is_float32 ? (double) (float) element(i) : element(i), is_float32};
    mean = ev_numpy_mean(x, n);
    assert_int_equal(mean.is_float32, is_float32);
    t2_free(x);
    return mean.v;
}

static void test_means(void **state)
{
    double x[20000];

    (void) state;
    assert_true(mean_of(1000, false) == 7.144285714285714);
    assert_true(mean_of(1000, true) == (double) 7.1442857f);
    assert_true(mean_of(5, false) == 4.8);
    assert_true(mean_of(129, true) == (double) 7.099668f);
    for (size_t i = 0; i < 20000; i++)
        x[i] = element(i);
    assert_true(ev_numpy_mean_as_float32(x, 20000) == (double) 7.142408f);
}

T_MAIN(cmocka_unit_test(test_types), cmocka_unit_test(test_means))
