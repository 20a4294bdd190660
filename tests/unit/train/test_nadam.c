/* Tests of train/optim/nadam.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static double momentum_at(int64_t k)
{
    return 0.9 * (1 - 0.5 * pow(0.96, 0.004 * (double) k));
}

static void rule_from(int64_t first, int64_t step, double g, double *x, double s[3])
{
    int64_t k = step + first;
    double mu = momentum_at(k), next = momentum_at(k + 1), product = 1, mean;

    for (int64_t i = first; i <= k; i++)
        product *= momentum_at(i);
    s[0] = 0.9 * s[0] + 0.1 * g;
    s[1] = 0.99 * s[1] + 0.01 * g * g;
    mean = (1 - mu) * g / (1 - product) + next * s[0] / (1 - product * next);
    *x -= 0.01 * mean / (sqrt(s[1] / (1 - pow(0.99, (double) k))) + 1e-7);
}

static void rule(int64_t step, double g, double *x, double s[3])
{
    rule_from(1, step, g, x, s);
}

/* Keras' fit begins to count at 2 (train/optim/schedule.h). */
static void rule_of_fit(int64_t step, double g, double *x, double s[3])
{
    rule_from(2, step, g, x, s);
}

static void test_fit(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_set = "official_transformer_tiny";
    steps_compare("optimizer=Nadam,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7,use_ctl=false",
                  zeros, 30, rule_of_fit);
    steps_compare("optimizer=Nadam,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7,use_ctl=true",
                  zeros, 30, rule);
    steps_set = "basic_1";
}

static void test_rule(void **state)
{
    static const double zeros[3];

    (void) state;
    steps_compare("optimizer=Nadam,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.99,"
                  "optimizer_adam_epsilon=1e-7",
                  zeros, 30, rule);
}

T_MAIN(cmocka_unit_test(test_fit), cmocka_unit_test(test_rule))
