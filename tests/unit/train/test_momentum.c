/* Tests of train/optim/momentum.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void plain(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.9 * s[0] + g;
    *x -= 0.01 * s[0];
}

static void nesterov(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.9 * s[0] + g;
    *x -= 0.01 * (g + 0.9 * s[0]);
}

static void test_both_forms(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=Momentum", zeros, 6, plain);
    steps_compare("optimizer=momentum,optimizer_momentum_nesterov=true", zeros, 6, nesterov);
}

T_MAIN(cmocka_unit_test(test_both_forms))
