/* Tests of train/optim/adamax.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void rule(int64_t k, double g, double *x, double s[3])
{
    s[0] = 0.9 * s[0] + 0.1 * g;
    s[1] = fmax(0.99 * s[1], fabs(g));
    *x -= 0.01 / (1 - pow(0.9, (double) k + 1)) * s[0] / (s[1] + 1e-7);
}

static void test_rule(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=Adamax,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7",
                  zeros, 6, rule);
}

/* Keras' fit begins to count at 2 (train/optim/schedule.h). */
static void rule_of_fit(int64_t k, double g, double *x, double s[3])
{
    rule(k + 1, g, x, s);
}

static void test_fit(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_set = "official_transformer_tiny";
    steps_compare("optimizer=Adamax,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7,use_ctl=false",
                  zeros, 6, rule_of_fit);
    steps_compare("optimizer=Adamax,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7,use_ctl=true",
                  zeros, 6, rule);
}

T_MAIN(cmocka_unit_test(test_rule), cmocka_unit_test(test_fit))
