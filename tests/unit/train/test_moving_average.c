/*
 * tests/unit/train/test_moving_average.c - moving averages of variables: values by the rule,
 * swapping, checkpoints.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

#include "tests/support/device_floats.h"
#include "train/ckpt/checkpoint.h"
#include "train/optim/optimizer.h"

struct averaged {
    struct gr_params params;
    struct mdl_hparams *hp;
    struct opt_optimizer *o;
};

/* Variables w (3) and table_0, table_1, the state mean (2). */
static void averaged_new(struct averaged *a, const char *device, const char *overrides)
{
    const int64_t w[] = {3}, table[] = {4, 2}, mean[] = {2};
    struct t2_err err = T2_ERR_INIT;

    gr_params_init(&a->params, op_device(device, 2));
    (void) gr_params_get(&a->params, "w", 1, w, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get_state(&a->params, "mean", 1, mean, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(&a->params, "table", 2, table, 2, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(&a->params, &err), T2_OK);
    device_fill(a->params.dev, a->params.values, a->params.n_floats, 1);
    assert_int_equal(mdl_hparams_new("basic_1", &a->hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(a->hp, "optimizer=sgd", &err), T2_OK);
    if (mdl_hparams_override(a->hp, overrides, &err) != T2_OK ||
        opt_new(a->hp, &a->params, &a->o, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void averaged_release(struct averaged *a)
{
    opt_free(a->o);
    mdl_hparams_free(a->hp);
    gr_params_release(&a->params);
}

/* A step with gradients that depend on its number; the state changes, too. */
static void step(struct averaged *a, int64_t number)
{
    const struct gr_variable *mean = gr_params_find(&a->params, "mean");
    struct t2_err err = T2_ERR_INIT;
    struct opt_report report;
    float x[2];

    device_fill(a->params.dev, a->params.grads, a->params.n_floats, 10 + (uint64_t) number);
    device_read(a->params.dev, x, a->params.values + mean->offset, 2);
    x[0] += 1.0f;
    x[1] += 1.0f;
    device_write(a->params.dev, a->params.values + mean->offset, x, 2);
    if (opt_step(a->o, number, 100, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
}

enum { STEPS = 12 };

static float *values_of(const struct averaged *a)
{
    return device_floats(a->params.dev, a->params.values, a->params.n_floats);
}

static void check_rule(const char *device, bool trainable_only)
{
    double expected[1024];
    struct averaged a;
    float *raw, *now;
    int64_t n;

    averaged_new(&a, device,
                 trainable_only ? "moving_average_decay=0.5,moving_average_trainable_only=true"
                                : "moving_average_decay=0.5,moving_average_trainable_only=false");
    n = a.params.n_floats;
    assert_true(n <= 1024);
    opt_start_averages(a.o);
    opt_swap_averages(a.o); /* nothing yet */
    raw = values_of(&a);
    for (int64_t i = 0; i < n; i++)
        expected[i] = (double) raw[i];
    for (int64_t k = 0; k < STEPS; k++) {
        double d = fmin(0.5, ((double) k + 2.0) / ((double) k + 11.0));

        step(&a, k);
        free(raw);
        raw = values_of(&a);
        for (int64_t i = 0; i < n; i++)
            expected[i] -= (1.0 - d) * (expected[i] - (double) raw[i]);
    }
    opt_swap_averages(a.o);
    now = values_of(&a);
    for (int v = 0; v < a.params.n_variables; v++) {
        const struct gr_variable *w = &a.params.variables[v];

        for (int64_t i = w->offset; i < w->offset + w->n; i++) {
            double want = w->trainable || !trainable_only ? expected[i] : (double) raw[i];

            assert_true(fabs((double) now[i] - want) < 2e-6);
        }
    }
    free(now);
    opt_swap_averages(a.o);
    now = values_of(&a);
    assert_memory_equal(now, raw, (size_t) n * sizeof *raw);
    free(now);
    free(raw);
    averaged_release(&a);
}

static void test_rule(void **state)
{
    (void) state;
    for (int i = 0; i < 2; i++) {
        check_rule("reference", i);
        check_rule("cpu", i);
        check_rule("far", i);
    }
}

static void test_none(void **state)
{
    struct averaged a;
    float before;

    (void) state;
    averaged_new(&a, "reference", "");
    step(&a, 0);
    assert_int_equal(opt_slot_count(a.o), 0);
    before = device_float(a.params.dev, a.params.values);
    opt_swap_averages(a.o);
    assert_true(device_float(a.params.dev, a.params.values) == before);
    averaged_release(&a);
}

static void save(const struct averaged *a, const char *dir)
{
    struct ckpt_state saved = {
        .step = 3, .model = "m", .hparams_set = "basic_1", .problem = "p", .precision = "float32"};
    struct t2_err err = T2_ERR_INIT;

    if (ckpt_save(dir, &saved, a->hp, &a->params, a->o, 1, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void same_values(const struct averaged *a, const struct averaged *b)
{
    for (int v = 0; v < a->params.n_variables; v++) {
        const struct gr_variable *w = &a->params.variables[v];

        device_assert_same(a->params.dev, a->params.values + w->offset, b->params.dev,
                           b->params.values + w->offset, w->n);
    }
}

/* A run that goes on has the same bits in both; who only uses the variables gets the averages. */
static void test_checkpoints(void **state)
{
    static const char *const on = "moving_average_decay=0.9";
    const char *dir = t_tmp_path("averages");
    struct t2_err err = T2_ERR_INIT;
    struct averaged straight, first, second;

    (void) state;
    averaged_new(&straight, "reference", on);
    averaged_new(&first, "reference", on);
    averaged_new(&second, "reference", on);
    for (int64_t k = 0; k < 3; k++) {
        step(&straight, k);
        step(&first, k);
    }
    save(&first, dir);
    assert_string_equal(opt_slot_at(first.o, 1).name, "mean/ExponentialMovingAverage");
    assert_int_equal(ckpt_restore(dir, -1, &second.params, second.o, &err), T2_OK);
    for (int64_t k = 3; k < 6; k++) {
        step(&straight, k);
        step(&second, k);
    }
    same_values(&straight, &second);
    opt_swap_averages(straight.o);
    opt_swap_averages(second.o);
    same_values(&straight, &second);
    if (ckpt_restore_for_use(dir, -1, first.hp, &second.params, &err) != T2_OK)
        fail_msg("%s", err.message);
    opt_swap_averages(first.o);
    same_values(&first, &second);
    averaged_release(&straight);
    averaged_release(&first);
    averaged_release(&second);
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"moving_average_decay=1.0", "moving_average_decay=-0.1"};

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct opt_optimizer *o;
        struct averaged a;

        averaged_new(&a, "reference", "");
        assert_int_equal(mdl_hparams_override(a.hp, bad[i], &err), T2_OK);
        assert_int_equal(opt_new(a.hp, &a.params, &o, &err), T2_EUSAGE);
        t_assert_contains(err.message,
                          "hparam 'moving_average_decay' must be at least 0 and below 1");
        averaged_release(&a);
    }
}

T_MAIN(cmocka_unit_test(test_rule), cmocka_unit_test(test_none), cmocka_unit_test(test_checkpoints),
       cmocka_unit_test(test_refused))
