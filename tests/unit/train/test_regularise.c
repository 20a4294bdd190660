/*
 * tests/unit/train/test_regularise.c - the regulariser of a kind of model; through a model:
 * test_model_images.c.
 */
#include "train/models/regularise.h"

#include <math.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

#include "tests/support/device_floats.h"

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
    device_fill(dev, p->values, p->n_floats, 3);
    device_fill(dev, p->grads, p->n_floats, 4);
}

/* The sum, of values alone or adding the gradients. */
static double regularise(const struct mdl_regulariser *r, struct dev *d, bool gradients)
{
    double *sum = d->alloc(d, sizeof *sum), x;

    mdl_regularise(r, gradients, sum);
    d->download(d, &x, sum, sizeof x);
    d->free(d, sum);
    return x;
}

/* Several pieces of 32768: the sum and the gradients on the reference, then the same bits elsewhere
 * and for more threads. */
static void test_sum_and_gradients(void **state)
{
    static const struct mdl_kind kind = {.l2 = by_name};
    static const struct {
        const char *name;
        int threads;
    } devices[] = {{"reference", 1}, {"cpu", 1}, {"cpu", 2}, {"far", 1}};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    float *values, *before, *after = NULL;
    double expected = 0.0, sum = 0.0;
    struct gr_params plain;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    fill(&plain, op_device("reference", 1));
    values = device_floats(plain.dev, plain.values, plain.n_floats);
    before = device_floats(plain.dev, plain.grads, plain.n_floats);
    for (int v = 0; v < plain.n_variables; v++)
        for (int64_t i = 0; i < plain.variables[v].n; i++) {
            double x = (double) values[plain.variables[v].offset + i];

            expected += by_name(plain.variables[v].name, hp) * x * x;
        }
    for (int k = 0; k < 4; k++) {
        struct mdl_regulariser *r;
        struct gr_params p;
        float *grads;
        double s;

        if (op_is_gpu(plain.dev) && strcmp(devices[k].name, "cpu") == 0)
            continue;
        fill(&p, op_device(devices[k].name, devices[k].threads));
        assert_int_equal(mdl_regulariser_new(&p, &kind, hp, &r, &err), T2_OK);
        assert_true(p.regularised);
        s = regularise(r, p.dev, false);
        device_assert_same(p.dev, p.grads, plain.dev, plain.grads, p.n_floats);
        assert_true(s == regularise(r, p.dev, true));
        grads = device_floats(p.dev, p.grads, p.n_floats);
        if (k == 0) {
            sum = s;
            after = grads;
        } else {
            assert_true(s == sum);
            assert_memory_equal(grads, after, (size_t) p.n_floats * sizeof *grads);
            free(grads);
        }
        mdl_regulariser_free(r);
        gr_params_release(&p);
    }
    assert_true(fabs(sum - expected) < 1e-9 * expected);
    for (int v = 0; v < plain.n_variables; v++) {
        const struct gr_variable *w = &plain.variables[v];
        float factor = (float) (2.0 * by_name(w->name, hp));

        for (int64_t i = w->offset; i < w->offset + w->n; i++)
            assert_true(fabsf(after[i] - before[i] - factor * values[i]) < 2e-6f);
    }
    free(values);
    free(before);
    free(after);
    gr_params_release(&plain);
    mdl_hparams_free(hp);
}

/* A kind without one has none; with lars there is one that adds nothing. */
static void test_none(void **state)
{
    static const struct mdl_kind with = {.l2 = by_name}, without = {0};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp = NULL;
    struct mdl_regulariser *r;
    struct gr_params p;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_1", &hp, &err), T2_OK);
    fill(&p, op_device("reference", 1));
    assert_int_equal(mdl_regulariser_new(&p, &without, hp, &r, &err), T2_OK);
    assert_null(r);
    assert_false(p.regularised);
    assert_true(regularise(r, p.dev, true) == 0.0); /* alloc gives zeros */
    mdl_hp_set_string(hp, "optimizer", "LARS");
    assert_int_equal(mdl_regulariser_new(&p, &with, hp, &r, &err), T2_OK);
    assert_true(p.regularised && regularise(r, p.dev, true) == 0.0);
    mdl_regulariser_free(r);
    gr_params_release(&p);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_sum_and_gradients), cmocka_unit_test(test_none))
