/*
 * tests/unit/train/test_regularise.c - the regulariser of a kind of model; through a model:
 * test_model_images.c.
 */
#include "train/models/regularise.h"

#include <math.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static double by_name(const char *variable, const struct mdl_hparams *hp)
{
    (void) hp;
    return strcmp(variable, "kernel") == 0 ? 0.25 : strcmp(variable, "bias") == 0 ? 2.0 : 0.0;
}

static void fill(struct gr_params *p, struct dev *dev)
{
    const int64_t large[] = {300, 500}, small[] = {7};
    struct t2_err err = T2_ERR_INIT;

    gr_params_init(p, dev);
    (void) gr_params_get(p, "kernel", 2, large, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(p, "gamma", 1, small, 0, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get_state(p, "mean", 1, small, GR_INIT_ZEROS, 0.0);
    (void) gr_params_get(p, "bias", 1, small, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
    t_fill(p->values, (size_t) p->n_floats, 3);
    t_fill(p->grads, (size_t) p->n_floats, 4);
}

/* Several pieces of 32768: the sum and the gradients, the same bits for one thread and more. */
static void test_sum_and_gradients(void **state)
{
    static const struct mdl_kind kind = {.l2 = by_name};
    struct t2_err err = T2_ERR_INIT;
    struct gr_params plain, one, two;
    struct mdl_hparams *hp = NULL;
    double expected = 0.0, sum;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    fill(&plain, op_device("reference", 1));
    fill(&one, op_device("cpu", 1));
    fill(&two, op_device("cpu", 2));
    mdl_set_regulariser(&one, &kind, hp);
    mdl_set_regulariser(&two, &kind, hp);
    for (int v = 0; v < plain.n_variables; v++)
        for (int64_t i = 0; i < plain.variables[v].n; i++) {
            double x = (double) plain.values[plain.variables[v].offset + i];

            expected += by_name(plain.variables[v].name, hp) * x * x;
        }
    assert_true(mdl_regulariser(&plain, true) == 0.0); /* none was set */
    sum = mdl_regulariser(&one, true);
    assert_true(fabs(sum - expected) < 1e-9 * expected);
    assert_true(sum == mdl_regulariser(&two, true));
    assert_memory_equal(one.grads, two.grads, (size_t) one.n_floats * sizeof(float));
    for (int v = 0; v < plain.n_variables; v++) {
        const struct gr_variable *w = &plain.variables[v];
        float factor = (float) (2.0 * by_name(w->name, hp));

        for (int64_t i = w->offset; i < w->offset + w->n; i++)
            assert_true(fabsf(one.grads[i] - plain.grads[i] - factor * plain.values[i]) < 2e-6f);
    }
    memcpy(two.grads, plain.grads, (size_t) plain.n_floats * sizeof(float));
    assert_true(sum == mdl_regulariser(&two, false));
    assert_memory_equal(two.grads, plain.grads, (size_t) plain.n_floats * sizeof(float));
    gr_params_release(&plain);
    gr_params_release(&one);
    gr_params_release(&two);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_sum_and_gradients))
