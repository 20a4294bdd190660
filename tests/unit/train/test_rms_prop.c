/* Tests of train/optim/rms_prop.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void rule(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.9 * s[0] + 0.1 * g * g;
    *x -= 0.01 * g / sqrt(s[0] + 1e-10);
}

static void test_rule(void **state)
{
    static const double initial[3] = {1, 0, 0};

    (void) state;
    steps_compare("optimizer=RMSProp", initial, 5, rule);
}

T_MAIN(cmocka_unit_test(test_rule))
