/* Tests of train/optim/adagrad.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void rule(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] += g * g;
    *x -= 0.01 * g / sqrt(s[0]);
}

static void test_rule(void **state)
{
    static const double initial[3] = {0.1, 0, 0};

    (void) state;
    steps_compare("optimizer=Adagrad", initial, 5, rule);
}

static void keras_rule(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] += g * g;
    *x -= 0.01 * g / (sqrt(s[0]) + 0.5);
}

static void test_keras(void **state)
{
    static const double initial[3] = {0.25, 0, 0};

    (void) state;
    steps_compare("optimizer=keras_adagrad,optimizer_adagrad_initial_accumulator_value=0.25,"
                  "optimizer_adagrad_epsilon=0.5",
                  initial, 5, keras_rule);
}

T_MAIN(cmocka_unit_test(test_rule), cmocka_unit_test(test_keras))
