/* Tests of train/optim/schedule.c: check values of the specification, errors; tables recorded from
 * the original are in tests/oracle/test_rates.c. */
#include "train/optim/schedule.h"

#include <math.h>

#include "tests/support/t.h"

static struct mdl_hparams *with(const char *set, const char *overrides)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    return hp;
}

static void check(const char *set, const char *overrides, int64_t step, double expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = with(set, overrides);
    double rate = -1;

    assert_int_equal(opt_learning_rate(hp, step, 100000, &rate, &err), T2_OK);
    t_assert_close_double(&rate, &expected, 1, 1e-12, 1e-3);
    mdl_hparams_free(hp);
}

static void test_check_values_of_the_specification(void **state)
{
    (void) state;
    check("transformer_base", "", 0, 0.0);
    check("transformer_base", "", 1, 1.2353e-7);
    check("transformer_base", "", 8000, 9.882e-4);
    check("transformer_base", "", 100000, 2.795e-4);
    check("transformer_base_v1", "", 0, 1.747e-7);
    check("transformer_base_v1", "", 3999, 6.988e-4);
    check("transformer_base_single_gpu", "", 16000, 7.906e-4);
    check("transformer_tpu", "", 3, 0.01);
    check("transformer_tpu", "", 40000, 0.005);
}

/* Check values of official-transformer.md §7.8. */
static void test_official_counting(void **state)
{
    struct mdl_hparams *hp = with("official_transformer_base", "");

    (void) state;
    check("official_transformer_base", "use_ctl=true", 0, 0.0);
    check("official_transformer_base", "use_ctl=true", 1, 4.36732e-8);
    check("official_transformer_base", "use_ctl=true", 16000, 6.987712e-4);
    check("official_transformer_base", "", 0, 4.36732e-8);
    check("official_transformer_base", "", 15999, 6.987712e-4);
    check("official_transformer_big", "", 0, 3.088162e-8);
    check("official_transformer_big", "", 15999, 4.941059e-4);
    assert_int_equal(opt_first_count(hp), 1);
    mdl_hp_set_bool(hp, "use_ctl", true);
    assert_int_equal(opt_first_count(hp), 0);
    mdl_hparams_free(hp);
    hp = with("transformer_base", "");
    assert_int_equal(opt_first_count(hp), 0);
    mdl_hparams_free(hp);
}

static void test_lists_of_factors(void **state)
{
    (void) state;
    check("transformer_base", "learning_rate_schedule=", 5, 1.0);
    check("transformer_base", "learning_rate_schedule= * constant ** constant *", 5, 4.0);
    /* multistep: the step is a fraction */
    check("transformer_base_multistep8", "learning_rate_schedule=linear_warmup", 4, 0.5 / 8000);
    check("basic_1", "learning_rate_decay_scheme=cyclelinear10x,learning_rate_warmup_steps=10", 15,
          (0.5 + 0.1) * 3.0 * 0.002 * 0.1);
    check("basic_1", "learning_rate_decay_scheme=noam,optimizer=Adafactor,hidden_size=25", 0,
          5000.0 / 5.0 * pow(100, -1.5) * 0.1);
}

static void test_piecewise(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = with("basic_1", "learning_rate_decay_scheme=piecewise,optimizer=sgd,"
                                             "learning_rate_warmup_steps=0,learning_rate=1");
    const int64_t boundaries[] = {10, 20};
    const double multiples[] = {0.5, 0.25};
    const int64_t steps[] = {0, 10, 11, 20, 21, 1000};
    const double expected[] = {1, 1, 0.5, 0.5, 0.25, 0.25};
    double rate = -1;

    (void) state;
    assert_int_equal(opt_learning_rate(hp, 0, 1, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, "needs two lists that 'basic_1' has not, for example "
                                   "--hparams='learning_rate_boundaries=");
    mdl_hp_set_ints(hp, "learning_rate_boundaries", boundaries, 2);
    mdl_hp_set_floats(hp, "learning_rate_multiples", multiples, 1);
    assert_int_equal(opt_learning_rate(hp, 0, 1, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, "must be equally long");
    mdl_hp_set_floats(hp, "learning_rate_multiples", multiples, 2);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(opt_learning_rate(hp, steps[i], 1, &rate, &err), T2_OK);
        assert_true(rate == expected[i]);
    }
    mdl_hparams_free(hp);
    /* as a command line says it; a set of one's own likewise */
    check("transformer_tiny",
          "learning_rate_schedule=constant*piecewise,learning_rate_constant=2,"
          "learning_rate_boundaries=[10,20],learning_rate_multiples=[0.5,0.25]",
          15, 1.0);
}

static void test_errors(void **state)
{
    static const struct {
        const char *overrides, *message;
    } cases[] = {
        {"learning_rate_schedule=constant*linear_warmpu",
         "unknown factor 'linear_warmpu' in learning_rate_schedule; did you mean 'linear_warmup'?"},
        {"learning_rate_schedule=xxxxxxxxxxxx", "unknown factor 'xxxxxxxxxxxx'"},
        {"learning_rate_schedule=legacy,learning_rate_decay_scheme=polynomial",
         "unknown learning_rate_decay_scheme 'polynomial'"},
        {"learning_rate_schedule=linear_warmup,learning_rate_warmup_steps=0",
         "factor 'linear_warmup' needs hparam 'learning_rate_warmup_steps' > 0, not 0"},
        {"learning_rate_schedule=rsqrt_decay,learning_rate_warmup_steps=0", "'rsqrt_decay' needs"},
        {"learning_rate_schedule=cosdecay,learning_rate_decay_steps=0", "'cosdecay' needs"},
        {"learning_rate_schedule=single_cycle_cos_decay,learning_rate_warmup_steps=1000",
         "needs more training steps (1000) than hparam 'learning_rate_warmup_steps' (1000)"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp = with("transformer_base", cases[i].overrides);
        double rate = 7;

        assert_int_equal(opt_learning_rate(hp, 0, 1000, &rate, &err), T2_EUSAGE);
        t_assert_contains(err.message, cases[i].message);
        assert_true(rate == 7);
        mdl_hparams_free(hp);
    }
}

T_MAIN(cmocka_unit_test(test_check_values_of_the_specification),
       cmocka_unit_test(test_official_counting), cmocka_unit_test(test_lists_of_factors),
       cmocka_unit_test(test_piecewise), cmocka_unit_test(test_errors))
