/* Tests of train/optim/yellow_fin.c: its first step is plain momentum, then it tunes itself; ten
 * steps of the original are in tests/oracle/test_optimizers.c. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

static void momentum(int64_t k, double g, double *x, double s[3])
{
    (void) k;
    s[0] = 0.9 * s[0] + g;
    *x -= 0.01 * s[0];
}

static void test_first_step_is_momentum(void **state)
{
    static const double zeros[3];

    (void) state;
    /* the tuning of step 2 is not seen before step 3 */
    steps_compare("optimizer=yellow_fin", zeros, 2, momentum);
}

static void test_tunes(void **state)
{
    struct steps s;
    struct opt_slot slot;
    float state_now[2];

    (void) state;
    steps_new(&s, "optimizer=YellowFin");
    slot = opt_slot_at(s.o, opt_slot_count(s.o) - 1);
    assert_string_equal(slot.name, "training/YellowFin/state");
    steps_run(&s);
    device_read(s.dev, state_now, slot.values, 2);
    assert_true(state_now[0] == 0.01F && state_now[1] == 0.9F);
    for (int i = 0; i < 30; i++) {
        struct opt_report report = steps_run(&s);

        assert_true(report.learning_rate > 0);
    }
    device_read(s.dev, state_now, slot.values, 2);
    assert_true(state_now[0] != 0.01F && state_now[0] > 0 && state_now[0] < 1);
    assert_true(state_now[1] < 0.9F && state_now[1] > 0.8F);
    /* the rate is its own, not the schedule's */
    assert_true(steps_run(&s).learning_rate != 0.01);
    steps_release(&s);
}

static void test_zero_gradients(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=yellow_fin");
    for (int64_t step = 0; step < 3; step++) /* the arena is still zero */
        assert_int_equal(opt_step(s.o, step, 10, &report, &err), T2_OK);
    steps_run(&s);
    steps_run(&s);
    assert_true(isfinite(s.x[0]));
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_first_step_is_momentum), cmocka_unit_test(test_tunes),
       cmocka_unit_test(test_zero_gradients))
