/* Tests of train/optim/keras_sgd.c against its formula in double, with a rate that changes. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

/* Linear decay to 0 at step 1000. */
static double rate(int64_t k)
{
    return 0.01 * (1 - (double) k / 1000);
}

static void plain(int64_t k, double g, double *x, double s[3])
{
    s[0] = 0.9 * s[0] - rate(k) * g;
    *x += s[0];
}

static void nesterov(int64_t k, double g, double *x, double s[3])
{
    s[0] = 0.9 * s[0] - rate(k) * g;
    *x += 0.9 * s[0] - rate(k) * g;
}

static void test_both_forms(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=keras_sgd,learning_rate_schedule=constant*linear_decay,"
                  "learning_rate_decay_steps=1000",
                  zeros, 6, plain);
    steps_compare("optimizer=keras_sgd,learning_rate_schedule=constant*linear_decay,"
                  "learning_rate_decay_steps=1000,optimizer_momentum_nesterov=true",
                  zeros, 6, nesterov);
}

T_MAIN(cmocka_unit_test(test_both_forms))
