/*
 * test_numpy_random.c - what NumPy 1.18 draws after numpy.random.seed(429459).
 */
#include "base/numpy_random.h"

#include "tests/support/t.h"

static void test_draws(void **state)
{
    static const uint32_t below[] = {1, 2, 3, 10, 95, 1000, 70000, 1};
    static const uint32_t drawn[] = {0, 0, 0, 0, 2, 776, 9107, 0};
    static const double uniform[] = {0.21779040399838456, 0.56370368011813876, 0.81765717029050322};
    static const double normal[] = {40.475337759484376, 43.294445900150002, 45.317351387877181,
                                    26.302023844789787, 29.17548275078898};
    struct t2_numpy r;

    (void) state;
    t2_numpy_seed(&r, 429459);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(t2_numpy_randint(&r, below[i]), drawn[i]);
    for (size_t i = 0; i < 3; i++)
        assert_true(t2_numpy_random(&r) == uniform[i]);
    for (size_t i = 0; i < 5; i++)
        assert_true(t2_numpy_normal(&r, 35, 7) == normal[i]);
    t2_numpy_seed(&r, 429459); /* and no half pair is left */
    assert_int_equal(t2_numpy_randint(&r, 2), 0);
}

static void test_choice(void **state)
{
    static const size_t drawn[] = {3, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    double weights[] = {.4, .3, .2, .08, .02};
    struct t2_numpy r;

    (void) state;
    t2_numpy_seed(&r, 429459);
    for (int k = 0; k < 8; k++)
        (void) t2_numpy_randint(&r, (uint32_t[]){1, 2, 3, 10, 95, 1000, 70000, 1}[k]);
    for (int k = 0; k < 3; k++)
        (void) t2_numpy_random(&r);
    for (int k = 0; k < 5; k++)
        (void) t2_numpy_normal(&r, 35, 7);
    t2_numpy_cumulate(weights, 5);
    assert_true(weights[4] == 1.0);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(t2_numpy_choice(&r, weights, 5), drawn[i]);
}

T_MAIN(cmocka_unit_test(test_draws), cmocka_unit_test(test_choice))
