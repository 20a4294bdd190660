/* Tests of train/optim/adam.c: the forms against their formulas in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

#define BETAS "optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.98,optimizer_adam_epsilon=1e-9"
static const double zeros[3];

static void adam(int64_t k, double g, double *x, double s[3])
{
    double rate = 0.01 * sqrt(1 - pow(0.98, (double) k + 1)) / (1 - pow(0.9, (double) k + 1));

    s[0] = 0.9 * s[0] + 0.1 * g;
    s[1] = 0.98 * s[1] + 0.02 * g * g;
    *x -= rate * s[0] / (sqrt(s[1]) + 1e-9);
}

static void adam_w(int64_t k, double g, double *x, double s[3])
{
    g += 0.01 * *x; /* the L2 term stays; tested on variables that it acts on by `decays` below */
    *x -= 0.01 * *x;
    adam(k, g, x, s);
}

static void multistep(int64_t k, double g, double *x, double s[3])
{
    s[2] += g;
    if ((k + 1) % 3 != 0)
        return;
    adam(k / 3, s[2] / 3, x, s);
    s[2] = 0;
}

static void test_adam(void **state)
{
    (void) state;
    steps_compare("optimizer=adam," BETAS, zeros, 8, adam);
    steps_compare("optimizer=true_adam," BETAS, zeros, 8, adam);
    steps_compare("optimizer=Adam," BETAS, zeros, 2, adam);
}

/* Model Garden's: decay is times the rate, and only of names without the parts. */
static void test_keras_adam_w(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;
    double x[1024], slots[1024][3] = {{0}};

    (void) state;
    steps_new(&s, "optimizer=keras_adam_w,optimizer_adam_weight_decay=0.3,"
                  "optimizer_adam_decay_skip=bias+_scale," BETAS);
    for (int64_t i = 0; i < s.params.n_floats; i++)
        x[i] = (double) s.x[i];
    for (int64_t k = 0; k < 4; k++) {
        steps_fill_grads(&s, k);
        for (int v = 0; v < s.params.n_variables; v++) {
            const struct gr_variable *w = &s.params.variables[v];
            bool skipped = strcmp(w->name, "a/bias") == 0 || strcmp(w->name, "norm_scale") == 0;

            for (int64_t i = w->offset; i < w->offset + w->n; i++) {
                x[i] -= skipped ? 0.0 : 0.01 * 0.3 * x[i];
                adam(k, (double) s.g[i], &x[i], slots[i]);
            }
        }
        steps_run(&s);
    }
    for (int v = 0; v < s.params.n_variables; v++) {
        const struct gr_variable *w = &s.params.variables[v];

        for (int64_t i = w->offset; i < w->offset + w->n; i++)
            assert_float_equal(s.x[i], x[i], 2e-6);
    }
    steps_release(&s);
    assert_int_equal(steps_try(&s, "cpu", 1,
                               "optimizer=keras_adam_w,optimizer_adam_weight_decay=-1," BETAS,
                               &err),
                     T2_EUSAGE);
    steps_release(&s);
}

static void test_multistep(void **state)
{
    (void) state;
    steps_compare("optimizer=multistep_adam,optimizer_multistep_accumulate_steps=3," BETAS, zeros,
                  10, multistep);
    steps_compare("optimizer=multistep_adam,optimizer_multistep_accumulate_steps=1," BETAS, zeros,
                  4, adam);
}

/* Biases have decoupled decay, but no L2 term. */
static void test_adam_w(void **state)
{
    struct steps s;
    double x[1024], slots[1024][3] = {{0}};

    (void) state;
    steps_new(&s, "optimizer=adam_w,weight_decay=0.01," BETAS);
    for (int v = 0; v < 2; v++) {
        const struct gr_variable *w = &s.params.variables[v];

        for (int64_t i = 0; i < w->n; i++)
            x[w->offset + i] = (double) s.x[w->offset + i];
    }
    for (int64_t k = 0; k < 4; k++) {
        steps_fill_grads(&s, k);
        for (int v = 0; v < 2; v++) {
            const struct gr_variable *w = &s.params.variables[v];

            for (int64_t i = w->offset; i < w->offset + w->n; i++) {
                double g = (double) s.g[i];

                if (v == 0)
                    g -= 0.01 * x[i]; /* a/bias */
                adam_w(k, g, &x[i], slots[i]);
            }
        }
        steps_run(&s);
    }
    for (int v = 0; v < 2; v++) {
        const struct gr_variable *w = &s.params.variables[v];
        float expected[1024];

        for (int64_t i = 0; i < w->n; i++)
            expected[i] = (float) x[w->offset + i];
        t_assert_close(s.x + w->offset, expected, (size_t) w->n, 1e-6, 1e-6);
    }
    steps_release(&s);
}

static void amsgrad(int64_t k, double g, double *x, double s[3])
{
    double n = (double) k + 1;

    s[0] = 0.9 * s[0] + 0.1 * g;
    s[1] = 0.5 * s[1] + 0.5 * g * g;
    s[2] = fmax(s[1], s[2]);
    *x -= 0.01 * sqrt(1 - pow(0.5, n)) / (1 - pow(0.9, n)) * s[0] / (sqrt(s[2]) + 1e-7);
}

static void test_amsgrad(void **state)
{
    (void) state;
    steps_compare("optimizer=amsgrad,optimizer_adam_beta1=0.9,optimizer_adam_beta2=0.5,"
                  "optimizer_adam_epsilon=1e-7",
                  zeros, 8, amsgrad);
}

/* Step after step beta^k is float32's own product; far out it no longer counts. */
static void test_many_updates(void **state)
{
    struct steps s;
    float before, moved;

    (void) state;
    steps_new(&s, "optimizer=adam," BETAS);
    opt_set_updates(s.o, 1000000);
    before = s.x[0];
    steps_run(&s);
    moved = before - s.x[0];
    /* m = 0.1 g, v = 0.02 g^2: 0.01 * 0.1 / sqrt(0.02) */
    assert_true(fabs(fabs((double) moved) - 0.0070711) < 1e-5);
    assert_int_equal(opt_updates(s.o), 1000001);
    steps_release(&s);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;

    (void) state;
    assert_int_equal(steps_try(&s, "reference", 1, "optimizer=multistep_adam", &err), T2_EUSAGE);
    t_assert_contains(err.message, "'multistep_adam' needs hparam "
                                   "'optimizer_multistep_accumulate_steps' > 0");
    steps_release(&s);
    assert_int_equal(steps_try(&s, "reference", 1, "optimizer_adam_beta2=1.0", &err), T2_EUSAGE);
    t_assert_contains(err.message, "'optimizer_adam_beta2' (1) must be at least 0 and below 1");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_adam), cmocka_unit_test(test_multistep), cmocka_unit_test(test_adam_w),
       cmocka_unit_test(test_keras_adam_w), cmocka_unit_test(test_amsgrad),
       cmocka_unit_test(test_many_updates), cmocka_unit_test(test_refused))
