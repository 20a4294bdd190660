/*
 * Tests of train/optim/garden_schedule.c.  The tables are what OptimizerFactory.build_learning_rate
 * of tf-models-official 2.20.0 gives (float32).
 */
#include "train/optim/garden_schedule.h"

#include <math.h>

#include "tests/support/t.h"
#include "train/optim/schedule.h"

enum { N_STEPS = 8 };
static const int64_t steps[N_STEPS] = {0, 1, 5, 10, 11, 20, 26, 40};

static struct t2_err err;

static struct mdl_hparams *with(const char *overrides)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(
                         hp, "learning_rate_schedule=model_garden,learning_rate_initial=0.5", &err),
                     T2_OK);
    assert_int_equal(mdl_hparams_override(hp, overrides, &err), T2_OK);
    return hp;
}

static void check(const char *overrides, const double expected[N_STEPS])
{
    struct mdl_hparams *hp = with(overrides);

    for (int i = 0; i < N_STEPS; i++) {
        double rate = -1;

        assert_int_equal(opt_learning_rate(hp, steps[i], 100, &rate, &err), T2_OK);
        t_assert_close_double(&rate, &expected[i], 1, 1e-9, 2e-6);
    }
    mdl_hparams_free(hp);
}

static void test_schedules(void **state)
{
    (void) state;
    check("learning_rate_main=constant", (const double[]){0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
    check("learning_rate_main=stepwise,learning_rate_step_boundaries=[10,20],"
          "learning_rate_step_values=[1.0,0.1,0.01]",
          (const double[]){1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01});
    check("learning_rate_main=exponential,learning_rate_decay_steps=8,learning_rate_decay_rate=0.7,"
          "learning_rate_decay_staircase=true,learning_rate_offset=3",
          (const double[]){0.714285731, 0.714285731, 0.5, 0.5, 0.349999994, 0.24499999, 0.24499999,
                           0.120049991});
    check("learning_rate_main=exponential,learning_rate_decay_steps=8,learning_rate_decay_rate=0.7",
          (const double[]){0.5, 0.478197455, 0.400088698, 0.320141912, 0.306182086, 0.2049817,
                           0.156869531, 0.0840349942});
    check("learning_rate_main=polynomial,learning_rate_decay_steps=20,learning_rate_end=0.01,"
          "learning_rate_power=2,learning_rate_offset=4",
          (const double[]){0.715600014, 0.658025026, 0.452225, 0.250099987, 0.217024982,
                           0.0295999981, 0.00999999978, 0.00999999978});
    check("learning_rate_main=polynomial,learning_rate_decay_steps=20,learning_rate_end=0.01,"
          "learning_rate_cycle=true",
          (const double[]){0.5, 0.475499988, 0.377499998, 0.254999995, 0.230499998, 0.00999999978,
                           0.181500018, 0.00999999978});
    check("learning_rate_main=power_linear,learning_rate_power=-0.5,learning_rate_decay_steps=30,"
          "learning_rate_linear_fraction=0.5,learning_rate_offset=3",
          (const double[]){0.5, 0.5, 0.353553385, 0.188982233, 0.176776692, 0.105098769,
                           0.0486533605, 0});
    check("learning_rate_main=power_with_offset,learning_rate_power=-0.5,learning_rate_offset=6,"
          "learning_rate_ceiling=0.4",
          (const double[]){0.4, 0.4, 0.4, 0.25, 0.223606795, 0.133630618, 0.111803398,
                           0.0857492909});
}

/* The warm-up ends at the schedule's value of its last step, and shifts nothing. */
static void test_warmups(void **state)
{
    (void) state;
    check("learning_rate_main=stepwise,learning_rate_step_boundaries=[10,20],"
          "learning_rate_step_values=[1.0,0.1,0.01],learning_rate_offset=5,"
          "learning_rate_warmup=linear,learning_rate_warmup_initial=0.5,"
          "learning_rate_warmup_steps=12",
          (const double[]){0.5, 0.541666687, 0.708333313, 0.916666627, 0.958333373, 0.1, 0.01,
                           0.01});
    check("learning_rate_main=cosine,learning_rate_decay_steps=25,learning_rate_alpha=0.1,"
          "learning_rate_offset=2,learning_rate_warmup=linear,learning_rate_warmup_steps=10",
          (const double[]){0, 0.039556101, 0.197780505, 0.39556101, 0.370800316, 0.131579563,
                           0.0517741889, 0.05});
    check("learning_rate_main=power,learning_rate_initial=0.0625,learning_rate_power=-0.5,"
          "learning_rate_warmup=polynomial,learning_rate_warmup_power=2,"
          "learning_rate_warmup_steps=10",
          (const double[]){0.000197642366, 0.000197642366, 0.00494105881, 0.0197642352,
                           0.0188444592, 0.0139754247, 0.0122572584, 0.00988211762});
}

/* The WMT experiment's peak, spec D5. */
static void test_peak_of_the_translation_experiment(void **state)
{
    struct mdl_hparams *hp =
        with("learning_rate_main=power,learning_rate_initial=0.0625,learning_rate_power=-0.5,"
             "learning_rate_warmup=linear,learning_rate_warmup_steps=16000");
    double rate = 0, peak = 4.941059e-4;

    (void) state;
    assert_int_equal(opt_garden_rate(hp, 16000, &rate, &err), T2_OK);
    t_assert_close_double(&rate, &peak, 1, 0, 1e-6);
    mdl_hparams_free(hp);
}

static void check_refused(const char *overrides, const char *part)
{
    struct mdl_hparams *hp = with(overrides);
    double rate;

    assert_int_equal(opt_learning_rate(hp, 0, 100, &rate, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
    mdl_hparams_free(hp);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("learning_rate_main=cosin", "unknown learning_rate_main 'cosin'; there are");
    check_refused("learning_rate_warmup=square", "there are none, linear, polynomial");
    check_refused("learning_rate_main=cosine,learning_rate_decay_steps=0",
                  "learning rate 'cosine' needs hparam 'learning_rate_decay_steps' > 0");
    check_refused("learning_rate_main=stepwise,learning_rate_step_values=[1,2]",
                  "(2) must hold one value more than 'learning_rate_step_boundaries' (0)");
    check_refused("learning_rate_main=stepwise,learning_rate_step_values=[1,2,3],"
                  "learning_rate_step_boundaries=[9,9]",
                  "must grow");
    check_refused("learning_rate_main=power_linear,learning_rate_linear_fraction=0",
                  "must be above 0");
}

T_MAIN(cmocka_unit_test(test_schedules), cmocka_unit_test(test_warmups),
       cmocka_unit_test(test_peak_of_the_translation_experiment), cmocka_unit_test(test_refused))
