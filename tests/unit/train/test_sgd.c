/* Tests of train/optim/sgd.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void rule(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    (void) s;
    *x -= 0.01 * g;
}

static void test_rule(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=SGD", zeros, 3, rule);
}

T_MAIN(cmocka_unit_test(test_rule))
