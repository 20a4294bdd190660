/*
 * tests/unit/train/test_frozen_variables.c - names, places, and a run some of whose variables stay
 * as they are.
 */
#include "train/graph/frozen_variables.h"

#include <string.h>

#include "base/str.h"

#include "tests/unit/train/small_run.h"
#include "train/ops/linear.h"
#include "train/ops/xent.h"
#include "train/runs/loop.h"

static void test_names(void **state)
{
    (void) state;
    assert_true(gr_name_fits("a/b", "a/b"));
    assert_false(gr_name_fits("a/b", "a/bc"));
    assert_false(gr_name_fits("a/b", "a"));
    assert_true(gr_name_fits("a*", "a"));
    assert_true(gr_name_fits("*b", "aabab"));
    assert_true(gr_name_fits("*ab*b", "xabab"));
    assert_false(gr_name_fits("*ab*b", "xaab"));
    assert_true(gr_name_fits("?/k*l", "x/kernel"));
    assert_false(gr_name_fits("?/k*l", "xx/kernel"));
    assert_true(gr_name_fits("x+*bias", "a/bias"));
    assert_false(gr_name_fits("x+*bias", "a/bias_1"));
    assert_false(gr_name_fits("", "a"));
    assert_false(gr_name_fits("+", "a"));
    assert_true(gr_name_fits("**", ""));
}

/* No variable overlaps another, and those that are trained come first. */
static void test_places(void **state)
{
    const int64_t dims[] = {7, 5};
    struct dev *d = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;
    int64_t n_floats;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &d, &err), T2_OK);
    gr_params_init(&p, d);
    (void) gr_params_get(&p, "body/a", 2, dims, 0, GR_INIT_ZEROS, 0);
    (void) gr_params_get(&p, "emb", 2, dims, 3, GR_INIT_ZEROS, 0); /* in three */
    (void) gr_params_get_state(&p, "body/mean", 1, dims, GR_INIT_ZEROS, 0);
    (void) gr_params_get(&p, "body/b", 1, dims, 0, GR_INIT_ZEROS, 0);
    n_floats = p.n_floats;
    assert_int_equal(gr_freeze_variables(&p, "nothing*", &err), T2_EUSAGE);
    t_assert_contains(err.message, "no variable is called 'nothing*'; the first is 'body/a'");
    assert_int_equal(gr_freeze_variables(&p, "body/a+emb_1", &err), T2_OK);
    assert_int_equal(p.n_floats, n_floats);
    assert_int_equal(gr_params_count_variables(&p), 3);
    assert_int_equal(gr_params_count(&p), 35 - 10 + 7);
    for (int i = 0; i < p.n_variables; i++) {
        const struct gr_variable *v = &p.variables[i];

        assert_true(v->offset + v->n <= (v->trainable ? p.n_trained_floats : p.n_floats));
        assert_true(v->trainable || p.params[v->param].n_variables > 1 ||
                    v->offset >= p.n_trained_floats);
        for (int k = 0; k < i; k++)
            assert_true(v->offset + v->n <= p.variables[k].offset ||
                        p.variables[k].offset + p.variables[k].n <= v->offset);
    }
    assert_true(p.n_trained_floats < p.n_floats);
    assert_int_equal(gr_freeze_variables(&p, "emb*+body/b", &err), T2_EUSAGE);
    t_assert_contains(err.message, "leaves nothing to train");
    gr_params_release(&p);
    dev_close(d);
}

static float *values_of(struct tr_run *r)
{
    const struct gr_params *p = mdl_params(r->model);
    float *x = t2_alloc((size_t) p->n_floats, sizeof *x);

    r->dev->download(r->dev, x, p->values, (size_t) p->n_floats * sizeof *x);
    return x;
}

/* What is frozen keeps its bits, all else changes; the optimizer is smaller; the run continues with
 * the bits of a straight one. */
static void test_run(void **state)
{
    static const char frozen[] = "frozen_variables=transformer/body/encoder/*";
    const char *data = t_tmp_path("data"), *straight = t_tmp_path("straight");
    const char *twice = t_tmp_path("twice");
    struct opt_bytes all, some;
    struct tr_run *r;
    float *before, *after, *again;

    (void) state;
    small_data(data);
    r = small_run(data, t_tmp_path("whole"), "", 8, 1);
    SMALL_OK(opt_plan(r->hp, mdl_params(r->model), &all, err));
    tr_run_free(r);
    r = small_run(data, straight, frozen, 8, 1);
    SMALL_OK(opt_plan(r->hp, mdl_params(r->model), &some, err));
    assert_true(some.slots < all.slots && some.n_slots < all.n_slots);
    before = values_of(r);
    SMALL_OK(tr_train(r, err));
    after = values_of(r);
    for (int i = 0; i < mdl_params(r->model)->n_variables; i++) {
        const struct gr_variable *v = &mdl_params(r->model)->variables[i];
        bool same = memcmp(before + v->offset, after + v->offset, (size_t) v->n * 4) == 0;

        assert_true(v->trainable == !t2_starts_with(v->name, "transformer/body/encoder/"));
        if (same == v->trainable)
            fail_msg("'%s' %s", v->name, same ? "did not change" : "changed");
    }
    tr_run_free(r);
    r = small_run(data, twice, frozen, 4, 1);
    SMALL_OK(tr_train(r, err));
    tr_run_free(r);
    r = small_run(data, twice, frozen, 8, 2);
    assert_int_equal(r->state.step, 4);
    SMALL_OK(tr_train(r, err));
    again = values_of(r);
    assert_memory_equal(after, again, (size_t) mdl_params(r->model)->n_floats * sizeof *after);
    tr_run_free(r);
    t2_free(before);
    t2_free(after);
    t2_free(again);
}

/* What lies before nothing that is trained has no backward pass; what lies behind has. */
static void test_backward_passes(void **state)
{
    const int64_t ids_dims[] = {2, 3}, dims[] = {2, 3, 4}, w_dims[] = {4, 4}, table_dims[] = {9, 4};
    struct dev *d = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &d, &err), T2_OK);
    gr_params_init(&p, d);
    for (int frozen = 0; frozen < 2; frozen++) {
        struct gr_graph *g = gr_new(d, &p, true);
        struct gr_tensor *x = gr_floats(g, 3, dims), *ids = gr_ids(g, 2, ids_dims);
        struct gr_tensor *table = gr_param(g, "table", 2, table_dims, 0, GR_INIT_ZEROS, 0);
        struct gr_tensor *low = gr_param(g, "low", 2, w_dims, 0, GR_INIT_ZEROS, 0);
        struct gr_tensor *high = gr_param(g, "high", 2, w_dims, 0, GR_INIT_ZEROS, 0);
        struct gr_tensor *y = nn_linear(g, x, low, NULL, false, 0), *stats;
        struct gr_tensor *z = nn_linear(g, y, high, NULL, false, 0);
        struct gr_node *loss = nn_xent(g, z, table, ids, NULL, 0.0, &stats);

        assert_int_equal(gr_finish(g, loss, NULL, 0, &err), T2_OK);
        assert_true(z->producer->backward && high->needs_grad && high->has_grad);
        assert_int_equal(y->producer->backward, !frozen);
        assert_int_equal(y->needs_grad, !frozen);
        assert_int_equal(low->has_grad, !frozen);
        gr_free(g);
        p.frozen = true;
        if (!frozen)
            assert_int_equal(gr_freeze_variables(&p, "low", &err), T2_OK);
    }
    gr_params_release(&p);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_places),
       cmocka_unit_test(test_backward_passes), cmocka_unit_test(test_run))
