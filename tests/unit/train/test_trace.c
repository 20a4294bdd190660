/*
 * tests/unit/train/test_trace.c - every node of a step with its layer and variable, one behind the
 * other in time.
 */
#include "train/graph/trace.h"

#include <string.h>

#include "tests/unit/train/tiny_model.h"
#include "train/graph/profile.h"

static void test_nodes_of_a_step(void **state)
{
    struct mdl *m = tiny_model(op_device("cpu", 2), "", &tiny_translation, MDL_TRAIN);
    struct gr_trace trace = {0};
    struct gr_profile profile = {.trace = &trace};
    struct tiny_batch t;
    struct mdl_loss loss;
    struct t2_err err = T2_ERR_INIT;
    int n_backward = 0, n_named = 0;
    double all = 0.0, of_operators = 0.0;
    size_t n_first;

    (void) state;
    mdl_set_profile(m, &profile);
    assert_int_equal(mdl_train_step(m, tiny_batch(&t, 3, 5, 6, 1), 1, 0, &loss, &err), T2_OK);
    n_first = trace.n;
    assert_true(n_first > 50);
    for (size_t i = 0; i < trace.n; i++) {
        const struct gr_traced *e = &trace.items[i];

        assert_true(e->seconds >= 0.0 && e->begin_s > 0.0);
        assert_true(i == 0 || e->begin_s >= trace.items[i - 1].begin_s);
        assert_true(!e->variable || strchr(e->variable, '/'));
        n_backward += e->backward;
        n_named += e->scope && strstr(e->scope, "encoder/layer_1");
        all += e->seconds;
    }
    assert_true(n_backward > 20 && n_backward < (int) trace.n && n_named > 5);
    for (int i = 0; i < profile.n; i++)
        of_operators += profile.forward_s[i] + profile.backward_s[i];
    assert_true(all > 0.999 * of_operators && all < 1.001 * of_operators);
    assert_int_equal(mdl_train_step(m, tiny_batch(&t, 3, 5, 6, 1), 1, 1, &loss, &err), T2_OK);
    assert_int_equal(trace.n, 2 * n_first);
    mdl_free(m);
    gr_profile_release(&profile);
    gr_trace_release(&trace);
    assert_null(trace.items);
}

T_MAIN(cmocka_unit_test(test_nodes_of_a_step))
