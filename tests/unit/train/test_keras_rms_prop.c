/* Tests of train/optim/keras_rms_prop.c against its formulas in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void plain(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.9 * s[0] + 0.1 * g * g;
    *x -= 0.01 * g / (sqrt(s[0]) + 1e-7);
}

static void momentum(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.8 * s[0] + 0.2 * g * g;
    s[1] = 0.7 * s[1] + 0.01 * g / sqrt(s[0] + 0.001);
    *x -= s[1];
}

static void test_both_forms(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=keras_rms_prop", zeros, 6, plain);
    steps_compare("optimizer=keras_rms_prop,optimizer_rms_prop_rho=0.8,"
                  "optimizer_rms_prop_momentum=0.7,optimizer_rms_prop_epsilon=0.001",
                  zeros, 6, momentum);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;

    (void) state;
    assert_int_equal(steps_try(&s, "reference", 1,
                               "optimizer=keras_rms_prop,optimizer_rms_prop_rho=2", &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "'optimizer_rms_prop_rho' (2)");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_both_forms), cmocka_unit_test(test_refused))
