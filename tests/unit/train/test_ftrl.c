/* Tests of train/optim/ftrl.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void rule(int64_t k, double g, double *x, double s[3])
{
    double grown = s[0] + g * g;

    (void) k;
    s[1] += g - (sqrt(grown) - sqrt(s[0])) / 0.01 * *x;
    s[0] = grown;
    *x = -s[1] * 0.01 / sqrt(grown);
}

static void test_rule(void **state)
{
    static const double initial[3] = {0.1, 0, 0};

    (void) state;
    steps_compare("optimizer=Ftrl", initial, 5, rule);
}

static void test_rate_of_zero_is_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=ftrl,learning_rate_schedule=linear_warmup");
    steps_fill_grads(&s, 0);
    assert_int_equal(opt_step(s.o, 0, 10, &report, &err), T2_EUSAGE);
    t_assert_contains(err.message, "divides by the learning rate, which is 0");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_rule), cmocka_unit_test(test_rate_of_zero_is_refused))
