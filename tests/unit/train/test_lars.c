/* Tests of train/optim/lars.c against its formula in double. */
#include <math.h>

#include "tests/support/t.h"
#include "tests/unit/train/optim_steps.h"

enum { MAX = 1024 };

/* One variable, one step of the formula. */
static void rule(const struct gr_variable *v, const float *g, bool skipped, double *x, double *a)
{
    double xs = 0, gs = 0, rate = 0.01;

    for (int64_t i = v->offset; i < v->offset + v->n; i++) {
        xs += x[i] * x[i];
        gs += (double) g[i] * (double) g[i];
    }
    if (!skipped)
        rate *= 0.02 * sqrt(xs) / (sqrt(gs) + 0.1 * sqrt(xs));
    for (int64_t i = v->offset; i < v->offset + v->n; i++) {
        a[i] = 0.9 * a[i] + rate * ((double) g[i] + (skipped ? 0 : 0.1) * x[i]);
        x[i] -= a[i];
    }
}

static void test_rule_and_skipped_names(void **state)
{
    static double x[MAX], a[MAX];
    struct opt_report report;
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=lars,weight_decay=0.1,optimizer_lars_eeta=0.02,"
                  "optimizer_lars_skip=bias+norm");
    assert_true(s.params.n_floats <= MAX);
    for (int64_t i = 0; i < s.params.n_floats; i++)
        x[i] = (double) s.x[i];
    for (int64_t k = 0; k < 5; k++) {
        steps_fill_grads(&s, k);
        for (int v = 0; v < s.params.n_variables; v++) {
            const struct gr_variable *w = &s.params.variables[v];

            rule(w, s.g, strstr(w->name, "bias") || strstr(w->name, "norm"), x, a);
        }
        report = steps_run(&s);
        assert_true(report.weight_decay_loss == 0.0); /* not in the loss as well */
        for (int64_t i = 0; i < s.params.n_floats; i++) {
            float expected = (float) x[i];

            t_assert_close(&s.x[i], &expected, 1, 1e-6, 1e-6);
        }
    }
    steps_release(&s);
}

static void test_zeros_have_the_whole_rate(void **state)
{
    struct steps s;

    (void) state;
    steps_new(&s, "optimizer=lars,optimizer_lars_skip=");
    memset(s.x, 0, (size_t) s.params.n_floats * sizeof *s.x);
    steps_put(&s);
    steps_run(&s);
    for (int64_t i = 0; i < s.params.variables[0].n; i++) {
        float expected = -0.01F * s.g[i];

        t_assert_close(&s.x[i], &expected, 1, 1e-7, 1e-6);
    }
    steps_release(&s);
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct steps s;

    (void) state;
    assert_int_equal(steps_try(&s, "reference", 1, "optimizer=lars,weight_decay=-1", &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "must not be negative");
    steps_release(&s);
}

T_MAIN(cmocka_unit_test(test_rule_and_skipped_names),
       cmocka_unit_test(test_zeros_have_the_whole_rate), cmocka_unit_test(test_refused))
